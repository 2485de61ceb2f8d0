import StoreCore
import StoreSchema

/// Something to do that dispatches actions, carried by an action of its own (R20). The action passes the interceptors,
/// and the one made by ``StoreCore/Interceptor/thunks(_:_:)`` takes it, so that it never reaches the reducers. The idea
/// is redux-thunk's.
public struct Thunk<Action: Sendable, State: Sendable>: Sendable {
  /// The name in listings and traces.
  public let name: String
  let body: @Sendable (ThunkContext<Action, State>) async -> Void

  /// A thunk that calls a closure, on the thread that owns the store: at once up to where it first waits, then between two
  /// actions.
  public init(_ name: String, _ body: @escaping @Sendable (ThunkContext<Action, State>) async -> Void) {
    self.name = name
    self.body = body
  }
}

extension Thunk: CustomStringConvertible {
  /// The name, marked as a thunk's.
  public var description: String { "thunk:\(name)" }
}

/// The tools of a thunk.
public struct ThunkContext<Action: Sendable, State: Sendable>: Sendable {
  /// Reads the state of that moment.
  public let state: StateReader<State>
  let effect: EffectContext<Void, Action>
  let wait: @Sendable (DispatchedAction<Action>) async -> DispatchResult

  /// Enqueues an action; it passes the whole chain of interceptors.
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    effect.send(DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Enqueues an action, and waits until it is done: what ``state`` gives then shows its effect.
  @discardableResult
  public func dispatchAndWait(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) async -> DispatchResult {
    await wait(
      DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Waits on the store's clock.
  ///
  /// - Throws: where the thunk is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) { try await effect.sleep(for: duration) }

  /// True if the thunk was cancelled: its actions are dropped.
  public var isCancelled: Bool { effect.isCancelled }
}

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
    lift(output: GlobalAction.cases[keyPath: action].embed, state: reading(state))
  }
}

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
