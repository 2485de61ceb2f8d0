/// Wraps all the phases of every action (R5): sees it before any middleware, and again once it is committed. Unlike a
/// middleware it may drop an action, by not calling `next`, or pass on another.
///
/// This is what Redux calls a middleware; the name here is free for what SwiftRex calls so. An interceptor is a class because
/// a store keeps what one attached to across changes of the list, by identity.
public final class Interceptor<Action: Sendable, State: Sendable>: Sendable {
  /// Passes an action on to the rest of the chain; when it returns, the action is committed, or its reducers failed.
  public typealias Next = (Action) -> Void

  /// The name in traces, listings and errors; unique among a store's interceptors.
  public let name: String
  let attach: @Sendable (Attachment) -> (@escaping Next) -> (Action) -> Void

  /// The tools that an interceptor gets when it is attached to a store.
  public struct Attachment: Sendable {
    /// Enqueues actions; they pass the whole chain again. Not before the chain is built: dispatching earlier is an error.
    public let output: ActionHandler<Action>
    /// Reads the state of that moment: before `next` the one before, after it the committed one.
    public let state: StateReader<State>
    /// Starts and cancels effects on the interceptor's behalf; they are cancelled when it leaves the store.
    public let effects: EffectScope
    /// The number, source and time of the action on its way; nil between two actions.
    public let context: @Sendable () -> ActionContext?
    let outputOfAction: @Sendable (ActionContext) -> ActionHandler<Action>
    let wait: @Sendable (DispatchedAction<Action>, _ root: Int) async -> DispatchResult

    /// Enqueues actions on behalf of another, its cause, for as long as it takes: the output of effects.
    public func output(of context: ActionContext) -> ActionHandler<Action> { outputOfAction(context) }

    /// Enqueues an action on behalf of another, its cause, and waits until it is done: committed, failed or dropped.
    ///
    /// - Returns: ``StoreError/cancelled`` where the task that waits was cancelled before, or the store is gone.
    public func dispatchAndWait(
      _ dispatched: DispatchedAction<Action>, of context: ActionContext
    ) async -> DispatchResult {
      if Task.isCancelled { return DispatchResult(number: nil, outcome: .stopped(.cancelled)) }
      var source = dispatched.source
      if source.cause == nil { source.cause = context.number }
      return await wait(DispatchedAction(dispatched.action, source: source), context.root)
    }
  }

  /// An interceptor in the shape that Redux gives its middlewares: `{ dispatch, get in { next in { action in … } } }`. The
  /// outer two closures run once, while the chain is built.
  ///
  /// - Parameters:
  ///   - name: the name in traces, listings and errors.
  ///   - build: gets a handler that enqueues and a reader of the state; what it returns gets `next`; what that returns gets
  ///     every action.
  public convenience init(
    _ name: String,
    build: @escaping @Sendable (ActionHandler<Action>, StateReader<State>) -> (@escaping Next) -> (Action) -> Void
  ) {
    self.init(name, attach: { build($0.output, $0.state) })
  }

  /// An interceptor that is one function.
  ///
  /// - Parameters:
  ///   - name: the name in traces, listings and errors.
  ///   - body: gets the action, its context, what the interceptor may use, and `next`.
  public convenience init(
    _ name: String, body: @escaping @Sendable (Action, ActionContext, Attachment, Next) -> Void
  ) {
    self.init(name) { attachment in
      { next in
        { action in
          guard let context = attachment.context() else { return }
          body(action, context, attachment, next)
        }
      }
    }
  }

  /// An interceptor that makes its function when it is attached.
  public init(_ name: String, attach: @escaping @Sendable (Attachment) -> (@escaping Next) -> (Action) -> Void) {
    self.name = name
    self.attach = attach
  }

  /// The same interceptor attached by way of something else.
  package func mapAttachment(_ transform: @escaping @Sendable (Attachment) -> Attachment) -> Interceptor {
    let attach = attach
    return Interceptor(name, attach: { attachment in attach(transform(attachment)) })
  }
}

extension Interceptor.Attachment {
  /// The same with all that is dispatched led elsewhere.
  ///
  /// - Parameters:
  ///   - output: takes what is dispatched at any time.
  ///   - outputOfAction: makes what takes the output of effects.
  ///   - wait: takes an action, and waits until it is done.
  package func leading(
    to output: ActionHandler<Action>,
    outputOfAction: @escaping @Sendable (ActionContext) -> ActionHandler<Action>,
    wait: @escaping @Sendable (DispatchedAction<Action>, _ root: Int) async -> DispatchResult
  ) -> Self {
    Self(
      output: output, state: state, effects: effects, context: context, outputOfAction: outputOfAction, wait: wait)
  }
}

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
