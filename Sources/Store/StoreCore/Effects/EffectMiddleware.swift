/// A unit that answers actions by effects, before it is given what they depend on. The idea is SwiftRex's `EffectMiddleware`.
public struct EffectMiddleware<Dependencies: Sendable, Input, Output, State>: Sendable {
  /// Answers an action: it is asked after the commit, in the unit's IO (row 37 of <doc:Coverage>).
  public typealias Handler =
    @Sendable (Input, ActionContext, StateReader<State>) -> Effect<Dependencies, Output>

  /// The name of the unit in traces, gates and listings.
  public let name: String
  private let attach:
    @Sendable (Dependencies, MiddlewareUnit<Input, Output, State>.Attachment)
      -> MiddlewareUnit<Input, Output, State>.Handler

  /// A unit that answers by effects.
  ///
  /// - Parameter handle: gets the action, its context and a reader of the state, which gives the state after the commit and,
  ///   in the effect, that of the moment of each read.
  public init(_ name: String, handle: @escaping Handler) {
    self.init(name) { attachment, answer in
      MiddlewareUnit(name: name) { input, context, state in
        IO { output in answer(attachment, handle(input, context, state), context, output) }
      }
    }
  }

  /// A unit that answers by effects and compares the state with what it was.
  ///
  /// - Parameter handle: gets the action, its context, the state before reducing and a reader of the state. The store then
  ///   keeps the state before each action while it is reduced, so collections that grow should be persistent ones.
  public init(
    _ name: String,
    handle:
      @escaping @Sendable (Input, ActionContext, _ before: State, StateReader<State>) -> Effect<
        Dependencies, Output
      >
  ) {
    self.init(name) { attachment, answer in
      MiddlewareUnit(name: name) { input, context, state in
        let before = state()
        return IO { output in answer(attachment, handle(input, context, before, state), context, output) }
      }
    }
  }

  private typealias Attachment = MiddlewareUnit<Input, Output, State>.Attachment
  private typealias Answer =
    @Sendable (Attachment, Effect<Dependencies, Output>, ActionContext, ActionHandler<Output>) -> Void

  private init(
    _ name: String, _ unit: @escaping @Sendable (Attachment, @escaping Answer) -> MiddlewareUnit<Input, Output, State>
  ) {
    self.name = name
    attach = { dependencies, attachment in
      unit(attachment) { attachment, effect, context, output in
        attachment.effects.start(effect, dependencies: dependencies, context: context, output: output)
      }.attach(attachment)
    }
  }

  /// The unit with what its effects depend on.
  public func inject(_ dependencies: Dependencies) -> Middleware<Input, Output, State> {
    let attach = attach
    return Middleware(units: [MiddlewareUnit(name: name) { attach(dependencies, $0) }])
  }
}

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
        MiddlewareUnit(
          name: name,
          stating: { attachment in
            let state = attachment.state
            attachment.supervise { supervised(state()) }
          })
      ])
  }
}
