import Glibc

/// Lines out of the pieces in which a socket gives them. Each byte is looked at once, so a line of many pieces costs its length, also
/// under a sanitizer: a reader that looks at all pieces again is a slow one, and a door may end it.
public struct ReceivedLines {
  private var bytes: [UInt8] = []
  private var start = 0
  private var searched = 0

  /// Nothing has come yet.
  public init() {}

  /// Adds the first bytes of a block.
  public mutating func append(_ block: [UInt8], count: Int) {
    bytes.removeSubrange(..<start)
    (start, searched) = (0, searched - start)
    block.withUnsafeBufferPointer { bytes.append(contentsOf: $0[..<count]) }
  }

  /// The next line, without its end; nil: it is not whole yet.
  public mutating func next() -> String? {
    bytes.withUnsafeBytes { all in
      guard let first = all.baseAddress, let end = memchr(first + searched, 0x0A, all.count - searched) else {
        searched = all.count
        return nil
      }
      let line = UnsafeRawBufferPointer(start: first + start, count: UnsafeRawPointer(end) - first - start)
      start += line.count + 1
      searched = start
      return String(decoding: line, as: UTF8.self)
    }
  }
}
