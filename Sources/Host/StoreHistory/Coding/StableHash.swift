import StoreSchema

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
  static func append(_ value: UInt64, to out: inout some ByteSink & ~Copyable) {
    let digits = (digits(of: value >> 32).bigEndian, digits(of: value & 0xFFFF_FFFF).bigEndian)
    withUnsafeBytes(of: digits) { $0.withMemoryRebound(to: UInt8.self) { out.append($0) } }
  }

  /// The eight digits of a number of 32 bits, the last one in the lowest byte. They are put apart by halves.
  private static func digits(of number: UInt64) -> UInt64 {
    var digits = (number << 16 | number) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    let areLetters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ areLetters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "9") - 1)
  }

  /// The hash that a text of 16 hexadecimal digits stands for; nil where it is none.
  public static func value(of text: String) -> UInt64? {
    text.utf8.count == 16 && text.utf8.allSatisfy { $0 != UInt8(ascii: "+") } ? UInt64(text, radix: 16) : nil
  }
}
