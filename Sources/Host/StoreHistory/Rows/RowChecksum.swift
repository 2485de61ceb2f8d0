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
    guard var place = bytes.baseAddress else { return }
    let end = place + bytes.count
    let pairs = place + (bytes.count & ~15)
    while place < pairs {
      let first = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
      let second = UInt64(littleEndian: (place + 8).loadUnaligned(as: UInt64.self))
      // One multiplication takes in two words, as in wyhash.
      let product = (hash ^ first).multipliedFullWidth(by: second ^ 0xD6E8_FEB8_6659_FD93)
      hash = product.high ^ product.low
      place += 16
    }
    if end - place >= 8 {
      add(UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
      place += 8
    }
    if place == end { return }
    var rest: UInt64 = 0
    while place < end {
      rest = rest << 8 | UInt64(place.load(as: UInt8.self))
      place += 1
    }
    add(rest)
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
