import CReadline
import StoreShell

/// The list of candidates that an ambiguous Tab shows: in columns, read downwards, as wide as the terminal allows.
struct CandidateList {
  let displays: [String]

  init(_ candidates: [LineCompletion.Candidate]) {
    displays = candidates.map(\.display)
  }

  /// The list as whole lines. A last line counts the candidates that do not fit on the screen.
  func text(rows: Int, columns: Int) -> String {
    let widths = displays.map(Self.width)
    let cell = (widths.max() ?? 0) + 2
    let across = max(1, (columns + 1) / cell)
    let most = max(3, rows - 3)
    let all = (displays.count + across - 1) / across
    let down = min(all, most)
    let shown = min(displays.count, down * across)
    var lines = (0..<down).map { row in
      var line = ""
      for index in stride(from: row, to: shown, by: down) {
        line += displays[index]
        if index + down < shown { line += String(repeating: " ", count: cell - widths[index]) }
      }
      return line
    }
    if shown < displays.count { lines.append("... and \(displays.count - shown) more") }
    return lines.joined(separator: "\n")
  }

  /// Screen columns that a text takes.
  static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + Int(creadline_width($1.value)) }
  }
}
