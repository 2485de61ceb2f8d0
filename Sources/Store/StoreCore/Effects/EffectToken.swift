/// A name for an effect: any value that can be compared. Tokens are equal by type and value: `1`, `1.0`, `true` and `"1"` are
/// four (R18).
public struct EffectToken: Hashable, Sendable, CustomStringConvertible {
  /// The value that the token stands for.
  public let value: any Hashable & Sendable

  /// A token of a value; one of a token is that token.
  public init(_ value: some Hashable & Sendable) {
    self.value = (value as? EffectToken)?.value ?? value
  }

  /// True if types and values are equal.
  public static func == (left: EffectToken, right: EffectToken) -> Bool {
    func isEqual<Value: Hashable>(_ value: Value) -> Bool {
      // The types are compared first: a cast may convert.
      type(of: right.value) == Value.self && (right.value as? Value) == value
    }
    return isEqual(left.value)
  }

  /// Feeds type and value to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: value)))
    value.hash(into: &hasher)
  }

  /// The value's text.
  public var description: String { "\(value)" }

  /// The value's text and its type, for listings in which the text alone would do for two.
  public var textWithType: String {
    (value as? any TokenOfParts)?.textWithType ?? "\(value) (\(type(of: value)))"
  }
}

/// The value of a token that has another token in it, whose type is what tells it from others.
package protocol TokenOfParts {
  /// As that of a token.
  var textWithType: String { get }
}
