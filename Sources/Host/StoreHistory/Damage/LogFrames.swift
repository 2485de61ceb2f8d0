import Platform

/// The frames of a write-ahead log that SQLite does not read, and is silent about: those behind one that is not what was written.
///
/// They are told from frames that are there in order. A log that was begun anew still has the older ones behind its own, which
/// SQLite marks by other salts. Frames of a transaction that did not come to its end hold nothing that anybody was promised:
/// none of them is the last of a transaction. What a page holds is not looked at.
struct LogFrames {
  /// Whether the sums of the log are those of words with the most significant byte first.
  private let isBigEndian: Bool
  private let salts: (UInt32, UInt32)
  private var sum: (UInt32, UInt32) = (0, 0)

  /// The number of frames of the log beside a file that belong to it and that SQLite does not read, from the first to the last of
  /// a transaction.
  static func unread(beside path: String) -> Int {
    guard let log = fopen("\(path)-wal", "re") else { return 0 }
    defer { fclose(log) }
    var head = [UInt8](repeating: 0, count: 32)
    guard fread(&head, 1, head.count, log) == head.count else { return 0 }
    var frames = LogFrames(head)
    var isSound = head.starts(with: [0x37, 0x7F, 0x06]) && frames.goesOn(with: head[..<24], to: head[24...])
    var frame = [UInt8](repeating: 0, count: 24 + FileBytes.pageSize(Files.start(of: path, count: 100)))
    var (count, read, written) = (0, 0, 0)
    while fread(&frame, 1, frame.count, log) == frame.count {
      count += 1
      isSound =
        isSound && number(frame, 8) == frames.salts.0 && number(frame, 12) == frames.salts.1
        && frames.goesOn(with: frame[..<8], frame[24...], to: frame[16..<24])
      // The size of the file stands in the last frame of a transaction.
      guard number(frame, 4) != 0 else { continue }
      if isSound { read = count } else if !frames.isOlder(frame) { written = count }
    }
    return max(written - read, 0)
  }

  private init(_ head: [UInt8]) {
    isBigEndian = head[3] & 1 == 1
    salts = (Self.number(head, 16), Self.number(head, 20))
  }

  /// True if a frame was written before the log was begun anew: that counts the first salt up, and draws the second.
  private func isOlder(_ frame: [UInt8]) -> Bool {
    (1..<1 << 20).contains(salts.0 &- Self.number(frame, 8)) && Self.number(frame, 12) != salts.1
  }

  /// Takes bytes into the sum over the log.
  ///
  /// - Returns: whether it is then what was written.
  private mutating func goesOn(with bytes: ArraySlice<UInt8>..., to written: ArraySlice<UInt8>) -> Bool {
    for bytes in bytes {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 8) {
          sum.0 = sum.0 &+ word(bytes, offset) &+ sum.1
          sum.1 = sum.1 &+ word(bytes, offset + 4) &+ sum.0
        }
      }
    }
    return Self.number(Array(written), 0) == sum.0 && Self.number(Array(written), 4) == sum.1
  }

  private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
