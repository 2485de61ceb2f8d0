/// A name for an effect: any value that can be compared. Tokens are equal by type and value: `1`, `1.0`, `true` and `"1"` are
/// four (R18).
public struct EffectToken: Hashable, Sendable, CustomStringConvertible {
  @usableFromInline let content: Content

  /// Most are texts or numbers, which are compared without a look at their types.
  @usableFromInline
  enum Content: Sendable {
    case text(String)
    case number(Int)
    // Apart, so that the others are copied and compared without a look at types.
    indirect case other(any Hashable & Sendable)
  }

  /// A token of a value; one of a token is that token.
  @inlinable
  public init<Value: Hashable & Sendable>(_ value: Value) {
    // The types are compared first: a cast may convert.
    if Value.self == String.self, let text = value as? String {
      content = .text(text)
    } else if Value.self == Int.self, let number = value as? Int {
      content = .number(number)
    } else if Value.self == EffectToken.self, let token = value as? EffectToken {
      self = token
    } else {
      content = .other(value)
    }
  }

  /// The value that the token stands for.
  public var value: any Hashable & Sendable {
    switch content {
    case .text(let text): text
    case .number(let number): number
    case .other(let value): value
    }
  }

  /// True if types and values are equal.
  public static func == (left: EffectToken, right: EffectToken) -> Bool {
    switch (left.content, right.content) {
    case (.text(let left), .text(let right)): return left == right
    case (.number(let left), .number(let right)): return left == right
    case (.other(let left), .other(let right)):
      func isEqual<Value: Hashable>(_ value: Value) -> Bool {
        type(of: right) == Value.self && (right as? Value) == value
      }
      return isEqual(left)
    default: return false
    }
  }

  /// Feeds type and value to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch content {
    case .text(let text): hasher.combine(text)
    case .number(let number): hasher.combine(number)
    case .other(let value):
      hasher.combine(ObjectIdentifier(type(of: value)))
      value.hash(into: &hasher)
    }
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
