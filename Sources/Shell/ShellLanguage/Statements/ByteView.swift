import StoreSchema

/// Bytes of someone else, with bounds checked and without a count of references. The reader of statements looks at each
/// byte more than once, and retaining an array each time took most of its time.
///
/// A view is only used while the bytes stand still, inside `withUnsafeBufferPointer`.
package struct ByteView: Bytes {
  private let base: UnsafeBufferPointer<UInt8>

  package init(_ base: UnsafeBufferPointer<UInt8>) { self.base = base }

  package var startIndex: Int { 0 }
  package var endIndex: Int { base.count }

  package subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < base.count)
    return base[position]
  }

  package func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try body(base)
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { body(base) }

  /// A copy of a part of the bytes.
  func bytes(_ range: Range<Int>) -> [UInt8] { Array(part(range)) }

  /// The end of the bytes from a position on that are in a set.
  func end(of set: ByteSet, from position: Int) -> Int {
    var position = position
    while position < base.count, set.contains(base[position]) { position += 1 }
    return position
  }

  /// The number of characters that a part is.
  func characters(_ range: Range<Int>) -> Int { isASCII(range) ? range.count : text(range).count }

  /// A part of the bytes as text; what is not UTF-8 is replaced.
  package func text(_ range: Range<Int>) -> String {
    let part = part(range)
    return ShortText.text(UnsafeRawBufferPointer(part)) ?? String(decoding: part, as: UTF8.self)
  }

  /// A part of the bytes as text; nil where it is not UTF-8.
  package func validText(_ range: Range<Int>) -> String? {
    isASCII(range) ? text(range) : String(validating: part(range), as: UTF8.self)
  }

  package func isASCII(_ range: Range<Int>) -> Bool { part(range).reduce(0, |) < 0x80 }

  /// The position of a byte at or behind another; nil where there is none.
  package func first(_ byte: UInt8, from position: Int) -> Int? {
    part(position..<base.count).firstIndex(of: byte).map { $0 + position }
  }

  private func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= base.count)
    return UnsafeBufferPointer(rebasing: base[range])
  }
}

/// Some of the bytes that are ASCII, a bit for each.
struct ByteSet {
  private let low: UInt64
  private let high: UInt64

  /// Those that mean themselves wherever they stand in a word: letters, digits and `()*+-./:!%&=?@^_~`.
  static var plain: ByteSet { ByteSet(low: 0xA7FF_EF62_0000_0000, high: 0x47FF_FFFE_C7FF_FFFF) }
  /// Those of names: letters, digits and `_`.
  static var names: ByteSet { ByteSet(low: 0x03FF_0000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    byte < 0x80 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
  }
}

/// Bytes at integer positions.
package protocol Bytes: RandomAccessCollection where Element == UInt8, Index == Int, SubSequence: Bytes {}

extension ArraySlice: Bytes where Element == UInt8 {}
extension Slice: Bytes where Base == ByteView {}
