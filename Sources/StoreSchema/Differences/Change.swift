/// One difference between two values of a type.
public struct Change: Hashable, Sendable {
  /// Where; list elements by `id` where they have one, else by index.
  public let path: Path
  /// What happened there.
  public let kind: Kind

  /// Makes a change.
  public init(_ path: Path, _ kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// The kinds of change.
  public enum Kind: Hashable, Sendable {
    /// A value became another.
    case replace(from: Value, to: Value)
    /// A value appeared.
    case add(Value)
    /// A value went away.
    case remove(Value)
  }
}
