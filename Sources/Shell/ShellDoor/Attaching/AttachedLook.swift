import StoreSchema
import StoreShell

/// The look of the line that is typed at an attached prompt. Its own part of it is there at once; the names of the store are
/// asked for over there, one line at a time, and come when they come.
struct AttachedLook {
  struct Line: Equatable {
    let text: String
    let cursor: Int
    let openLines: [String]
  }

  /// False where the session over there has switched them off.
  var showsHints = true
  var highlights = true
  private var line: Line?
  private var asked: (number: Int, line: Line)?
  private var answered: (line: Line, spans: [LineDecoration.Span], form: String?)?
  /// False where the door knows nothing of looks.
  private var mayAsk = true

  /// A line of more bytes is not asked about.
  private static let longest = 1 << 14

  /// The look of a line, as far as it is known.
  mutating func decoration(of line: Line, past: PastLineIndex) -> LineDecoration {
    self.line = line
    var look = LineDecoration()
    guard showsHints || highlights, !line.text.isEmpty else { return look }
    let typed = TypedLine(line.text, cursor: line.cursor, openLines: line.openLines)
    let known = answered?.line == line ? answered : nil
    if highlights { look.spans = known?.spans ?? (kept(for: line) + typed.spans) }
    // Where a word begins its form comes first, which may be on its way.
    if showsHints, typed.isAtEnd, known != nil || !mayAsk || !typed.beginsWord {
      look.hint = past.hint(behind: typed, form: known?.form.map { .form($0) })
    }
    return look
  }

  /// The line to ask about as the request of a number; nil: its look is known, or another is asked for.
  mutating func question(_ number: Int) -> Line? {
    guard mayAsk, asked == nil, showsHints || highlights, let line, !line.text.isEmpty, line != answered?.line,
      line.openLines.reduce(line.text.utf8.count, { $0 + $1.utf8.count }) <= Self.longest
    else { return nil }
    asked = (number, line)
    return line
  }

  /// Takes the answer to the question.
  ///
  /// - Returns: true if the message is that.
  mutating func take(_ message: DoorMessage) -> Bool {
    guard let asked, message["event"] == nil, message.number("id") == asked.number else { return false }
    self.asked = nil
    guard message["error"] == nil else {
      mayAsk = false
      return true
    }
    let end = asked.line.text.utf8.count
    let spans = message.list("styles").compactMap { span -> LineDecoration.Span? in
      guard case .int(let from)? = span.member("from"), case .int(let to)? = span.member("to"), 0 <= from, from < to,
        to <= end, let style = span.member("style")?.text.flatMap(LineDecoration.Style.init)
      else { return nil }
      return LineDecoration.Span(from..<to, style)
    }
    // A line that was entered meanwhile may have given names other meanings.
    if line != nil { answered = (asked.line, spans, message.text("form").map(SafeText.line)) }
    return true
  }

  /// Forgets the question: its answer does not come any more.
  mutating func loseAnswer() { asked = nil }

  /// Forgets the line, which was entered.
  mutating func forget() { (line, answered) = (nil, nil) }

  /// The parts of the line that look as they did before its last change.
  private func kept(for line: Line) -> [LineDecoration.Span] {
    guard let answered, answered.line.openLines == line.openLines else { return [] }
    let common = zip(answered.line.text.utf8, line.text.utf8).prefix { $0 == $1 }.count
    return answered.spans.filter { span in
      switch span.style {
      case .verb: span.bytes.upperBound < common
      // No name begins like that, so none does that is longer.
      case .unknown: span.bytes.upperBound <= common
      case .open, .bracket: false
      }
    }
  }
}
