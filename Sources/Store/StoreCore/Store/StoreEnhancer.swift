/// Makes a store after a blueprint: Redux's `createStore`.
public struct StoreCreator<Action: Sendable, State: Sendable> {
  /// Makes the store.
  public let create: (StoreBlueprint<Action, State>) throws(StoreError) -> Store<Action, State>

  /// A creator that calls a closure.
  public init(_ create: @escaping (StoreBlueprint<Action, State>) throws(StoreError) -> Store<Action, State>) {
    self.create = create
  }

  /// The one that nothing enhances.
  public static var bare: StoreCreator {
    StoreCreator { (blueprint) throws(StoreError) in try Store(blueprint) }
  }
}

/// Makes another store creator out of one (R5): it may change the blueprint before the store is made, and work on the
/// store afterwards. The idea is Redux's.
public struct StoreEnhancer<Action: Sendable, State: Sendable> {
  /// Wraps a creator.
  public let enhance: (StoreCreator<Action, State>) -> StoreCreator<Action, State>

  /// An enhancer that calls a closure.
  public init(_ enhance: @escaping (StoreCreator<Action, State>) -> StoreCreator<Action, State>) {
    self.enhance = enhance
  }

  /// Changes nothing.
  public static var identity: StoreEnhancer { StoreEnhancer { $0 } }

  /// Enhancers from right to left: the last one wraps the bare store, the first is outermost.
  public static func compose(_ enhancers: [StoreEnhancer]) -> StoreEnhancer {
    StoreEnhancer { creator in enhancers.reversed().reduce(creator) { $1.enhance($0) } }
  }

  /// Wraps interceptors around what the store has already, the first of them outermost. Their own actions pass the
  /// whole chain, other enhancers' interceptors included.
  public static func applyMiddleware(_ interceptors: Interceptor<Action, State>...) -> StoreEnhancer {
    StoreEnhancer { creator in
      StoreCreator { (blueprint) throws(StoreError) in
        let store = try creator.create(blueprint)
        try store.replaceInterceptors(interceptors + store.interceptors)
        return store
      }
    }
  }
}
