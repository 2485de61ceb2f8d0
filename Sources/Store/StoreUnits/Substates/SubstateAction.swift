/// An action on substates, like any other of the store: numbered, recorded and replayed.
public enum SubstateAction: Sendable {
  /// Adds a substate; one of that name is replaced only where that is said.
  case add(name: String, Substate, isReplacing: Bool)
  /// Removes the substates of these names; those that do not exist are reported.
  case reset(names: [String])
  /// Removes all substates.
  case resetAll
  /// An action for the reducers of one substate.
  case send(name: String, any Sendable)

  /// Adds a substate.
  public static func add(
    _ name: String, _ value: some Equatable & Sendable, replacing isReplacing: Bool = false
  ) -> SubstateAction { .add(name: name, Substate(value), isReplacing: isReplacing) }

  /// Removes substates.
  public static func reset(_ names: String...) -> SubstateAction { .reset(names: names) }

  /// An action for the reducers of one substate.
  public static func send(_ name: String, _ action: some Sendable) -> SubstateAction { .send(name: name, action) }
}

extension SubstateAction: CustomStringConvertible {
  /// The action as the shell's commands spell it: `substate add cart`, `cart.inc`.
  public var description: String {
    switch self {
    case .add(let name, _, let isReplacing): "substate add \(name)" + (isReplacing ? " --replace" : "")
    case .reset(let names): (["substate reset"] + names).joined(separator: " ")
    case .resetAll: "substate reset"
    case .send(let name, let action): "\(name).\(action)"
    }
  }
}
