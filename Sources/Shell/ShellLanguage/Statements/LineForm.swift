import Glibc

/// The form of a plain statement of one line: its bytes without the values of its arguments. A line of the same form differs in
/// values alone, and has the same names. The form is that of a line of the text: it holds where the line's parts stand there.
struct LineForm {
  /// A value in the line.
  private struct Slot {
    var first = 0
    var end = 0
    var isQuoted = false
    /// True if it is a number: a line whose value there is none has another form, since it may not fit.
    var isNumber = false
  }

  // In place: a form is looked at for every line, and an array would be counted.
  private var slots = InlineArray<8, Slot>(repeating: Slot())
  private var count = 0
  private let start: Int
  private let end: Int
  private let maximumLength: Int

  /// The form of a plain statement; nil: it takes more than one line, ends the text, or has many values.
  ///
  /// - Parameters:
  ///   - start: the start of the statement.
  ///   - end: its line end.
  init?(_ view: ByteView, _ tokens: Tokens, from start: Int, to end: Int, maximumLength: Int) {
    guard end < view.count, view[end] == 0x0A else { return nil }
    (self.start, self.end, self.maximumLength) = (start, end, maximumLength)
    for index in 0..<tokens.count {
      let token = tokens[index]
      let (first, last) = (start + token.value.lowerBound, start + token.value.upperBound)
      let isQuoted = token.form == .text
      if isQuoted, view[first - 1] != UInt8(ascii: "\"") { continue }
      let isNumber = !isQuoted && view.isNumber(first..<last)
      switch token.kind {
      case .named: break
      // Another word would be a name.
      case .value where index > 1 && (isQuoted || isNumber): break
      case .value, .flag: continue
      }
      guard count < slots.count else { return nil }
      slots[count] = Slot(first: first, end: last, isQuoted: isQuoted, isNumber: isNumber)
      count += 1
    }
  }

  /// The line end of a statement of this form that begins at a position of the same text; nil: none does, or it takes a closer look.
  func lineEnd(in view: ByteView, from start: Int) -> Int? {
    var (position, passed) = (start, self.start)
    for index in 0..<count {
      let slot = slots[index]
      guard view.has(passed..<slot.first, at: position) else { return nil }
      position += slot.first - passed
      passed = slot.end
      let first = position
      if slot.isQuoted {
        position = view.end(ofQuotedFrom: first)
        guard view.isASCII(first..<position) else { return nil }
      } else if slot.isNumber {
        position = view.end(ofNumberFrom: first)
        guard view.isNumber(first..<position) else { return nil }
      } else {
        position = view.end(of: .plain, from: first)
        guard !view.isNumber(first..<position), view[position - 1] != UInt8(ascii: "&") else { return nil }
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
