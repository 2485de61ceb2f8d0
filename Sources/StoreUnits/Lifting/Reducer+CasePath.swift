import StoreCore
import StoreSchema

extension Reducer {
  /// Makes this reducer one of a larger state by a case path and a key path (R14): `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the slice, changed in place.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }
}
