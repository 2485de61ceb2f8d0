import StoreCore
import StoreSchema

extension Reducer {
  /// Makes this reducer one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the case, changed in place.
  @inlinable
  public func liftCase<GlobalAction, GlobalState: CasePathable>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(
      action: { global in action(global).map { ((), $0) } }, focus: CaseFocus(GlobalState.cases[keyPath: state]))
  }
}
