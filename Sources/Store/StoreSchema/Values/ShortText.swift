/// A text of up to fifteen bytes in two words, as Swift keeps it in place. The bytes come first, then zeros, and in the
/// last byte the count plus a mark. Swift's way was found out by looking, and is checked again before use. Without it
/// row L2 takes 29 % more of the processor, and L3 25 %.
public struct ShortText {
  private let first: UInt64
  private let last: UInt64

  /// The mark of ASCII and of other text in place, in the upper half of the last byte.
  public struct Marks: Sendable {
    /// Of text that is ASCII.
    public let ascii: UInt8
    /// Of other text.
    public let other: UInt8
  }

  /// The marks; nil where texts are kept in another way.
  public static let marks: Marks? = {
    guard MemoryLayout<String>.size == 16, UInt16(1).littleEndian == 1 else { return nil }
    func bytes(_ text: String) -> [UInt8] { withUnsafeBytes(of: text) { Array($0) } }
    func isInPlace(_ text: String, _ mark: UInt8) -> Bool {
      let content = Array(text.utf8)
      return bytes(text) == content + [UInt8](repeating: 0, count: 15 - content.count) + [mark | UInt8(content.count)]
    }
    let (ascii, other) = (bytes("")[15] & 0xf0, bytes("é")[15] & 0xf0)
    let isASCIIInPlace = (0...15).allSatisfy { isInPlace(String(repeating: "x", count: $0), ascii) }
    let isOtherInPlace = ["é", "éé", "xxxxxxxxxxxxxé"].allSatisfy { isInPlace($0, other) }
    let elsewhere = bytes(String(repeating: "x", count: 16))[15] & 0xf0
    guard isASCIIInPlace, isOtherInPlace, elsewhere != ascii, elsewhere != other else { return nil }
    return Marks(ascii: ascii, other: other)
  }()

  /// The words of a text; nil where it is not kept in place.
  @inline(__always)
  init?(_ text: String) {
    guard let marks = Self.marks else { return nil }
    (first, last) = unsafeBitCast(text, to: (UInt64, UInt64).self)
    let mark = UInt8(truncatingIfNeeded: last >> 56) & 0xf0
    guard mark == marks.ascii || mark == marks.other else { return nil }
  }

  /// A text of up to fifteen bytes of ASCII; nil where they are something else, or texts are not kept in place.
  public static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard let marks, bytes.count <= 15 else { return nil }
    let words = words(bytes)
    guard (words.0 | words.1) & 0x8080_8080_8080_8080 == 0 else { return nil }
    return text(words, bytes.count, marks)
  }

  /// A text of up to fifteen bytes of ASCII, the first of sixteen that can be read; nil where texts are not kept in place.
  @inline(__always)
  static func text(at bytes: UnsafeRawPointer, count: Int) -> String? {
    guard let marks else { return nil }
    var (first, last) = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    if count < 8 {
      (first, last) = (first & (1 &<< UInt64(8 &* count) &- 1), 0)
    } else {
      last &= 1 &<< UInt64(8 &* (count &- 8)) &- 1
    }
    return text((first, last), count, marks)
  }

  @inline(__always)
  private static func text(_ words: (UInt64, UInt64), _ count: Int, _ marks: Marks) -> String {
    var words = (words.0, words.1 | UInt64(marks.ascii | UInt8(truncatingIfNeeded: count)) &<< 56)
    // Moved, not copied: a text in place has nothing that is counted, but a copy is.
    return withUnsafeMutablePointer(to: &words) {
      UnsafeMutableRawPointer($0).bindMemory(to: String.self, capacity: 1).move()
    }
  }

  /// Up to fifteen bytes with zeros behind them, read in a few overlapping pieces.
  @inline(__always)
  private static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
    guard let start = bytes.baseAddress else { return (0, 0) }
    let count = bytes.count
    func byte(_ index: Int) -> UInt64 {
      UInt64(start.load(fromByteOffset: index, as: UInt8.self)) &<< UInt64(8 &* index)
    }
    func word(_ offset: Int) -> UInt64 { start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    func half(_ offset: Int) -> UInt64 { UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    switch count {
    case 0: return (0, 0)
    case 1...3: return (byte(0) | byte(count &>> 1) | byte(count &- 1), 0)
    case 4...7: return (half(0) | half(count &- 4) &<< UInt64(8 &* (count &- 4)), 0)
    default: return (word(0), word(count &- 8) >> UInt64(8 &* (16 &- count)))
    }
  }

  /// Writes the bytes of a text to sixteen bytes of memory, those behind it with something. The text stays where it lies: to take it
  /// from there would be counted.
  ///
  /// - Parameter marks: ``marks``, which take a call.
  /// - Returns: the number of its bytes; nil, and nothing is written, where it is not kept in place.
  @inlinable
  @inline(__always)
  package static func write(at text: UnsafeRawPointer, to memory: UnsafeMutableRawPointer, _ marks: Marks?) -> Int? {
    guard let marks else { return nil }
    let last = text.load(fromByteOffset: 8, as: UInt64.self)
    let mark = UInt8(truncatingIfNeeded: last >> 56) & 0xf0
    guard mark == marks.ascii || mark == marks.other else { return nil }
    memory.storeBytes(of: text.load(as: UInt64.self), as: UInt64.self)
    memory.storeBytes(of: last, toByteOffset: 8, as: UInt64.self)
    return Int(truncatingIfNeeded: last >> 56) & 15
  }

  /// The bytes of a text where it lies; nil where it is not kept in place.
  @inlinable
  @inline(__always)
  package static func bytes(at text: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
    guard let marks else { return nil }
    let last = text.load(fromByteOffset: 15, as: UInt8.self)
    guard last & 0xf0 == marks.ascii || last & 0xf0 == marks.other else { return nil }
    return UnsafeRawBufferPointer(start: text, count: Int(last & 15))
  }

  /// A hash that is quicker than a good one.
  @inline(__always)
  public var quickHash: Int {
    let mixed = (first ^ last &* 0x9e37_79b9_7f4a_7c15) &* 0xbf58_476d_1ce4_e5b9
    return Int(truncatingIfNeeded: mixed >> 32)
  }
}
