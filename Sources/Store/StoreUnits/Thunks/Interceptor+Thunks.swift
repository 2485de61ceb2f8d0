import StoreCore

extension Interceptor {
  /// Takes the actions that carry a thunk, and runs it (R20). Interceptors outside this one see them, those inside do not.
  ///
  /// - Parameters:
  ///   - name: the name in traces, listings and errors.
  ///   - thunk: the thunk in an action, or nil: the action is passed on.
  public static func thunks(
    _ name: String = "thunk", _ thunk: @escaping @Sendable (Action) -> Thunk<Action, State>?
  ) -> Interceptor {
    Interceptor(name) { action, context, attachment, next in
      guard let thunk = thunk(action) else { return next(action) }
      let effect = Effect<Void, Action>.runAtOnce { running in
        await thunk.body(
          ThunkContext(
            state: attachment.state, effect: running,
            wait: { await attachment.dispatchAndWait($0, of: context) }))
      }
      attachment.effects.start(
        effect, dependencies: (), context: context, output: attachment.output(of: context))
    }
  }
}
