/// A 64-bit hash that is the same in every process and on every machine: FNV-1a (Fowler, Noll, Vo). The hash finds
/// differences; it keeps nobody from making two texts with the same hash.
public struct StableHash: Hashable, Sendable {
  /// The hash so far.
  public private(set) var value: UInt64

  /// The hash of nothing.
  public init() { value = 0xCBF2_9CE4_8422_2325 }

  /// A hash that goes on from another.
  public init(continuing value: UInt64) { self.value = value }

  /// Adds bytes.
  public mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.value = value
  }

  /// Adds bytes eight at a time, which gives another hash than one at a time.
  package mutating func add(words bytes: UnsafeRawBufferPointer) {
    var (value, place) = (value, 0)
    while place + 8 <= bytes.count {
      value =
        (value ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))) &* 0x100_0000_01B3
      value ^= value >> 32
      place += 8
    }
    self.value = value
    for byte in bytes[place...] { add(byte) }
  }

  /// Adds a byte.
  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Adds bytes.
  public mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { add($0) } }

  /// Adds a text's UTF-8.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add($0) }
  }

  /// A hash as files have it: 16 hexadecimal digits.
  public static func text(of value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Appends a hash as files have it.
  package static func append(_ value: UInt64, to out: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      for place in digits.indices {
        let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * place)) & 0xF
        digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
      }
      out.append(contentsOf: UnsafeBufferPointer(digits))
    }
  }

  /// The hash that a text of 16 hexadecimal digits stands for; nil where it is none.
  public static func value(of text: String) -> UInt64? {
    text.utf8.count == 16 && text.utf8.allSatisfy { $0 != UInt8(ascii: "+") } ? UInt64(text, radix: 16) : nil
  }
}
