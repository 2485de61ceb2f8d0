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

  /// Gives the bytes without checks of bounds in release.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { body(base) }

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

/// Bytes at integer positions.
package protocol Bytes: RandomAccessCollection where Element == UInt8, Index == Int, SubSequence: Bytes {}

extension ArraySlice: Bytes where Element == UInt8 {}
extension Slice: Bytes where Base == ByteView {}
