/// Text as a paragraph of lines no wider than a terminal.
package enum WrappedText {
  /// `text` after `indentation` columns that are taken already; the lines that follow stand below its start.
  ///
  /// Without a width, or where fewer than twenty columns would be left, the text stays one line. A word that is wider than
  /// a line stands alone on one.
  ///
  /// - Parameter start: the column that the text begins at; nil: the one that the lines below have.
  package static func hanging(_ text: String, from start: Int? = nil, indentation: Int, width: Int?) -> String {
    guard let width, width - indentation >= 20 else { return text }
    let margin = "\n" + String(repeating: " ", count: indentation)
    var out = ""
    var column = start ?? indentation
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let columns = DisplayWidth.of(word)
      if index == 0 {
        out += word
      } else if column + 1 + columns <= width {
        out += " " + word
        column += 1
      } else {
        out += margin + word
        column = indentation
      }
      column += columns
    }
    return out
  }
}
