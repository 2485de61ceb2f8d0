/// A fault of an action for substates. The store lives on, with the state as it was (R23).
public enum SubstateError: Error, Hashable, Sendable {
  /// A substate of that name exists and was not to be replaced.
  case exists(name: String)
  /// There is no substate of that name.
  case absent(name: String)
  /// Nobody registered a reducer for the substate that takes such actions, given by the name of their type.
  case noReducer(name: String, action: String)
  /// A value or an action of another type than the substate's; both by name.
  case typeMismatch(name: String, expected: String, found: String)

  /// A mismatch of two types, named with their modules where their own names are the same.
  static func mismatch(_ name: String, expected: any Any.Type, found: any Any.Type) -> SubstateError {
    let names = [expected, found].map { Substate.name(of: $0) }
    guard names[0] == names[1] else { return .typeMismatch(name: name, expected: names[0], found: names[1]) }
    return .typeMismatch(name: name, expected: String(reflecting: expected), found: String(reflecting: found))
  }

  /// A sentence: what happened and what to do.
  public var message: String {
    switch self {
    case .exists(let name): "substate \(name) exists; replace it explicitly, or reset it first"
    case .absent(let name): "no substate \(name)"
    case .noReducer(let name, let action): "no reducer of substate \(name) takes actions of type \(action)"
    case .typeMismatch(let name, let expected, let found): "substate \(name) is of type \(expected), got \(found)"
    }
  }
}

extension SubstateError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
