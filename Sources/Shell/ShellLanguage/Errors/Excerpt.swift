/// As much of a text as a person reads in an error: a value of a megabyte would push all else off the screen.
package enum Excerpt {
  package static let (characters, lines) = (1000, 40)
  /// The number of characters shown before the place that is pointed at.
  private static let before = 200

  /// A line, and how much of it was left out.
  package static func of(_ line: Substring) -> String {
    guard let end = line.index(line.startIndex, offsetBy: characters, limitedBy: line.endIndex), end < line.endIndex
    else { return String(line) }
    let rest = line[end...].count
    return "\(line[..<end])... (\(rest) more \(rest == 1 ? "character" : "characters"))"
  }

  /// The lines of a text, and how many were left out.
  package static func lines(of text: String) -> [String] {
    let all = text.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = all.count - lines
    guard rest > 1 else { return all.map(of) }
    return all.prefix(lines).map(of) + ["... (\(rest) more lines)"]
  }

  /// The part of a line around a place: the line before it, what is pointed at, and what follows.
  ///
  /// - Parameter columns: the width that there is for it; nil: any.
  package static func around(_ column: Int, _ width: Int, in line: Substring, columns: Int? = nil) -> (
    before: String, marked: String, after: String
  ) {
    // Room for the dots where something is left out.
    let characters = min(characters, max(columns ?? characters, 20) - 6)
    let before = min(before, characters / 2)
    let place = line.index(line.startIndex, offsetBy: column - 1, limitedBy: line.endIndex) ?? line.endIndex
    let whole = line.index(line.startIndex, offsetBy: characters + 6, limitedBy: line.endIndex)
    let isLong = whole.map { $0 < line.endIndex }
    guard isLong == true else {
      let end = line.index(place, offsetBy: width, limitedBy: line.endIndex) ?? line.endIndex
      return (String(line[..<place]), String(line[place..<end]), String(line[end...]))
    }
    let start = line.index(place, offsetBy: -before, limitedBy: line.startIndex) ?? line.startIndex
    let end = line.index(place, offsetBy: characters - before, limitedBy: line.endIndex) ?? line.endIndex
    let marked = line[place..<end].prefix(width)
    return (
      (start > line.startIndex ? "..." : "") + line[start..<place], String(marked),
      line[marked.endIndex..<end] + (end < line.endIndex ? "..." : "")
    )
  }
}
