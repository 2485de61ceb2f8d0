extension Middleware {
  /// A middleware of one unit that may start effects in its IO.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings; unique in a store.
  ///   - handle: gets the action, its context, a reader of the state and the unit's effects, and returns what is to be done
  ///     after the commit.
  public init(
    _ name: String,
    handle: @escaping @Sendable (Input, ActionContext, StateReader<State>, EffectScope) -> IO<Output>
  ) {
    self.init(
      units: [
        MiddlewareUnit(name: name) { attachment in
          MiddlewareUnit(name: name) { input, context, state in
            handle(input, context, state, attachment.effects)
          }.attach(attachment)
        }
      ])
  }

  /// A middleware that answers actions by effects, asked after the commit.
  ///
  /// - Parameter handle: gets the action, its context and a reader of the state.
  public static func effects(
    _ name: String, handle: @escaping @Sendable (Input, ActionContext, StateReader<State>) -> Effect<Void, Output>
  ) -> Middleware {
    EffectMiddleware(name, handle: handle).inject(())
  }

  /// A middleware that answers actions by effects, asked after the commit.
  ///
  /// - Parameter handle: gets the action, its context, the state before reducing and a reader of the state.
  public static func effects(
    _ name: String,
    handle: @escaping @Sendable (Input, ActionContext, _ before: State, StateReader<State>) -> Effect<Void, Output>
  ) -> Middleware {
    EffectMiddleware(name, handle: handle).inject(())
  }

  /// A middleware that answers no action, but keeps running the effects that the state asks for (R33). After every
  /// action, and once it is attached, effects with new ids start. Effects whose ids are missing stop; the others are
  /// left alone.
  ///
  /// - Parameter supervised: the complete set of long-lived effects of a state. If two have one id, the last wins.
  public static func supervising(
    _ name: String, _ supervised: @escaping @Sendable (State) -> [Supervised<Output>]
  ) -> Middleware {
    Middleware(
      units: [
        MiddlewareUnit(name: name) { attachment in
          let state = attachment.state
          attachment.supervise { supervised(state()) }
          return { _, _ in nil }
        }
      ])
  }
}
