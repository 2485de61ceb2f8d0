/// A line of values in a terminal: dots of braille, two by four a character, or stars where the locale has none.
package struct LineChart {
  /// The values from left to right; nil: a gap.
  package let values: [Double?]
  /// The characters across, labels included.
  package let width: Int
  package let height: Int
  package let isUTF8: Bool

  package init(values: [Double?], width: Int, height: Int, isUTF8: Bool) {
    self.values = values
    self.width = width
    self.height = height
    self.isUTF8 = isUTF8
  }

  /// The drawing: the greatest and the smallest value stand at its left.
  ///
  /// - Parameters:
  ///   - first: the text below its left end.
  ///   - last: the text below its right end.
  package func text(from first: String, to last: String) -> String {
    let finite = values.compactMap(\.self).filter(\.isFinite)
    guard let smallest = finite.min(), let largest = finite.max() else { return "no values\n" }
    let labels = [Self.label(largest), Self.label(smallest)]
    let margin = (labels.map(\.count).max() ?? 0) + 1
    let columns = max(2, min(width - margin, isUTF8 ? (values.count + 1) / 2 : values.count, width))
    var rows = isUTF8 ? braille(columns, smallest, largest) : stars(columns, smallest, largest)
    // A line that stays where it is needs no room.
    if smallest == largest { rows = [rows[rows.count - 1]] }
    var out = ""
    for (index, row) in rows.enumerated() {
      let label = index == 0 ? labels[0] : index == rows.count - 1 ? labels[1] : ""
      out += String(repeating: " ", count: margin - 1 - label.count) + label + " " + Self.trimmed(row) + "\n"
    }
    let room = max(1, columns - first.count - last.count)
    return out + String(repeating: " ", count: margin) + first + String(repeating: " ", count: room) + last + "\n"
  }

  private func braille(_ columns: Int, _ smallest: Double, _ largest: Double) -> [String] {
    let (across, down) = (columns * 2, height * 4)
    // The dots of a character by column and row (Unicode, chapter 21.1).
    let dots: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
    var cells = [[UInt32]](repeating: [UInt32](repeating: 0, count: columns), count: height)
    trace(across, down, smallest, largest) { x, y in cells[y / 4][x / 2] |= dots[x % 2][y % 4] }
    return cells.map { row in
      String(
        String.UnicodeScalarView(row.map { $0 == 0 ? " " : Unicode.Scalar(0x2800 + $0) ?? " " }))
    }
  }

  private func stars(_ columns: Int, _ smallest: Double, _ largest: Double) -> [String] {
    var cells = [[Character]](repeating: [Character](repeating: " ", count: columns), count: height)
    trace(columns, height, smallest, largest) { x, y in cells[y][x] = "*" }
    return cells.map { String($0) }
  }

  /// Visits the dots of the line: those from the least to the greatest value of each column, so that none is left out, and
  /// those between it and the one before.
  private func trace(
    _ across: Int, _ down: Int, _ smallest: Double, _ largest: Double, _ visit: (_ x: Int, _ y: Int) -> Void
  ) {
    var before: Int?
    for x in 0..<across {
      let index = across == 1 ? 0 : x * (values.count - 1) / (across - 1)
      let next = x + 1 < across ? (x + 1) * (values.count - 1) / (across - 1) : values.count
      let heights = values[index..<max(next, index + 1)].compactMap { value -> Int? in
        guard let value, value.isFinite else { return nil }
        let share = Sparkline.share(of: value, smallest, largest)
        return down - 1 - Int((share * Double(down - 1)).rounded())
      }
      guard let last = heights.last, let highest = heights.min(), let lowest = heights.max() else {
        before = nil
        continue
      }
      for y in min(before ?? last, highest)...max(before ?? last, lowest) where y != before || highest...lowest ~= y {
        visit(x, y)
      }
      before = last
    }
  }

  private static func label(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }

  private static func trimmed(_ row: String) -> String {
    var row = row[...]
    while row.last == " " { row.removeLast() }
    return String(row)
  }
}
