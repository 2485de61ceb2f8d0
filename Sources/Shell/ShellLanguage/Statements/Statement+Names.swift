extension Statement {
  /// The place of a name of Lua; nil where the text has it not once as a word of its own.
  package func span(ofName name: String) -> Word.Span? {
    func isName(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    var found: Word.Span?
    for (number, line) in lines.enumerated() {
      for range in line.ranges(of: name) {
        let before = line[..<range.lowerBound].last
        guard before != ".", !isName(before), !isName(line[range.upperBound...].first) else { continue }
        guard found == nil else { return nil }
        let column = line.distance(from: line.startIndex, to: range.lowerBound) + 1
        found = Word.Span(line: number, column: column, width: name.count)
      }
    }
    return found
  }

  /// True if a `>` stands right before a place.
  package func isBehindSign(_ span: Word.Span) -> Bool {
    lines[span.line].prefix(span.column - 1).last { $0 != " " } == ">"
  }

  /// The text of one of its lines, from 0; nil: it has none of that number.
  package func line(_ number: Int) -> String? {
    let lines = lines
    return lines.indices.contains(number) ? String(lines[number]) : nil
  }

  // To Swift, "\r\n" is one character, not a "\n".
  private var lines: [Substring] { text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" } }
}

extension LuaTail {
  /// What follows a last `>` and looks like a file: one word that is no number.
  package var fileBehindSign: String? {
    guard let sign = text.lastIndex(where: { $0 == ">" }) else { return nil }
    let words = text[text.index(after: sign)...].split(separator: " ")
    guard let word = words.first, words.count == 1, Double(word) == nil,
      word.allSatisfy({ $0.isLetter || $0.isNumber || "._-/~".contains($0) })
    else { return nil }
    return String(word)
  }
}
