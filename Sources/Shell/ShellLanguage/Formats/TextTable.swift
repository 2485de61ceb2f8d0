import StoreSchema

/// A table in the making: cells as text, measured as they come, so that each is formatted once.
package struct TextTable: ~Copyable {
  private let heads: [String]
  private var widths: [Int]
  private var cells = TextBuffer()
  /// For each cell, where its text ends and how many columns it takes.
  private var measures: [(end: Int, columns: Int)] = []
  private var nextColumn = 0

  package init(heads: [String]) {
    self.heads = heads.map { DisplayText.printable($0) }
    widths = self.heads.map { DisplayWidth.of($0) }
  }

  /// Appends the next cell of the row, or the first of the next.
  package mutating func append(_ value: Value) {
    let columns = Cell.append(value, to: &cells)
    measures.append((cells.count, columns))
    if columns > widths[nextColumn] { widths[nextColumn] = columns }
    nextColumn += 1
    if nextColumn == widths.count { nextColumn = 0 }
  }

  package var width: Int { widths.reduce(0, +) + 2 * max(0, widths.count - 1) }

  /// Writes heads and rows, two spaces between columns and no blanks at the end of a line.
  package mutating func write(indentation: Int, marks: StyleMarks, to out: inout TextBuffer) {
    guard !heads.isEmpty else { return }
    out.append(spaces: indentation)
    out.append(marks.start(.head))
    var gap = 0
    for (index, head) in heads.enumerated() {
      out.append(spaces: gap)
      out.append(head)
      gap = widths[index] - DisplayWidth.of(head) + 2
    }
    out.append(marks.end)
    out.append("\n" as Unicode.Scalar)
    let cells = cells.bytes
    var start = 0
    var column = 0
    gap = indentation
    for measure in measures {
      // Blanks are owed until something follows them.
      if measure.end > start {
        out.append(spaces: gap)
        out.append(cells[start..<measure.end])
        gap = 0
      }
      gap += widths[column] - measure.columns + 2
      start = measure.end
      column += 1
      if column == widths.count {
        column = 0
        gap = indentation
        out.append("\n" as Unicode.Scalar)
        out.passOn()
      }
    }
  }
}
