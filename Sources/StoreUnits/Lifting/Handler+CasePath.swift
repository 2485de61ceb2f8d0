import StoreCore
import StoreSchema

extension Handler {
  /// Makes this handler one of a larger store by a case path and a key path (R14): `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return lift(action: path.extract, embed: path.embed, state: state)
  }
}
