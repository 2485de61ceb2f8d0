/// All that a store is made from. A store enhancer gets one, and may hand on another.
public struct StoreBlueprint<Action: Sendable, State: Sendable> {
  /// The state to start from.
  public var initial: State
  /// All reducers.
  public var reducer: Reducer<Action, State>
  /// All middlewares.
  public var middleware: Middleware<Action, Action, State>
  /// All interceptors, the outermost first.
  public var interceptors: [Interceptor<Action, State>]
  /// The policy by which watchers are told.
  public var emission: EmissionPolicy<State>
  /// The clock that stamps actions with the time and wakes effects; nil: actions bear time zero.
  public var clock: (any StoreClock)?
  /// True for states that traces take for the same; nil: every action counts as a change.
  public var areEqual: (@Sendable (State, State) -> Bool)?
  /// The number of actions that one outside dispatch may cause (R30).
  public var runawayLimit = 1000
  /// The number of actions from other threads that may wait while the store is busy (R2); nil: any number.
  public var queueLimit: Int?

  /// A blueprint of a store without interceptors.
  public init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    emission: EmissionPolicy<State>, clock: (any StoreClock)? = nil,
    areEqual: (@Sendable (State, State) -> Bool)? = nil
  ) {
    self.initial = initial
    self.reducer = reducer
    self.middleware = middleware
    interceptors = []
    self.emission = emission
    self.clock = clock
    self.areEqual = areEqual
  }

  /// A blueprint of a store whose watchers are told when the state differs.
  public init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    clock: (any StoreClock)? = nil
  ) where State: Equatable {
    self.init(
      initial: initial, reducer: reducer, middleware: middleware, emission: .whenDifferent, clock: clock,
      areEqual: { $0 == $1 })
  }

  /// Makes the store, enhanced: the last enhancer wraps the bare store, the first is outermost (R5).
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  public func makeStore(_ enhancers: StoreEnhancer<Action, State>...) throws(StoreError) -> Store<Action, State> {
    try StoreEnhancer.compose(enhancers).enhance(.bare).create(self)
  }
}

extension Store {
  /// Makes a store after a blueprint.
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  public convenience init(_ blueprint: StoreBlueprint<Action, State>) throws(StoreError) {
    try self.init(
      initial: blueprint.initial, reducer: blueprint.reducer, middleware: blueprint.middleware,
      interceptors: blueprint.interceptors, emission: blueprint.emission, clock: blueprint.clock,
      areEqual: blueprint.areEqual, runawayLimit: blueprint.runawayLimit, queueLimit: blueprint.queueLimit)
  }
}
