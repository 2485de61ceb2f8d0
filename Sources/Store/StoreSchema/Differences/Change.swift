/// One difference between two values of a type.
public struct Change: Hashable, Sendable {
  /// Where; list elements by `id` where they have one, else by index.
  public let path: Path
  /// What happened there.
  public let kind: Kind
  /// For each step of the path that names an element by id, the position that it stands at, from 0: in the new list for one
  /// that was added, in the old list for all others. Empty where that is not known; the first element of the id is meant
  /// then, and one that is added comes last.
  ///
  /// An id does not say where an element goes; with its position, changes lead from one value to the other and back.
  public let positions: [Int]
  /// Whether a list element or a map entry stayed and only got or lost its value, which is optional.
  public let isInPlace: Bool

  /// Makes a change.
  public init(_ path: Path, _ kind: Kind, positions: [Int] = [], isInPlace: Bool = false) {
    self.path = path
    self.kind = kind
    self.positions = positions
    self.isInPlace = isInPlace
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

  /// Which way changes are applied.
  public enum Direction: Sendable {
    /// From the old value to the new one.
    case forward
    /// From the new value back to the old one.
    case backward
  }
}

/// A change that does not fit the value to which it was applied.
public struct ChangeError: Error, Hashable, Sendable {
  /// The change's path.
  public let path: Path
  /// What is wrong, as one sentence.
  public let message: String

  /// Makes an error.
  public init(_ path: Path, _ message: String) {
    self.path = path
    self.message = message
  }
}
