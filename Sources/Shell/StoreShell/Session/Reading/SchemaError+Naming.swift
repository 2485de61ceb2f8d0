import ShellLanguage
import StoreSchema

extension SchemaError {
  /// The error with the found value in the spelling of the word. A duration is but text to types, a number has more
  /// than one spelling, and a number that its type cannot hold is rounded.
  func naming(_ word: String) -> SchemaError {
    guard case .typeMismatch(let expected, _, let found) = problem else { return self }
    let named: String
    if DurationLiteral.parse(word) != nil {
      named = "duration \(word)"
    } else if word.looksLikeANumber, let number = Double(word) {
      let isOutside = expected == "Int" || (expected == "Double" && number.isInfinite)
      let excess = isOutside ? number.excess : nil
      guard excess != nil || found != nil else { return self }
      named = "number \(word)\(excess ?? "")"
    } else {
      return self
    }
    return SchemaError(path, .typeMismatch(expected: expected, found: named, number: found))
  }
}
