import Platform

/// Whole reads and writes on file descriptors, retried where a signal cut them short.
enum FileAccess {
  /// Reads to the end of the file.
  static func readAll(_ descriptor: Int32, subject: String) throws(LineEditorError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes.append(contentsOf: buffer[..<count])
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw .system(subject: subject, code: errno)
      }
    }
  }

  /// Writes all bytes, waiting where the descriptor does not block.
  static func writeAll(_ text: String, to descriptor: Int32, subject: String) throws(LineEditorError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
      } else if errno != EINTR {
        throw .system(subject: subject, code: errno)
      }
    }
  }
}
