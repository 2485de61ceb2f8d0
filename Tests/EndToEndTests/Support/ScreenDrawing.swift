import TerminalSupport

/// What a terminal shows, as a picture in SVG.
struct ScreenDrawing {
  /// The rows.
  let rows: [[TerminalScreen.Cell]]
  /// What the picture shows, for a reader who does not see it.
  let title: String

  private static let (cellWidth, cellHeight, margin) = (8.4, 20, 16)

  /// The text of the file.
  var svg: String {
    let width = 2 * Self.margin + Int((Double(rows.map(\.count).max() ?? 0) * Self.cellWidth).rounded(.up))
    let height = 2 * Self.margin + rows.count * Self.cellHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img">
      <title>\(Self.escaped(title))</title>
      <style>
      text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6dbe3; white-space: pre }
      .s1 { font-weight: bold } .s2 { fill: #7d8590 }
      .s31 { fill: #ff8f85 } .s32 { fill: #7ee787 } .s33 { fill: #e3b341 } .s34 { fill: #79b8ff } .s35 { fill: #d2a8ff } .s36 { fill: #76e3ea }
      </style>
      <rect width="100%" height="100%" rx="8" fill="#161b22"/>

      """ + rows.enumerated().map { line($1, at: $0) }.joined() + "</svg>\n"
  }

  /// A row as runs of one style each; each stands where its column is, however wide the reader's font.
  private func line(_ cells: [TerminalScreen.Cell], at row: Int) -> String {
    var runs: [(style: [Int], column: Int, text: String)] = []
    for (column, cell) in cells.enumerated() {
      guard let character = cell.character else { continue }
      if runs.last?.style == cell.style {
        runs[runs.count - 1].text.append(character)
      } else {
        runs.append((cell.style, column, String(character)))
      }
    }
    let baseline = Self.margin + row * Self.cellHeight + 14
    return runs.filter { !$0.text.allSatisfy { $0 == " " } }.map { run in
      let names = run.style.map { "s\($0)" }.joined(separator: " ")
      let style = names.isEmpty ? "" : " class=\"\(names)\""
      let left = (Double(Self.margin) + Double(run.column) * Self.cellWidth).rounded()
      return "<text x=\"\(Int(left))\" y=\"\(baseline)\"\(style)>\(Self.escaped(run.text))</text>\n"
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
