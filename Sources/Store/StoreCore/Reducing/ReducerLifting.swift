// There is a lift for each way in which a caller has the action (a function, a case path) and the state (a key path, closures,
// an element, an optional), for reducers, middlewares and handlers each: a caller passes what it has, and the types of closures
// are inferred. Those that take a case path, or an element of a kind of collection, call the others.
extension Reducer {
  /// Makes this reducer one of a larger state: it sees only its slice, and only the actions that the map accepts (R14).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the slice, changed in place. No store takes a reducer whose slice lies behind a class reference
  ///     (``StoreError/sharedSlice(reducers:state:)``).
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    // A stored property lies at a fixed offset, and a pointer to it is several times quicker than a key path.
    guard let offset = MemoryLayout<GlobalState>.offset(of: state) else {
      return lift(action: { global in action(global).map { ((), $0) } }, focus: KeyPathFocus(state))
    }
    let (plain, traced) = (self.plain, self.traced)
    var liftedPlain: Reducer<GlobalAction, GlobalState>.Plain?
    if let plain {
      liftedPlain = { global, state in
        guard let local = action(global) else { return }
        withUnsafeMutablePointer(to: &state) { plain(local, &$0.part(at: offset, as: State.self).pointee) }
      }
    }
    return Reducer<GlobalAction, GlobalState>(
      names: names, plain: liftedPlain, canFail: liftedCanFail(action), accepts: liftedAccepts(action), fault: fault
    ) {
      global, state, context, trace in
      guard let local = action(global) else { return }
      try withUnsafeMutablePointer(to: &state) {
        try traced(local, &$0.part(at: offset, as: State.self).pointee, context, trace)
      }
    }
  }

  /// Makes this reducer one of a larger state, the slice read and written by closures.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    get: @escaping @Sendable (GlobalState) -> State,
    set: @escaping @Sendable (inout GlobalState, State) -> Void
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(action: { global in action(global).map { ((), $0) } }, focus: AccessorFocus(get: get, set: set))
  }

  /// Makes this reducer one of a larger state, reached by a closure that hands out the slice for change in place.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - modify: calls its argument with the slice, or not at all where there is none, and passes on what it throws.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    modify: @escaping @Sendable (inout GlobalState, (inout State) throws -> Void) throws -> Void
  ) -> Reducer<GlobalAction, GlobalState> {
    let traced = traced
    return Reducer<GlobalAction, GlobalState>(
      names: names, plain: nil, canFail: liftedCanFail(action), accepts: liftedAccepts(action), fault: fault
    ) {
      global, state, context, trace in
      guard let local = action(global) else { return }
      try modify(&state) { slice in try traced(local, &slice, context, trace) }
    }
  }

  /// The same where one closure hands out both, the local action too, where they lie.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil; asked only whether the reducer may fail on it.
  ///   - visit: calls its argument with both, or not at all where one is missing, and passes on what it throws.
  package func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    visit: @escaping @Sendable (GlobalAction, inout GlobalState, (Action, inout State) throws -> Void) throws -> Void
  ) -> Reducer<GlobalAction, GlobalState> {
    let traced = traced
    return Reducer<GlobalAction, GlobalState>(
      names: names, plain: nil, canFail: liftedCanFail(action), accepts: liftedAccepts(action), fault: fault
    ) {
      global, state, context, trace in
      try visit(global, &state) { local, slice in try traced(local, &slice, context, trace) }
    }
  }

  /// Makes this reducer one of a store with more actions and the same state.
  ///
  /// - Parameter action: the local action in a global one, or nil: the reducer is skipped.
  @inlinable
  public func lift<GlobalAction>(
    action: @escaping @Sendable (GlobalAction) -> Action?
  ) -> Reducer<GlobalAction, State> {
    let (plain, traced) = (self.plain, self.traced)
    var liftedPlain: Reducer<GlobalAction, State>.Plain?
    if let plain {
      liftedPlain = { global, state in
        if let local = action(global) { plain(local, &state) }
      }
    }
    return Reducer<GlobalAction, State>(
      names: names, plain: liftedPlain, canFail: liftedCanFail(action), accepts: liftedAccepts(action), fault: fault
    ) { global, state, context, trace in
      if let local = action(global) { try traced(local, &state, context, trace) }
    }
  }

  /// Makes this reducer one of a larger state with the same actions.
  @inlinable
  public func lift<GlobalState>(
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<Action, GlobalState> {
    lift(action: { $0 }, state: state)
  }

  /// The same with a slice that copies of the state share, which no store takes.
  @usableFromInline
  func sharingSlice() -> Reducer {
    if names.isEmpty { return self }
    return Reducer(
      names: names, plain: plain, canFail: canFail, accepts: accepts,
      fault: fault ?? .sharedSlice(reducers: names, state: "\(State.self)"),
      traced: traced)
  }

  @inlinable
  func liftedCanFail<GlobalAction>(
    _ action: @escaping @Sendable (GlobalAction) -> Action?
  ) -> (@Sendable (GlobalAction) -> Bool)? {
    guard let canFail else { return nil }
    return { global in action(global).map(canFail) ?? false }
  }

  @inlinable
  func liftedAccepts<GlobalAction>(
    _ action: @escaping @Sendable (GlobalAction) -> Action?
  ) -> @Sendable (GlobalAction) -> Bool {
    let accepts = accepts
    return { global in action(global).map { accepts?($0) ?? true } ?? false }
  }
}

extension UnsafeMutablePointer {
  @inlinable
  func part<Part>(at offset: Int, as type: Part.Type) -> UnsafeMutablePointer<Part> {
    (UnsafeMutableRawPointer(self) + offset).assumingMemoryBound(to: Part.self)
  }
}

extension Reducer {
  /// Makes this reducer one of an optional state: it runs on the value while there is one, and does nothing otherwise.
  @inlinable
  public func liftOptional() -> Reducer<Action, State?> {
    lift(action: { ((), $0) }, focus: WrappedFocus<State>())
  }

  /// Makes this reducer one of a larger state that may hold a slice or not. The reducer runs on the slice while there
  /// is one, and does nothing otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the slice, changed in place.
  @inlinable
  public func liftOptional<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    liftOptional().lift(action: action, state: state)
  }
}

// A reducer of one element as a reducer of the state that holds it (R17). In place, whatever the collection; the first match
// wins, and where there is no such element nothing happens.

extension Reducer {
  /// Makes this reducer one of a larger state (R17): `lift(action: { $0.row }, element: .of(\.rows))`. The reducer runs
  /// on the element that an action is for, if there is one.
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.Key, Action>?, element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Key: Hashable & SendableMetatype {
    lift(action: { global in action(global).map { ($0.id, $0.action) } }, focus: elements)
  }

  /// Makes this reducer one of a larger state, the action and its id given as a pair; see ``lift(action:element:)``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus>(
    action: @escaping @Sendable (GlobalAction) -> (Elements.Key, Action)?, element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: action, focus: elements)
  }

  /// Makes this reducer one of a larger state: it runs on every element, in order (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: ElementsFocus>(
    action: @escaping @Sendable (GlobalAction) -> Action?, each elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: { global in action(global).map { ((), $0) } }, focus: EachFocus(elements))
  }
}

/// A dictionary, in the widest sense: what a lift to one entry, or to all, asks of a collection (R17).
public protocol KeyedCollection<Key, Value> {
  /// The key that tells one entry from another.
  associatedtype Key
  /// The content of an entry.
  associatedtype Value
  /// The type of `keys`.
  associatedtype Keys: Sequence where Keys.Element == Key

  /// The keys, in any order.
  var keys: Keys { get }

  /// The value under a key, or nil where there is none.
  subscript(key: Key) -> Value? { get }

  /// Changes the value under a key in place.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  mutating func modifyValue<Result>(forKey key: Key, _ body: (inout Value) throws -> Result) rethrows -> Result?
}

extension Dictionary: KeyedCollection {
  /// Changes the value under a key in place.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    guard let index = index(forKey: key) else { return nil }
    return try body(&values[index])
  }
}
