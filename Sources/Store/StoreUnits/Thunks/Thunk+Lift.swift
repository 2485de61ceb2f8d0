import StoreCore
import StoreSchema

extension Thunk {
  /// The same thunk in a store whose actions and state contain its own.
  ///
  /// - Parameters:
  ///   - output: the larger store's action for one that the thunk dispatches.
  ///   - state: the thunk's state in the larger one.
  public func lift<GlobalAction, GlobalState>(
    output: @escaping @Sendable (Action) -> GlobalAction, state: @escaping @Sendable (GlobalState) -> State
  ) -> Thunk<GlobalAction, GlobalState> {
    let body = body
    return Thunk<GlobalAction, GlobalState>(name) { context in
      let wait = context.wait
      await body(
        ThunkContext(
          state: context.state.map(state), effect: context.effect.mapped(output),
          wait: { await wait($0.map(output)) }))
    }
  }

  /// The same thunk in a store that has its module as a part.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds the thunk's.
  ///   - state: the slice.
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Thunk<GlobalAction, GlobalState> {
    lift(output: GlobalAction.cases[keyPath: action].embed, state: { $0[keyPath: state] })
  }
}
