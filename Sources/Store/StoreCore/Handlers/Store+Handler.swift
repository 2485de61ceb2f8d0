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
