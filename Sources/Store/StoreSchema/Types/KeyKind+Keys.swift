extension Schema.KeyKind {
  /// The key in the form of a map of this kind. JSON writes numbers as text, so text that is a number as it would be
  /// written stands for it.
  package func spelling(of key: MapKey) -> MapKey {
    guard self == .int, case .string(let text) = key, let number = Int(text), text == "\(number)" else { return key }
    return .int(number)
  }
}

extension Path.Step {
  /// The key of a map that the step names, or nil where it names none of that kind.
  public func mapKey(_ kind: Schema.KeyKind) -> MapKey? {
    switch (kind, self) {
    case (.int, .key(.string(let digits))) where digits.isWideInteger: .string(digits)
    case (.string, .field(let name)): .string(name)
    case (.string, .key(.string(let name))): .string(name)
    case (.int, .index(let number)), (.int, .key(.int(let number))): .int(number)
    default: nil
    }
  }
}
