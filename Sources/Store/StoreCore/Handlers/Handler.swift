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
      middleware: middleware.lift(input: action, output: embed, state: reading(state)))
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

/// Lists handlers from top to bottom; reducers and middlewares may stand among them.
public typealias HandlerBuilder<Action, State> = CompositionBuilder<Handler<Action, State>>

/// A reducer, or a middleware whose actions go in and out: half of a handler. One function of the builder takes both, so that
/// the compiler names what is wrong with a handler.
public protocol HalfHandler {
  /// The actions, in and out.
  associatedtype Action
  /// The state.
  associatedtype State
  /// The handler that does no more.
  var handler: Handler<Action, State> { get }
}

extension Reducer: HalfHandler {
  /// The handler of this reducer and no middleware.
  public var handler: Handler<Action, State> { Handler(reducer: self) }
}

extension Middleware: HalfHandler where Input == Output {
  /// The handler of this middleware and no reducer.
  public var handler: Handler<Input, State> { Handler(middleware: self) }
}

extension CompositionBuilder {
  /// A reducer or a middleware alone.
  public static func buildExpression<Half: HalfHandler>(
    _ half: Half
  ) -> Part where Part == Handler<Half.Action, Half.State> { half.handler }
}

// A handler of one element as a handler of the state that holds it (R17), both halves by one declaration. The reducer
// follows the rules of `Reducer.lift(action:element:)`, the middleware those of
// `Middleware.lift(input:output:element:)`.

extension Handler {
  /// Makes this handler one of a larger state: it runs on the element that an action is for, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus & ElementReading>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.ID, Action>?,
    embed: @escaping @Sendable (Elements.ID, Action) -> GlobalAction, element elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole>
  where Elements.Part == State, Elements.Element == State, Elements.Key == Elements.ID {
    Handler<GlobalAction, Elements.Whole>(
      reducer: reducer.lift(action: action, element: elements),
      middleware: middleware.lift(input: action, output: embed, element: elements))
  }

  /// Makes this handler one of a larger state: it runs on every element (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: ElementsFocus & ElementReading>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    embed: @escaping @Sendable (Elements.ID, Action) -> GlobalAction, each elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Element == State {
    Handler<GlobalAction, Elements.Whole>(
      reducer: reducer.lift(action: action, each: elements),
      middleware: middleware.lift(input: action, output: embed, each: elements))
  }

  /// Makes this handler one of a larger state that may hold a slice or not. The handler runs on the slice while there
  /// is one, and does nothing otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?, embed: @escaping @Sendable (Action) -> GlobalAction,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.liftOptional(action: action, state: state),
      middleware: middleware.liftOptional(input: action, output: embed, state: reading(state)))
  }

  /// Makes this handler one of an optional state.
  @inlinable
  public func liftOptional() -> Handler<Action, State?> {
    Handler<Action, State?>(reducer: reducer.liftOptional(), middleware: middleware.liftOptional())
  }
}

extension Store {
  /// Makes a store in one block of reducers, middlewares and handlers, lifted or not.
  ///
  /// - Parameters:
  ///   - initial: the state to start from.
  ///   - interceptors: all interceptors, the outermost first.
  ///   - emission: when watchers are notified.
  ///   - clock: stamps actions with the time; nil: they bear time zero.
  ///   - areEqual: true for states that traces take for the same; nil: every action counts as a change.
  ///   - runawayLimit: the number of actions that one outside dispatch may cause (R30).
  ///   - queueLimit: the number of actions from other threads that may wait while the store is busy (R2); nil: any.
  ///   - handler: the reducers and middlewares, top to bottom.
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public convenience init(
    initial: State, interceptors: [Interceptor<Action, State>] = [], emission: EmissionPolicy<State>,
    clock: (any StoreClock)? = nil,
    areEqual: (@Sendable (State, State) -> Bool)? = nil, runawayLimit: Int = 1000, queueLimit: Int? = nil,
    @HandlerBuilder<Action, State> handler: () -> Handler<Action, State>
  ) throws(StoreError) {
    let handler = handler()
    try self.init(
      initial: initial, reducer: handler.reducer, middleware: handler.middleware, interceptors: interceptors,
      emission: emission, clock: clock, areEqual: areEqual, runawayLimit: runawayLimit, queueLimit: queueLimit)
  }

  /// Makes a store in one block, whose watchers are told when the state differs.
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public convenience init(
    initial: State, interceptors: [Interceptor<Action, State>] = [], clock: (any StoreClock)? = nil,
    runawayLimit: Int = 1000, queueLimit: Int? = nil,
    @HandlerBuilder<Action, State> handler: () -> Handler<Action, State>
  ) throws(StoreError) where State: Equatable {
    let handler = handler()
    try self.init(
      initial: initial, reducer: handler.reducer, middleware: handler.middleware, interceptors: interceptors,
      clock: clock, runawayLimit: runawayLimit, queueLimit: queueLimit)
  }

  /// Makes a store of a handler.
  ///
  /// - Parameters:
  ///   - initial: the state to start from.
  ///   - handler: all reducers and middlewares.
  ///   - interceptors: all interceptors, the outermost first.
  ///   - emission: when watchers are notified.
  ///   - clock: stamps actions with the time; nil: they bear time zero.
  ///   - areEqual: true for states that traces take for the same; nil: every action counts as a change.
  ///   - runawayLimit: the number of actions that one outside dispatch may cause (R30).
  ///   - queueLimit: the number of actions from other threads that may wait while the store is busy (R2); nil: any.
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public convenience init(
    initial: State, handler: Handler<Action, State>, interceptors: [Interceptor<Action, State>] = [],
    emission: EmissionPolicy<State>, clock: (any StoreClock)? = nil,
    areEqual: (@Sendable (State, State) -> Bool)? = nil, runawayLimit: Int = 1000, queueLimit: Int? = nil
  ) throws(StoreError) {
    try self.init(
      initial: initial, reducer: handler.reducer, middleware: handler.middleware, interceptors: interceptors,
      emission: emission, clock: clock, areEqual: areEqual, runawayLimit: runawayLimit, queueLimit: queueLimit)
  }

  /// Makes a store of a handler, whose watchers are told when the state differs.
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public convenience init(
    initial: State, handler: Handler<Action, State>, interceptors: [Interceptor<Action, State>] = [],
    clock: (any StoreClock)? = nil, runawayLimit: Int = 1000, queueLimit: Int? = nil
  ) throws(StoreError) where State: Equatable {
    try self.init(
      initial: initial, reducer: handler.reducer, middleware: handler.middleware, interceptors: interceptors,
      clock: clock, runawayLimit: runawayLimit, queueLimit: queueLimit)
  }
}
