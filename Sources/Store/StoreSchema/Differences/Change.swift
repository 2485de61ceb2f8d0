/// A difference between two values of a type.
public struct Change: Hashable, Sendable {
  /// The place; list elements by `id` where they have one, else by index.
  public let path: Path
  /// The event at the place.
  public let kind: Kind
  /// The positions, from 0, of the list elements that the path names by id, one for each such step. For an added
  /// element in the new list, for any other in the old one. Empty where that is not known; the first element of the id
  /// is meant then, and one that is added comes last.
  ///
  /// An id does not say where an element goes; with its position, changes lead from one value to the other and back.
  public let positions: Positions
  /// True if a list element or a map entry stayed and only got or lost its value, which is optional.
  public let isInPlace: Bool

  /// Makes a change.
  public init(_ path: Path, _ kind: Kind, positions: [Int] = [], isInPlace: Bool = false) {
    self.init(path, kind, at: Positions(positions), isInPlace: isInPlace)
  }

  init(_ path: consuming Path, _ kind: consuming Kind, at positions: Positions, isInPlace: Bool = false) {
    self.path = path
    self.kind = kind
    self.positions = positions
    self.isInPlace = isInPlace
  }

  /// Positions of elements. Few changes have more than one, which takes no memory of its own.
  public struct Positions: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible {
    private let stored: Stored

    private enum Stored: Hashable {
      case none
      case one(Int)
      case several([Int])
    }

    /// The positions of an array.
    public init(_ positions: [Int]) {
      stored =
        switch positions.count {
        case 0: .none
        case 1: .one(positions[0])
        default: .several(positions)
        }
    }

    init(only position: Int) { stored = .one(position) }

    /// Zero.
    public var startIndex: Int { 0 }

    /// The number of positions.
    public var endIndex: Int {
      switch stored {
      case .none: 0
      case .one: 1
      case .several(let positions): positions.count
      }
    }

    /// The position at an index, from 0.
    public subscript(index: Int) -> Int {
      if case .one(let position) = stored, index == 0 { return position }
      guard case .several(let positions) = stored else { preconditionFailure("Index out of range") }
      return positions[index]
    }

    /// The positions as an array prints them.
    public var description: String { Array(self).description }
  }

  /// The kinds of change.
  public enum Kind: Hashable, Sendable {
    /// A value became another.
    case replace(from: Value, to: Value)
    /// A value appeared.
    case add(Value)
    /// A value went away.
    case remove(Value)
    /// An element of a list, which the path names by its id, got another place among those that stayed: its position, from
    /// 0, in the new list. It is the same as before, but for the changes within it that are told besides.
    case move(to: Int)
  }

  /// The direction in which changes are applied.
  public enum Direction: Sendable {
    /// From the old value to the new one.
    case forward
    /// From the new value back to the old one.
    case backward
  }
}

extension Change {
  /// True if it changes the target of a path, as ``Path/lies(along:)`` has it. Whoever names an element by its id sees the same
  /// element where it has moved; whoever names one by its position sees another where one before it has come or gone.
  package func concerns(_ wanted: Path) -> Bool {
    guard path.lies(along: wanted) else { return movesElements && isBefore(wanted) }
    guard case .move = kind, path.steps.count <= wanted.steps.count else { return true }
    return path.steps.last != wanted.steps[path.steps.count - 1]
  }

  /// True if an element of a list came or went that has no id: those behind it get other positions.
  package var movesElements: Bool {
    guard case .index = path.steps.last, !isInPlace else { return false }
    switch kind {
    case .add, .remove: return true
    case .replace, .move: return false
    }
  }

  /// True if it concerns the target of a path that names elements by position only as far as it moved the element.
  package func onlyMoves(_ wanted: Path) -> Bool {
    guard movesElements, path.steps.count <= wanted.steps.count else { return false }
    if case .index = wanted.steps[path.steps.count - 1] { return true }
    return false
  }

  /// True if it is the change of an element of a list, and a path leads to a later element of the same list.
  private func isBefore(_ wanted: Path) -> Bool {
    let depth = path.steps.count - 1
    guard wanted.steps.count > depth, case .index(let index) = path.steps[depth],
      case .index(let position) = wanted.steps[depth], index < position
    else { return false }
    return Path(Array(path.steps[..<depth])).lies(along: Path(Array(wanted.steps[..<depth])))
  }
}

/// A change that does not fit the value to which it was applied.
public struct ChangeError: Error, Hashable, Sendable {
  /// The change's path.
  public let path: Path
  /// The fault, as one sentence.
  public let message: String

  /// Makes an error.
  public init(_ path: Path, _ message: String) {
    self.path = path
    self.message = message
  }
}
