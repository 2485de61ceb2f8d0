/// Shows a line while it is typed, by the names that Tab completes: commands and unknown names in colour, what comes next
/// dim.
struct LineDecorator {
  private let session: Session
  private let completer: Completer

  init(_ session: Session) {
    self.session = session
    completer = Completer(session)
  }

  /// The look of a line.
  ///
  /// - Parameters:
  ///   - cursor: the cursor's place in it, in UTF-8 bytes.
  ///   - openLines: the lines of the statement before this one.
  ///   - past: the statements that were entered before; nil: somebody else knows them.
  func decoration(of line: String, cursor: Int, openLines: [String], past: PastLineIndex? = nil) -> LineDecoration {
    var decoration = LineDecoration()
    guard session.settings.highlights || session.settings.showsHints, !line.isEmpty else { return decoration }
    let typed = TypedLine(line, cursor: cursor, openLines: openLines)
    if session.settings.highlights { decoration.spans = typed.spans(in: session) }
    if session.settings.showsHints, typed.isAtEnd {
      let form = completer.form(behind: typed.words).map { LineDecoration.Hint.form($0) }
      decoration.hint = past?.hint(behind: typed, form: form) ?? form
    }
    return decoration
  }
}
