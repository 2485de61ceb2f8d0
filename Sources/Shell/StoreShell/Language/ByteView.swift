/// Bytes of someone else, with bounds checked and without a count of references: the reader of statements looks at each
/// byte more than once, and retaining an array each time took most of its time.
///
/// A view is only used while the bytes stand still, inside `withUnsafeBufferPointer`.
struct ByteView: Bytes {
  private let base: UnsafeBufferPointer<UInt8>

  init(_ base: UnsafeBufferPointer<UInt8>) { self.base = base }

  var startIndex: Int { 0 }
  var endIndex: Int { base.count }

  subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < base.count)
    return base[position]
  }

  func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try body(base)
  }

  /// A part of the bytes as text; what is not UTF-8 is replaced.
  func text(_ range: Range<Int>) -> String { String(decoding: part(range), as: UTF8.self) }

  /// A part of the bytes as text; nil where it is not UTF-8.
  func validText(_ range: Range<Int>) -> String? {
    isASCII(range) ? text(range) : String(validating: part(range), as: UTF8.self)
  }

  func isASCII(_ range: Range<Int>) -> Bool { part(range).reduce(0, |) < 0x80 }

  /// The position of a byte at or behind another; nil where there is none.
  func first(_ byte: UInt8, from position: Int) -> Int? {
    part(position..<base.count).firstIndex(of: byte).map { $0 + position }
  }

  private func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= base.count)
    return UnsafeBufferPointer(rebasing: base[range])
  }
}

/// Bytes at integer positions.
protocol Bytes: RandomAccessCollection where Element == UInt8, Index == Int, SubSequence: Bytes {}

extension ArraySlice: Bytes where Element == UInt8 {}
extension Slice: Bytes where Base == ByteView {}
