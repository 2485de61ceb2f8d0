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

  /// The end of the bytes from a position on that are in a set.
  @inline(__always)
  func end(of set: ByteSet, from position: Int) -> Int {
    var position = position
    while position < base.count, set.contains(base[position]) { position += 1 }
    return position
  }

  /// The end of the spaces from a position on.
  @inline(__always)
  func end(ofSpacesFrom position: Int) -> Int {
    var position = position
    while position < base.count, base[position] == 0x20 { position += 1 }
    return position
  }

  /// The position of the first byte from one on that does not mean itself in double quotes: a quote, `\\`, `$` or a line end.
  ///
  /// - Parameter isASCII: true to stop at bytes that are not ASCII, too.
  @inline(__always)
  func end(ofQuotedFrom position: Int, isASCII: Bool = false) -> Int {
    var position = position
    // Eight bytes at a time: the lowest byte that is found is right, and those above it may not be.
    while position + 8 <= base.count, let start = base.baseAddress {
      let word = UInt64(littleEndian: UnsafeRawPointer(start + position).loadUnaligned(as: UInt64.self))
      var found = isASCII ? word & Self.highBits : 0
      found |= Self.bytes(in: word, like: UInt8(ascii: "\"")) | Self.bytes(in: word, like: UInt8(ascii: "\\"))
      found |= Self.bytes(in: word, like: UInt8(ascii: "$")) | Self.bytes(in: word, like: 0x0A)
      if found != 0 { return position + found.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < base.count {
      switch base[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), 0x0A: return position
      case 0x80... where isASCII: return position
      default: position += 1
      }
    }
    return position
  }

  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// The high bits of the bytes that equal one, and perhaps of some above the lowest of these.
  @inline(__always)
  private static func bytes(in word: UInt64, like byte: UInt8) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let zeros = word ^ (ones &* UInt64(byte))
    return (zeros &- ones) & ~zeros & highBits
  }

  /// A word whose value is its bytes, and which a blank or a line end follows.
  struct PlainWord {
    let begin: Int
    /// The position of the `=` behind its name; the word's own where it has no name.
    var nameEnd: Int
    var value: Int
    var valueEnd: Int
    var end: Int
    var isQuoted = false
  }

  /// The word at a position; nil: it takes a closer look.
  @inline(__always)
  func plainWord(from first: Int) -> PlainWord? {
    var end = self.end(of: .names, from: first)
    var word = PlainWord(begin: first, nameEnd: first, value: first, valueEnd: first, end: first)
    if end > first, end < base.count, base[end] == UInt8(ascii: "="), !base[first].isDigit {
      word.nameEnd = end
      end += 1
      word.value = end
    }
    if end == word.value, end < base.count, base[end] == UInt8(ascii: "\"") {
      (word.value, word.isQuoted) = (end + 1, true)
      end = self.end(ofQuotedFrom: end + 1)
      guard end < base.count, base[end] == UInt8(ascii: "\"") else { return nil }
      word.valueEnd = end
      end += 1
    } else {
      end = self.end(of: .plain, from: end)
      // A flag, or what ends a statement elsewhere.
      if end == first || base[end - 1] == UInt8(ascii: "&") { return nil }
      if base[first] == UInt8(ascii: "-"), end > first + 1, base[first + 1] == UInt8(ascii: "-") { return nil }
      word.valueEnd = end
    }
    word.end = end
    guard end < base.count, base[end] == 0x20 || base[end] == 0x0A else { return nil }
    return word
  }

  /// The end of the digits that begin at a position, perhaps with a sign before them and points between them.
  func end(ofNumberFrom first: Int) -> Int {
    var end = first
    if end < base.count, base[end] == UInt8(ascii: "-") { end += 1 }
    while end < base.count, base[end].isDigit || base[end] == UInt8(ascii: ".") { end += 1 }
    return end
  }

  /// True if a part is a number of digits.
  func isNumber(_ range: Range<Int>) -> Bool {
    guard let last = range.last, base[last].isDigit else { return false }
    return end(ofNumberFrom: range.lowerBound) >= range.upperBound
  }

  /// The number that up to 18 digits at a position say, perhaps behind a minus, and passes them; nil: there are none, or more.
  @inline(__always)
  func integer(from position: inout Int) -> Int? {
    var end = position
    let isNegative = end < base.count && base[end] == UInt8(ascii: "-")
    if isNegative { end += 1 }
    let first = end
    var number = 0
    while end < base.count, base[end].isDigit {
      number = number &* 10 &+ Int(base[end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard 1...18 ~= end - first else { return nil }
    position = end
    return isNegative ? -number : number
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

/// Some of the bytes that are ASCII.
enum ByteSet: UInt8 {
  /// Those of names: letters, digits and `_`.
  case names = 1
  /// Those that mean themselves wherever they stand in a word: letters, digits and `()*+-./:!%&=?@^_~`.
  case plain = 2

  /// A character for each byte, whose low bits tell the sets that have it: a table that stands in the program as it is.
  private static var table: StaticString {
    """
    @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\
    @B@@@BB@BBBB@BBBCCCCCCCCCCB@@B@B\
    BCCCCCCCCCCCCCCCCCCCCCCCCCC@@@BC\
    @CCCCCCCCCCCCCCCCCCCCCCCCCC@@@B@
    """
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool { byte < 0x80 && Self.table.utf8Start[Int(byte)] & rawValue != 0 }
}

/// Bytes at integer positions.
package protocol Bytes: RandomAccessCollection where Element == UInt8, Index == Int, SubSequence: Bytes {}

extension ArraySlice: Bytes where Element == UInt8 {}
extension Slice: Bytes where Base == ByteView {}
