import CReadline
import StoreShell

/// The list of candidates that an ambiguous Tab shows: in columns, read downwards, as wide as the terminal allows; where
/// they have meanings, one a row.
struct CandidateList {
  private let candidates: [LineCompletion.Candidate]
  private let rest: LineCompletion.Rest?

  init(_ candidates: [LineCompletion.Candidate], rest: LineCompletion.Rest? = nil) {
    // A value of the state, or a plugin's words, may hold what commands a terminal.
    self.candidates = candidates.map { candidate in
      var shown = candidate
      shown.display = Self.shown(candidate.display)
      shown.meaning = candidate.meaning.map(Self.shown)
      return shown
    }
    self.rest = rest
  }

  /// The list as whole lines. A last line counts the candidates that do not fit on the screen.
  func text(rows: Int, columns: Int) -> String {
    let widths = candidates.map { Self.width($0.display) }
    let cell = (widths.max() ?? 0) + 2
    let hasMeanings = candidates.contains { $0.meaning != nil }
    let across = hasMeanings ? 1 : max(1, (columns + 1) / cell)
    let most = max(3, rows - 3)
    let all = (candidates.count + across - 1) / across
    let down = min(all, most)
    let shown = min(candidates.count, down * across)
    var lines = (0..<down).map { row in
      var line = ""
      for index in stride(from: row, to: shown, by: down) {
        line += candidates[index].display
        let padding = String(repeating: " ", count: cell - widths[index])
        if let meaning = candidates[index].meaning {
          line += padding + Self.cut(meaning, to: columns - cell)
        } else if index + down < shown {
          line += padding
        }
      }
      return line
    }
    let hidden = hidden(behind: shown)
    if hidden != 0 { lines.append("\(Self.cutMark) and \(hidden.map { "\($0) " } ?? "")more" + advice) }
    return lines.joined(separator: "\n")
  }

  /// The list behind a note, as much of it as fits in a row; where none does, the advice makes room.
  func row(behind note: String, columns: Int) -> String {
    if let row = row(behind: note, columns, advice) ?? row(behind: note, columns, "") { return row }
    return candidates.isEmpty && rest == nil ? note : note + tail(leftOut: candidates.count, advice)
  }

  /// - Returns: nil where no candidate fits.
  private func row(behind note: String, _ columns: Int, _ advice: String) -> String? {
    var row = note
    var width = Self.width(note)
    var shown = 0
    for candidate in candidates {
      let meaning = candidate.meaning.map { "  \($0)" } ?? ""
      let text = (shown == 0 ? "   " : "     ") + candidate.display + meaning
      let isLast = shown + 1 == candidates.count && rest == nil
      let tail = isLast ? 0 : Self.width(self.tail(leftOut: candidates.count - shown - 1, advice))
      guard width + Self.width(text) + tail <= columns else { break }
      row += text
      width += Self.width(text)
      shown += 1
    }
    let leftOut = candidates.count - shown
    guard shown > 0 else { return nil }
    return leftOut == 0 && rest == nil ? row : row + tail(leftOut: leftOut, advice)
  }

  private func tail(leftOut: Int, _ advice: String) -> String {
    return "     \(Self.cutMark) \(hidden(behind: candidates.count - leftOut).map { "\($0) " } ?? "")more" + advice
  }

  /// The number of those that are not among the first; nil: there may be some, nobody has counted them.
  private func hidden(behind shown: Int) -> Int? {
    guard let rest else { return candidates.count - shown }
    return rest.count.map { candidates.count - shown + $0 }
  }

  private var advice: String { rest.map { "; \($0.advice)" } ?? "" }

  /// The start of a text, up to its first clause, where all of it has no room.
  private static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    let clause = String(text.prefix { $0 != ";" })
    guard width(clause) > columns else { return clause }
    var cut = ""
    for character in clause where width(cut) + width(String(character)) + width(cutMark) <= columns {
      cut.append(character)
    }
    return cut.isEmpty ? "" : cut + cutMark
  }

  /// Stands where something is left out.
  private static var cutMark: String { creadline_is_multibyte() ? "…" : "..." }

  /// A text as it takes its own columns of a row: no tab goes on to a column of the terminal's.
  private static func shown(_ text: String) -> String { SafeText.line(text).replacing("\t", with: "\\t") }

  /// Screen columns that a text takes.
  static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + Int(creadline_width($1.value)) }
  }
}
