/// A checksum over what a row holds, by which damage that SQLite does not notice is found: 32 bits, for mishaps, not for
/// forgers.
struct RowChecksum {
  private var hash: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The checksum of what was taken in so far.
  var value: Int { Int(UInt32(truncatingIfNeeded: hash ^ (hash >> 32))) }

  /// Takes in a number.
  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  /// Takes in bytes, and how many they are.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(bytes.count)
    var offset = 0
    while offset + 16 <= bytes.count {
      let first = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      // One multiplication takes in two words, as in wyhash.
      let product = (hash ^ first).multipliedFullWidth(by: second ^ 0xD6E8_FEB8_6659_FD93)
      hash = product.high ^ product.low
      offset += 16
    }
    if offset + 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
    if offset < bytes.count { add(rest) }
  }

  /// Takes in a text.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  private mutating func add(_ word: UInt64) {
    let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    hash = product.high ^ product.low &+ word
  }
}
