/// A reducer and a middleware that belong together, lifted into a larger store by one declaration.
///
/// Handlers form a monoid (R16): the reducers are composed, and so are the middlewares. The idea and the name come from
/// SwiftRex's snippets. Not to be confused with ``ActionHandler``, which takes actions in.
public struct Handler<Action, State>: Composed, Sendable {
  /// The part that changes the state.
  public let reducer: Reducer<Action, State>
  /// The part that watches actions and causes others.
  public let middleware: Middleware<Action, Action, State>

  /// Joins the two; either may be left out.
  @inlinable
  public init(reducer: Reducer<Action, State> = .identity, middleware: Middleware<Action, Action, State> = .identity) {
    self.reducer = reducer
    self.middleware = middleware
  }

  /// Does nothing; neutral on both sides of a composition.
  @inlinable public static var identity: Handler { Handler() }

  /// This handler, then another.
  @inlinable
  public func appending(_ other: Handler) -> Handler {
    Handler(reducer: reducer.appending(other.reducer), middleware: middleware.appending(other.middleware))
  }

  /// The same with the middleware's units under other names, `PREFIX.NAME`, so that one handler can stand in a store several
  /// times.
  public func prefixed(_ prefix: String) -> Handler {
    Handler(reducer: reducer, middleware: middleware.prefixed(prefix))
  }

  // MARK: Lifting

  /// Makes this handler one of a larger store (R14).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one which the middleware dispatches.
  ///   - state: the slice, changed in place by the reducer and read by the middleware.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?, embed: @escaping @Sendable (Action) -> GlobalAction,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, state: state),
      middleware: middleware.lift(input: action, output: embed, state: { $0[keyPath: state] }))
  }

  /// Makes this handler one of a larger store, the slice read and written by closures.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?, embed: @escaping @Sendable (Action) -> GlobalAction,
    get: @escaping @Sendable (GlobalState) -> State, set: @escaping @Sendable (inout GlobalState, State) -> Void
  ) -> Handler<GlobalAction, GlobalState> {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, get: get, set: set),
      middleware: middleware.lift(input: action, output: embed, state: get))
  }

  /// Makes this handler one of a larger state with the same actions.
  @inlinable
  public func lift<GlobalState>(
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Handler<Action, GlobalState> {
    lift(action: { $0 }, embed: { $0 }, state: state)
  }
}
