// A handler of one element as a handler of the collection (R17), both halves by one declaration. What holds for the reducer
// says `Reducer.lift(action:elementOf:)`, for the middleware `Middleware.lift(input:output:elementIn:)`.

extension Handler where State: Identifiable & SendableMetatype, State.ID: Sendable {
  /// Makes this handler one of a collection: it runs on the first element with the action's id, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<State.ID, Action>?,
    embed: @escaping @Sendable (State.ID, Action) -> GlobalAction,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Handler<GlobalAction, GlobalState> where Elements.Element == State {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, elementOf: elements),
      middleware: middleware.lift(input: action, output: embed, elementOf: elements))
  }

  /// Makes this handler one of a collection: it runs on every element (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    embed: @escaping @Sendable (State.ID, Action) -> GlobalAction,
    each elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Handler<GlobalAction, GlobalState> where Elements.Element == State {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, each: elements),
      middleware: middleware.lift(input: action, output: embed, each: elements))
  }
}

extension Handler {
  /// Makes this handler one of a collection: it runs on the first element of which a property has the action's id as its
  /// value, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the property's value and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection, ID: Hashable & Sendable>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<ID, Action>?,
    embed: @escaping @Sendable (ID, Action) -> GlobalAction,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable, by property: KeyPath<State, ID> & Sendable
  ) -> Handler<GlobalAction, GlobalState> where Elements.Element == State {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, elementOf: elements, by: property),
      middleware: middleware.lift(input: action, output: embed, elementOf: elements, by: property))
  }

  /// Makes this handler one of a collection: it runs on the element at the action's index, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the index and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.Index, Action>?,
    embed: @escaping @Sendable (Elements.Index, Action) -> GlobalAction,
    elementAt elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Handler<GlobalAction, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, elementAt: elements),
      middleware: middleware.lift(input: action, output: embed, elementAt: elements))
  }

  /// Makes this handler one of a dictionary: it runs on the value under the action's key, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the key and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an entry.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction, GlobalState, Entries: KeyedCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Entries.Key, Action>?,
    embed: @escaping @Sendable (Entries.Key, Action) -> GlobalAction,
    elementOf entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Handler<GlobalAction, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, elementOf: entries),
      middleware: middleware.lift(input: action, output: embed, elementOf: entries))
  }

  /// Makes this handler one of a dictionary: it runs on every value, in the order of the keys (R17, R31).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an entry.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction, GlobalState, Entries: KeyedCollection>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    embed: @escaping @Sendable (Entries.Key, Action) -> GlobalAction,
    each entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Handler<GlobalAction, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.lift(action: action, each: entries),
      middleware: middleware.lift(input: action, output: embed, each: entries))
  }

  /// Makes this handler one of a larger state that may hold a slice or not: it runs on the slice while there is one, and
  /// does nothing otherwise.
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
      middleware: middleware.liftOptional(input: action, output: embed, state: { $0[keyPath: state] }))
  }

  /// Makes this handler one of an optional state.
  @inlinable
  public func liftOptional() -> Handler<Action, State?> {
    Handler<Action, State?>(reducer: reducer.liftOptional(), middleware: middleware.liftOptional())
  }
}
