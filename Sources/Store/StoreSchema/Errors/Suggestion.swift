/// The name that was probably meant.
public enum Suggestion {
  /// The candidate that differs from a word by case alone, or else the nearest by Damerau–Levenshtein distance (optimal string
  /// alignment). At most a third of the word may be wrong; ties go to the first. Words of one or two letters are too short to tell.
  /// Source: F. J. Damerau, 1964.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let (limit, small) = (word.unicodeScalars.count / 3, word.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate != word {
      if candidate.utf8.count == word.utf8.count, candidate.lowercased() == small { return candidate }
      guard limit > 0 else { continue }
      let distance = distance(word, candidate, limit: limit)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// The same as a question, for a hint.
  package static func question(_ word: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
  }

  /// The same behind a message; empty where there is none.
  package static func remark(_ word: String, among candidates: some Sequence<String>) -> String {
    question(word, among: candidates).map { " (\($0))" } ?? ""
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
  /// More than `limit` is reported as `limit + 1`.
  static func distance(_ left: String, _ right: String, limit: Int) -> Int {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    guard abs(left.count - right.count) <= limit else { return limit + 1 }
    var beforePrevious = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    var current = previous
    for row in 0..<left.count {
      current[0] = row + 1
      var smallest = current[0]
      for column in 0..<right.count {
        let cost = left[row] == right[column] ? 0 : 1
        var value = min(previous[column + 1] + 1, current[column] + 1, previous[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          value = min(value, beforePrevious[column - 1] + 1)
        }
        current[column + 1] = value
        smallest = min(smallest, value)
      }
      guard smallest <= limit else { return limit + 1 }
      (beforePrevious, previous, current) = (previous, current, beforePrevious)
    }
    return previous[right.count]
  }
}
