import StoreCore
import StoreSchema

extension Reducer {
  /// Changes the state in answer to one action, where a condition holds: what ``BridgeRule`` is for dispatching.
  ///
  /// - Parameters:
  ///   - payload: the part of an action that the change needs; nil: the action changes nothing.
  ///   - name: the name of the reducer in traces.
  ///   - allows: looks at the state as this reducer finds it.
  ///   - change: changes the state in place.
  public static func on<Payload>(
    _ payload: @escaping @Sendable (Action) -> Payload?, name: String = "reducer",
    guard allows: @escaping @Sendable (State) -> Bool = { _ in true },
    change: @escaping @Sendable (inout State, Payload) -> Void
  ) -> Reducer {
    Reducer(name) { action, state in
      guard let payload = payload(action), allows(state) else { return }
      change(&state, payload)
    }
  }

  /// Changes the state in answer to one case, which may lie further in: `.on(\.movies.select) { $0.selected = $1 }`.
  ///
  /// - Parameters:
  ///   - path: the case; other actions change nothing.
  ///   - name: the name of the reducer in traces.
  ///   - allows: looks at the state as this reducer finds it.
  ///   - change: changes the state in place, given the payload.
  public static func on<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, name: String = "reducer",
    guard allows: @escaping @Sendable (State) -> Bool = { _ in true },
    change: @escaping @Sendable (inout State, Payload) -> Void
  ) -> Reducer where Action: CasePathable {
    on(Action.cases[keyPath: path].extract, name: name, guard: allows, change: change)
  }
}
