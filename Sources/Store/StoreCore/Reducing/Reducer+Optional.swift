extension Reducer {
  /// Makes this reducer one of an optional state: it runs on the value while there is one, and does nothing otherwise.
  @inlinable
  public func liftOptional() -> Reducer<Action, State?> {
    lift(action: { ((), $0) }, focus: WrappedFocus<State>())
  }

  /// Makes this reducer one of a larger state that may hold a slice or not. The reducer runs on the slice while there
  /// is one, and does nothing otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the slice, changed in place.
  @inlinable
  public func liftOptional<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    liftOptional().lift(action: action, state: state)
  }
}
