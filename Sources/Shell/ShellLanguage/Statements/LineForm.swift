import Glibc
import StoreSchema

/// The form of a plain statement of one line: its bytes without the values of its arguments. A line of the same form differs in
/// values alone, each of which is right if that of the first line is. The form is that of a line of the text: it holds where the
/// line's parts stand there.
struct LineForm {
  /// A value in the line.
  private struct Slot {
    var first = 0
    var end = 0
    var words = Words.plain
  }

  /// The words that may stand in the place of a value.
  private enum Words {
    /// Those without quotes.
    case plain
    /// Those in double quotes.
    case quoted
    /// Numbers of digits: another word without quotes and a name could be more than a value.
    case numbers
    /// Integers of up to 18 digits within bounds.
    case integers(minimum: Int, maximum: Int)
  }

  // In place: a form is looked at for every line, and an array would be counted.
  private var slots = InlineArray<8, Slot>(repeating: Slot())
  private var count = 0
  private let start: Int
  private let end: Int
  private let maximumLength: Int

  /// The form of a plain statement; nil: it takes more than one line, ends the text, has many values, or one of a type whose values
  /// take a closer look.
  ///
  /// - Parameters:
  ///   - start: the start of the statement.
  ///   - end: its line end.
  ///   - values: tells of its values. A word without a type is a part of the form.
  init?(
    _ view: ByteView, _ tokens: Tokens, _ values: PlainLine.Values, from start: Int, to end: Int, maximumLength: Int
  ) {
    guard end < view.count, view[end] == 0x0A else { return nil }
    (self.start, self.end, self.maximumLength) = (start, end, maximumLength)
    for index in 0..<tokens.count {
      let token = tokens[index]
      let (first, last) = (start + token.value.lowerBound, start + token.value.upperBound)
      let isNumber = token.form == .bare && view.isNumber(first..<last)
      let words: Words
      switch values {
      case .types(let types):
        guard index < types.count, let type = types[index] else { continue }
        guard let set = Self.words(like: token, view, first, of: type.plainSet, isNumber: isNumber) else { return nil }
        words = set
      case .unchecked:
        guard token.kind == .named || token.kind == .value && index > 1,
          let set = Self.words(like: token, view, first, of: .texts, isNumber: isNumber)
        else { continue }
        words = set
      }
      guard count < slots.count else { return nil }
      slots[count] = Slot(first: first, end: last, words: words)
      count += 1
    }
  }

  /// The words that may stand in the place of a value; nil: they take a closer look.
  private static func words(
    like token: Token, _ view: ByteView, _ first: Int, of set: Schema.PlainSet?, isNumber: Bool
  ) -> Words? {
    switch (set, token.form) {
    case (.texts?, .text): view[first - 1] == UInt8(ascii: "\"") ? .quoted : nil
    case (.texts?, .bare): token.kind == .named ? .plain : isNumber ? .numbers : nil
    case (.integers(let minimum, let maximum)?, .bare): .integers(minimum: minimum, maximum: maximum)
    default: nil
    }
  }

  /// The line end of a statement of this form that begins at a position of the same text; nil: none does, or it takes a closer look.
  // Mutating, so that it is looked at in place: a copy of a form is large.
  mutating func lineEnd(in view: ByteView, from start: Int) -> Int? {
    var (position, passed) = (start, self.start)
    for index in 0..<count {
      let slot = slots[index]
      guard view.has(passed..<slot.first, at: position) else { return nil }
      position += slot.first - passed
      passed = slot.end
      let first = position
      switch slot.words {
      case .quoted:
        position = view.end(ofQuotedFrom: first)
        guard view.isASCII(first..<position) else { return nil }
      case .plain:
        position = view.end(of: .plain, from: first)
        guard view[position - 1] != UInt8(ascii: "&") else { return nil }
      case .numbers:
        position = view.end(ofNumberFrom: first)
        guard view.isNumber(first..<position) else { return nil }
      case .integers(let minimum, let maximum):
        position = view.end(ofNumberFrom: first)
        guard let number = view.integer(first..<position), number >= minimum, number <= maximum else { return nil }
      }
    }
    guard view.has(passed..<end + 1, at: position) else { return nil }
    let end = position + self.end - passed
    return end - start <= maximumLength ? end : nil
  }
}

extension ByteView {
  /// True if the bytes of a part of it stand at a position, too.
  fileprivate func has(_ part: Range<Int>, at position: Int) -> Bool {
    withUnsafeBytes { view in
      guard part.count <= view.count - position, let view = view.baseAddress else { return false }
      return memcmp(view + part.lowerBound, view + position, part.count) == 0
    }
  }
}
