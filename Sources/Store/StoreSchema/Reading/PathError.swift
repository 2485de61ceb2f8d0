/// The reason why a path leads nowhere.
public struct PathError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence: which name or index does not exist, and where.
  public let message: String
  /// A hint, such as `did you mean 'tasks.items'?`; nil: there is nothing to suggest.
  public let hint: String?
  /// The sentence, and what to try.
  public var description: String { message + (hint.map { " (\($0))" } ?? "") }

  /// Makes an error.
  public init(message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
