extension Interceptor {
  /// The same interceptor in a store whose actions and state contain its own; actions that are not its own pass it by.
  ///
  /// - Parameters:
  ///   - input: its action in one of the larger store, if there is one.
  ///   - output: the larger store's action for one that it dispatches.
  ///   - passing: the larger store's action for one that it passes on, given the one that came.
  ///   - state: its state in the larger one.
  package func lift<GlobalAction, GlobalState>(
    input: @escaping @Sendable (GlobalAction) -> Action?, output: @escaping @Sendable (Action) -> GlobalAction,
    passing: @escaping @Sendable (_ came: GlobalAction, _ goesOn: Action) -> GlobalAction,
    state: @escaping @Sendable (GlobalState) -> State
  ) -> Interceptor<GlobalAction, GlobalState> {
    Interceptor<GlobalAction, GlobalState>(name) { [self] attachment in
      let chain = attach(
        Attachment(
          output: attachment.output.contramap(output), state: attachment.state.map(state),
          effects: attachment.effects, context: attachment.context,
          outputOfAction: { attachment.outputOfAction($0).contramap(output) },
          wait: { dispatched, root in await attachment.wait(dispatched.map(output), root) }))
      return { next in
        var coming: GlobalAction?
        let run = chain { action in next(coming.map { passing($0, action) } ?? output(action)) }
        return { action in
          guard let own = input(action) else { return next(action) }
          coming = action
          defer { coming = nil }
          run(own)
        }
      }
    }
  }
}
