import Synchronization

/// The right to write a file, which one process at a time has. The right ends with the process, however that ends.
///
/// The descriptor stays open for as long as SQLite has the file. Closing any descriptor of a file would drop the locks
/// by which SQLite guards it.
package final class FileLock: Sendable {
  package let descriptor: Int32
  /// True if the file was made for the lock.
  package let hasMadeFile: Bool
  private let isHeld = Atomic<Bool>(true)

  /// Why the right is not to be had.
  package enum Refusal: Error {
    /// The system's number of the error, such as `ENOENT`.
    case system(Int32)
    /// The path leads to no ordinary file.
    case notOrdinary
    /// Another process has the right.
    case taken
  }

  /// Takes the right, creating the file, for its owner alone, where there is none.
  package init(_ path: String, creates: Bool = true) throws(Refusal) {
    var status = stat()
    // To open a pipe would let its reader go on, which then finds its end.
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { throw .notOrdinary }
    let made = creates ? open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600) : -1
    let opened = made >= 0 ? made : open(path, (creates ? O_CREAT : 0) | O_RDWR | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .system(errno) }
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .notOrdinary
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      guard code == EWOULDBLOCK else { throw .system(code) }
      throw .taken
    }
    // Its owner may have taken it away in between.
    guard fstat(opened, &status) == 0, status.st_nlink > 0 || !creates else {
      close(opened)
      throw .taken
    }
    descriptor = opened
    hasMadeFile = made >= 0
  }

  deinit { release() }

  /// Gives the right back.
  package func release() {
    guard isHeld.exchange(false, ordering: .relaxed) else { return }
    // A process that is being started has the descriptor too, until it runs its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Keeps other programs that use the file by SQLite out of it until the right is given back.
  ///
  /// - Returns: false: one of them has the file open. Those of this process are not found.
  package func excludesReaders() -> Bool { lockReaders(F_WRLCK, F_SETLK) }

  /// Has other programs know until ``leaveReaders()`` that SQLite has the file open here. SQLite's own lock says so until any descriptor
  /// of the file is closed, such as that of a look at it by its name. This lock stays with the descriptor that is open here (`fcntl(2)`,
  /// "Open file description locks").
  package func joinReaders() { _ = lockReaders(F_RDLCK, Self.setForDescriptor) }

  /// Takes that back: SQLite can now take its log away.
  package func leaveReaders() { _ = lockReaders(F_UNLCK, Self.setForDescriptor) }

  /// F_OFD_SETLK, which glibc keeps behind `_GNU_SOURCE`.
  private static let setForDescriptor: Int32 = 37

  private func lockReaders(_ type: Int32, _ command: Int32) -> Bool {
    var readers = flock()
    // The bytes that SQLite's readers lock (its `os_unix.c`: SHARED_FIRST and SHARED_SIZE).
    (readers.l_type, readers.l_whence) = (Int16(type), Int16(SEEK_SET))
    (readers.l_start, readers.l_len) = (0x4000_0002, 510)
    return fcntl(descriptor, command, &readers) == 0
  }

  /// Takes the file away, where it is still at its path, and gives the right back.
  package func remove(at path: String) {
    if isAt(path) { unlink(path) }
    release()
  }

  /// The first bytes of the file.
  package func head(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(read, 0)))
  }

  /// Returns true if the file is still the one at a path.
  package func isAt(_ path: String) -> Bool {
    var (own, there) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_ino == there.st_ino
      && own.st_dev == there.st_dev
  }

  /// The marks that tell one content of a file from another.
  package struct Version: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    fileprivate init(_ status: stat) {
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      size = Int(status.st_size)
    }
  }

  /// The version of the file's content; nil: the system does not say.
  package var version: Version? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Version(status) : nil
  }

  /// The length of the file in bytes.
  package var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The process that has the lock of a file, as the system lists locks; nil: none has, or the system does not tell.
  package static func holder(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let place = "\(status.deviceNumbers):\(status.st_ino)"
    // The list comes in pieces, between which others come and go: it may lack a lock that was there all the time.
    return (0..<3).lazy.compactMap { _ in listedHolder(of: place) }.first
  }

  private static func listedHolder(of place: String) -> Int? {
    guard let list = try? Files.read("/proc/locks") else { return nil }
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      // 1: FLOCK  ADVISORY  WRITE 4711 08:01:131072 0 EOF
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", words[5] == place, let process = Int(words[4]), process > 0 else {
        continue
      }
      return process
    }
    return nil
  }
}

extension stat {
  /// The major and the minor number of the device, as the list of locks has them: two hexadecimal digits each, or more.
  fileprivate var deviceNumbers: String {
    let device = UInt64(st_dev)
    let parts = [device >> 8 & 0xFFF | device >> 32 & ~0xFFF, device & 0xFF | device >> 12 & 0xFFFF_FF00]
    return parts.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }
}
