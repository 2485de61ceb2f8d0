import StoreCore

/// The reducers of substates, by name and type. They stand ready whether or not their substates exist.
///
/// Give the store ``reducer`` and ``reporter(_:)``; lift both to where the ``Substates`` are, or see ``Substated``.
public struct SubstateReducers: Sendable {
  private var entries: [Entry] = []

  private struct Entry: Sendable {
    let name: String
    let stateType: any Any.Type
    let actionType: any Any.Type
    let holds: @Sendable (Substate) -> Bool
    let takes: @Sendable (any Sendable) -> Bool
    let reducer: Reducer<SubstateAction, Substates>
  }

  /// None.
  public init() {}

  /// Adds a reducer for the substate of a name, behind those it has.
  public mutating func register<Action: Sendable, State: Equatable & Sendable>(
    _ name: String, _ reducer: Reducer<Action, State>
  ) {
    entries.append(
      Entry(
        name: name, stateType: State.self, actionType: Action.self,
        holds: { $0.value(as: State.self) != nil }, takes: { $0 is Action },
        reducer: reducer.lift(
          action: { action in
            guard case .send(name, let local) = action else { return nil }
            return (local as? Action).map { ((), $0) }
          }, focus: SubstateFocus(name: name))))
  }

  /// These reducers and one more; see ``register(_:_:)``.
  public func registering<Action: Sendable, State: Equatable & Sendable>(
    _ name: String, _ reducer: Reducer<Action, State>
  ) -> SubstateReducers {
    var registered = self
    registered.register(name, reducer)
    return registered
  }

  /// Adds and removes substates and has their reducers run (R23).
  ///
  /// An action fails (R7) with a ``SubstateError`` in three cases. The name is taken; an added value is not of the type
  /// that the name's reducers work on; or the reducers do not take the action's type. An action for an absent substate
  /// changes nothing; ``reporter(_:)`` tells of it.
  public var reducer: Reducer<SubstateAction, Substates> {
    let registered = self
    let managing = Reducer<SubstateAction, Substates>.throwing("substates", canFail: { registered.canRefuse($0) }) {
      action, substates, _ in try registered.manage(action, &substates)
    }
    let managed = managing.lift(
      action: { (action: SubstateAction) in registered.concerns(action) ? action : nil }, state: \Substates.self)
    return entries.reduce(managed) { $0.appending($1.reducer) }
  }

  /// A middleware that tells of actions that no substate or no reducer answers: those for absent substates, and those for
  /// substates that nobody reduces.
  ///
  /// - Parameter report: gets what is wrong, after the action, and what is known of the action.
  public func reporter(
    _ report: @escaping @Sendable (SubstateError, ActionContext) -> Void
  ) -> Middleware<SubstateAction, Never, Substates> {
    let registered = self
    return Middleware("substates") { action, context, substates in
      let faults = registered.faults(of: action, substates())
      guard !faults.isEmpty else { return .none }
      return IO { _ in for fault in faults { report(fault, context) } }
    }
  }

  private func entries(of name: String) -> [Entry] { entries.filter { $0.name == name } }

  /// True if the action is about substates as such, or one that their reducers cannot take.
  private func concerns(_ action: SubstateAction) -> Bool {
    guard case .send(let name, let local) = action else { return true }
    return misfit(name, local) != nil
  }

  private func canRefuse(_ action: SubstateAction) -> Bool {
    switch action {
    case .add, .send: true
    case .reset, .resetAll: false
    }
  }

  private func manage(_ action: SubstateAction, _ substates: inout Substates) throws(SubstateError) {
    switch action {
    case .add(let name, let substate, let isReplacing):
      for entry in entries(of: name) where !entry.holds(substate) {
        throw .mismatch(name, expected: entry.stateType, found: substate.type)
      }
      try substates.add(name, substate, isReplacing: isReplacing)
    case .reset(let names): for name in names { substates.remove(name) }
    case .resetAll: substates.removeAll()
    case .send(let name, let local):
      if substates[name] != nil, let misfit = misfit(name, local) { throw misfit }
    }
  }

  /// The reason why none of a substate's reducers takes an action, if it has some.
  private func misfit(_ name: String, _ local: any Sendable) -> SubstateError? {
    let registered = entries(of: name)
    guard let first = registered.first, !registered.contains(where: { $0.takes(local) }) else { return nil }
    return .mismatch(name, expected: first.actionType, found: type(of: local))
  }

  /// The faults of an action that does not fail.
  private func faults(of action: SubstateAction, _ substates: Substates) -> [SubstateError] {
    switch action {
    case .add, .resetAll: return []
    case .reset(let names): return names.filter { substates[$0] == nil }.map { .absent(name: $0) }
    case .send(let name, let local):
      guard let substate = substates[name] else { return [.absent(name: name)] }
      let takers = entries(of: name).filter { $0.takes(local) }
      guard let first = takers.first else {
        return [.noReducer(name: name, action: Substate.name(of: type(of: local)))]
      }
      // Possible only where reducers were registered, in a running store, for a substate that was there before.
      guard takers.contains(where: { $0.holds(substate) }) else {
        return [.mismatch(name, expected: substate.type, found: first.stateType)]
      }
      return []
    }
  }
}

/// The way to the substate of a name, while there is one of that type.
private struct SubstateFocus<Part: Equatable & Sendable>: StateFocus {
  let name: String

  func modify(_ substates: inout Substates, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    try substates.modify(name, as: Part.self, body)
  }
}
