import StorePlugins

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a file line by line in blocks, so that its size does not matter.
final class LineReader {
  /// The number of the line that was read last, from 1.
  private(set) var number = 0
  private let path: String
  private let descriptor: Int32
  private let closes: Bool
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// Opens a file; `-` is standard input.
  init(file: String) throws(FileError) {
    path = file
    closes = file != "-"
    descriptor = file == "-" ? 0 : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: file, code: errno) }
  }

  deinit {
    if closes { close(descriptor) }
  }

  /// The next line without its end; nil at the end of the file.
  func next() throws(FileError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        return line(upTo: end)
      }
      searched = buffer.count
      guard !isAtEnd else {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return line(upTo: buffer.count)
      }
      searched -= position
      try fill()
    }
  }

  private func line(upTo end: Int) -> ArraySlice<UInt8> {
    number += 1
    // A byte order mark is not part of the first line.
    if number == 1, buffer[position..<end].starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    let last = end > position && buffer[end - 1] == 0x0D ? end - 1 : end
    return buffer[position..<last]
  }

  private func fill() throws(FileError) {
    buffer.removeFirst(position)
    position = 0
    let start = buffer.count
    let size = 1 << 16
    buffer.append(contentsOf: repeatElement(0, count: size))
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: start), size) }
    let failure = errno
    buffer.removeLast(size - max(count, 0))
    if count < 0, failure != EINTR { throw FileError(path: path, code: failure) }
    if count == 0 { isAtEnd = true }
  }
}
