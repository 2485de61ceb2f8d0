/// The bytes of a file, read as they are needed and never written.
package final class MappedFile {
  /// The bytes.
  package let memory: UnsafeRawBufferPointer

  /// Maps a file; nil: it is empty or cannot be read.
  package convenience init?(_ path: String) { self.init(path, size: 0) }

  /// Maps a file with room behind its end.
  ///
  /// - Parameters:
  ///   - size: the least number of bytes; the bytes behind the end of the file are zero.
  ///   - change: may change the bytes, which leaves the file as it is.
  package convenience init?(_ path: String, size: Int, _ change: (UnsafeMutableRawBufferPointer) -> Void = { _ in }) {
    // A pipe that nobody writes would keep us waiting.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(descriptor: descriptor, size: size, change)
  }

  /// Maps a file that is open, which stays so, with room behind its end.
  package init?(
    descriptor: Int32, size: Int, _ change: (UnsafeMutableRawBufferPointer) -> Void = { _ in }
  ) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
    let length = max(Int(status.st_size), size)
    let access = PROT_READ | PROT_WRITE
    guard let start = mmap(nil, length, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED else {
      return nil
    }
    guard mmap(start, Int(status.st_size), access, MAP_PRIVATE | MAP_FIXED, descriptor, 0) == start else {
      munmap(start, length)
      return nil
    }
    let bytes = UnsafeMutableRawBufferPointer(start: start, count: length)
    change(bytes)
    memory = UnsafeRawBufferPointer(bytes)
  }

  /// Gives back the memory of the bytes from an offset on, none of which may have been changed: they are read anew where they are
  /// needed, and the file must be as it was.
  package func letGo(from offset: Int) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = (offset + page - 1) / page * page
    guard start < memory.count, let base = UnsafeMutableRawPointer(mutating: memory.baseAddress) else { return }
    madvise(base + start, memory.count - start, MADV_DONTNEED)
  }

  /// The number of the system's error for whoever wants to read a file; nil: the file may be read.
  package static func refusal(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) < 0 ? errno : nil
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count) }
}
