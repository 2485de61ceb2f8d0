import StoreSchema

/// Turns errors into text, in one place: where, what, the line with a caret under the fault, details, a hint.
public struct ErrorRenderer: Sendable {
  /// The name under which the statements' file is reported: a path, `-c` or `stdin`; nil at the prompt.
  public var file: String?
  /// The marks of the word `error`.
  public var marks: StyleMarks
  /// The columns of the terminal that errors go to, so that a caret stays below its place; nil: there is none.
  public var columns: Int?
  /// True if more than ASCII can be shown.
  public var isUTF8 = true

  /// A `source` command that led to the statement.
  public struct Origin: Hashable, Sendable {
    /// The file that the command stands in.
    public let file: String
    /// Its line.
    public let line: Int

    /// Makes an origin.
    public init(file: String, line: Int) {
      self.file = file
      self.line = line
    }
  }

  /// Makes a renderer.
  public init(file: String?, marks: StyleMarks = .none) {
    self.file = file
    self.marks = marks
  }

  /// The error's lines, each ended.
  ///
  /// - Parameter chain: the `source` commands that led to the statement, the nearest first.
  public func text(of error: ShellError, in statement: Statement, sourcedFrom chain: [Origin] = []) -> String {
    var out = ""
    // To Swift, "\r\n" is one character, not a "\n".
    let lines = statement.text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    switch error.place {
    case .command:
      appendHead(error.code, error.message, line: statement.line, column: 1, to: &out)
      if file != nil { appendLine(lines[0], to: &out) }
    case .line:
      appendHead(error.code, error.message, line: statement.line, column: nil, to: &out)
    case .span(let span):
      appendHead(error.code, error.message, line: statement.line + span.line, column: span.column, to: &out)
      if span.line < lines.count { appendMarkedLine(lines[span.line], span.column, span.width, to: &out) }
    }
    for detail in error.details { appendIndented(detail, to: &out) }
    if let hint = error.hint { appendIndented("hint: " + hint, to: &out) }
    append(chain, to: &out)
    return out
  }

  /// The lines of an error that belongs to no statement, such as a missing file.
  public func text(of error: ShellError) -> String {
    var out = file.map { "\(DisplayText.printable($0)): " } ?? ""
    appendMessage(error.code, error.message, from: DisplayWidth.of(out), to: &out)
    for detail in error.details { appendIndented(detail, to: &out) }
    if let hint = error.hint { appendIndented("hint: " + hint, to: &out) }
    return out
  }

  /// The lines of a syntax fault, each ended.
  public func text(of fault: SyntaxFault, sourcedFrom chain: [Origin] = []) -> String {
    var out = ""
    appendHead(fault.code, fault.message, line: fault.line, column: fault.column, to: &out)
    if !fault.text.isEmpty { appendMarkedLine(fault.text[...], fault.column, fault.width, to: &out) }
    append(chain, to: &out)
    return out
  }

  private func appendHead(_ code: ErrorCode, _ message: String, line: Int, column: Int?, to out: inout String) {
    var head = ""
    if let file {
      head = "\(DisplayText.printable(file)):\(line):"
      if let column { head += "\(column):" }
      head += " "
    }
    out += head
    appendMessage(code, message, from: DisplayWidth.of(head), to: &out)
  }

  /// Messages quote what users and plugins wrote: none of its control characters reaches the terminal.
  private func appendMessage(_ code: ErrorCode, _ message: String, from column: Int, to out: inout String) {
    out += tag(code)
    let start = column + DisplayWidth.of("error[\(code)]: ")
    for (index, line) in Excerpt.lines(of: message).enumerated() {
      if index > 0 { out += "  " }
      out += WrappedText.hanging(shown(line), from: index == 0 ? start : 2, indentation: 2, width: columns) + "\n"
    }
  }

  private func tag(_ code: ErrorCode) -> String { marks.paint("error[\(code)]:", .error) + " " }

  private func appendLine(_ line: Substring, to out: inout String) {
    out += "  "
    out += DisplayText.printable(Excerpt.of(line))
    out += "\n"
  }

  private func appendMarkedLine(_ line: Substring, _ column: Int, _ width: Int, to out: inout String) {
    let (before, marked, after) = Excerpt.around(column, width, in: line, columns: columns.map { $0 - 3 })
    out += "  \(DisplayText.printable(before + marked + after))\n"
    guard width > 0 else { return }
    out += "  "
    for character in before {
      // A tab is as wide as the terminal makes it: the same tab stands above the caret.
      if character == "\t" {
        out += "\t"
      } else {
        out += String(repeating: " ", count: DisplayWidth.of(DisplayText.printable(String(character))))
      }
    }
    out += "^" + String(repeating: "~", count: max(0, DisplayWidth.of(DisplayText.printable(marked)) - 1)) + "\n"
  }

  private func appendIndented(_ text: String, to out: inout String) {
    for line in Excerpt.lines(of: text) {
      // What stands in columns stays so.
      let text = shown(line)
      let width = text.contains("   ") ? nil : columns
      out += "  " + WrappedText.hanging(text, from: 2, indentation: 4, width: width) + "\n"
    }
  }

  private func shown(_ line: some StringProtocol) -> String {
    DisplayText.shown(DisplayText.printable(String(line)), isUTF8: isUTF8)
  }

  private func append(_ chain: [Origin], to out: inout String) {
    let lines = chain.map { "  in file sourced from \(DisplayText.printable($0.file)):\($0.line)\n" }
    // Files that source each other without end repeat themselves.
    let ends = 4
    guard lines.count > 2 * ends + 1 else { return out += lines.joined() }
    out += lines.prefix(ends).joined()
    out += "  ... (\(lines.count - 2 * ends) more files)\n"
    out += lines.suffix(ends).joined()
  }
}
