/// The number of rows that text takes on a screen. A line without room goes on in the next row.
package enum ScreenRows {
  /// The rows of a text of whole lines, counted up to a limit.
  package static func of(_ text: some Collection<UInt8>, columns: Int, upTo limit: Int) -> Int {
    var rows = 0
    var rest = text[...]
    while rows < limit, let end = rest.firstIndex(of: 0x0A) {
      rows += self.rows(of: rest[..<end], columns: max(1, columns))
      rest = rest[rest.index(after: end)...]
    }
    return rows
  }

  private static func rows(of line: some Collection<UInt8>, columns: Int) -> Int {
    // But for a tab, no character takes more columns than bytes.
    if line.count <= columns, !line.contains(0x09) { return 1 }
    var rows = 1
    var column = 0
    var isInSequence = false
    for character in String(decoding: line, as: UTF8.self) {
      if character == "\u{1B}" {
        isInSequence = true
      } else if isInSequence {
        isInSequence = !character.isLetter
      } else {
        let width = character == "\t" ? min(8 - column % 8, columns - column) : DisplayWidth.of(String(character))
        if column + width > columns {
          rows += 1
          column = 0
        }
        column += width
      }
    }
    return rows
  }
}
