#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// The end of the line that starts at a position, where a letter starts it and nothing follows but letters, digits, dots,
  /// dashes, underscores and spaces; nil for other lines and for one that has no end.
  func endOfPlainLine(from start: Int) -> Int? {
    guard start < base.count, base[start].isNameByte, !base[start].isDigit else { return nil }
    var position = start
    while position < base.count, ByteView.isPlain(base[position]) { position += 1 }
    return position < base.count && base[position] == 0x0A ? position : nil
  }

  /// Whether the same bytes stand at another position too.
  func hasSame(_ range: Range<Int>, at position: Int) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= base.count && position >= 0)
    guard let start = base.baseAddress, position + range.count <= base.count else { return false }
    return memcmp(start + range.lowerBound, start + position, range.count) == 0
  }

  /// Whether a byte is one of those that plain lines are made of: each has a bit.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    let marks: UInt64 = 1 << 0x20 | 1 << 0x2D | 1 << 0x2E
    let digits: UInt64 = 0x3FF << 0x30
    let letters: UInt64 = 0x3FF_FFFF << 0x01 | 0x3FF_FFFF << 0x21
    let underscore: UInt64 = 1 << 0x1F
    let bits = byte < 64 ? marks | digits : letters | underscore
    return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
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
