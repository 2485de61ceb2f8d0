import Glibc
import StoreSchema
import Synchronization

/// The form of a plain statement of one line: its bytes without the values of its arguments. A line of the same form differs in
/// values alone, each of which is right if that of the first line is. The form is that of a line of the text: it holds where the
/// line's parts stand there.
final class LineForm: Sendable {
  private struct Slot {
    let first: Int
    let end: Int
    let words: Words
    let token: Int
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

  /// Tells the form from all others.
  let number: Int
  private static let count = Atomic<Int>(0)
  private let slots: [Slot]
  /// The tokens of the first line. In memory of its own: a field would be copied, and counted, before it is taken over. No thread changes
  /// it once the form is made.
  nonisolated(unsafe) private let tokens: UnsafeMutablePointer<Tokens>
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
    var slots: [Slot] = []
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
      guard slots.count < 8 else { return nil }
      slots.append(Slot(first: first, end: last, words: words, token: index))
    }
    (self.start, self.end, self.maximumLength) = (start, end, maximumLength)
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    self.slots = slots
    self.tokens = .allocate(capacity: 1)
    self.tokens.initialize(to: tokens)
    self.tokens.pointee.form = number
  }

  deinit {
    tokens.deinitialize(count: 1)
    tokens.deallocate()
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
  func lineEnd(in view: ByteView, from start: Int) -> Int? { lineEnd(in: view, from: start) { _, _ in } }

  /// The same, and its tokens.
  func lineEnd(in view: ByteView, from start: Int, _ found: inout Tokens) -> Int? {
    // The tokens before the first value are those of the first line.
    var (shift, next) = (0, 0)
    let end = lineEnd(in: view, from: start) { token, growth in
      if next == 0 { found.take(tokens) }
      if shift != 0 { for index in next..<token { found.shift(index, by: shift, growth: 0) } }
      if shift != 0 || growth != 0 { found.shift(token, by: shift, growth: growth) }
      (shift, next) = (shift + growth, token + 1)
    }
    guard end != nil else { return nil }
    if next == 0 { found.take(tokens) }
    if shift != 0 { for index in next..<found.count { found.shift(index, by: shift, growth: 0) } }
    return end
  }

  /// - Parameter note: gets the token of each value, and by how much that is longer than that of the first line.
  @inline(__always)
  private func lineEnd(in view: ByteView, from start: Int, _ note: (Int, Int) -> Void) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      var (position, passed) = (start, self.start)
      for slot in slots {
        guard view.has(passed..<slot.first, at: position) else { return nil }
        position += slot.first - passed
        passed = slot.end
        let first = position
        switch slot.words {
        case .quoted:
          // Behind another byte than ASCII the quote is missing here.
          position = view.end(ofQuotedFrom: first, isASCII: true)
        case .plain:
          position = view.end(of: .plain, from: first)
          guard view[position - 1] != UInt8(ascii: "&") else { return nil }
        case .numbers:
          position = view.end(ofNumberFrom: first)
          guard view.isNumber(first..<position) else { return nil }
        case .integers(let minimum, let maximum):
          guard let number = view.integer(from: &position), number >= minimum, number <= maximum else { return nil }
        }
        note(slot.token, position - first - (slot.end - slot.first))
      }
      guard view.has(passed..<end + 1, at: position) else { return nil }
      let end = position + self.end - passed
      return end - start <= maximumLength ? end : nil
    }
  }
}

/// The forms of the latest lines of a text.
struct LineForms {
  private var forms: [LineForm] = []
  private var oldest = 0
  /// Falls with each line that is of none of them, and rises with each that is: where lines have little in common, to look at the
  /// forms would cost more than to read the line.
  private var credit = 64

  /// True if it is worth to look at them.
  var areTried: Bool { credit > 0 }

  mutating func add(_ form: LineForm) {
    if forms.count < 8 { forms.append(form) } else { forms[oldest] = form }
    oldest = (oldest + 1) % 8
  }

  /// The line end of a statement of one of the forms; nil: none begins there.
  func lineEnd(in view: ByteView, from start: Int) -> Int? { first { $0.lineEnd(in: view, from: start) } }

  /// The same, and its tokens; nil also where the forms are not tried.
  mutating func lineEnd(in view: ByteView, from start: Int, _ tokens: inout Tokens) -> Int? {
    guard areTried else { return nil }
    let end = first { $0.lineEnd(in: view, from: start, &tokens) }
    credit = end == nil ? credit - 1 : min(credit + 1, 64)
    return end
  }

  @inline(__always)
  private func first(_ look: (LineForm) -> Int?) -> Int? {
    for index in forms.indices {
      // Not counted: they stay as long as this.
      if let end = Unmanaged.passUnretained(forms[index])._withUnsafeGuaranteedRef(look) { return end }
    }
    return nil
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
