// A reducer of one element as a reducer of the collection (R17). In place, whatever the collection; the first match wins,
// and where there is no such element nothing happens.

// `SendableMetatype` says that the conformance belongs to no actor, so that any thread may compare ids.
extension Reducer where State: Identifiable & SendableMetatype, State.ID: SendableMetatype {
  /// Makes this reducer one of a collection: it runs on the first element with the action's id, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the collection. It is searched from the start.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<State.ID, Action>?,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: pair(action), elementOf: elements)
  }

  /// Makes this reducer one of a collection, the action and its id given as a pair; see ``lift(action:elementOf:)``.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> (State.ID, Action)?,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: action, focus: ElementFocus<Elements, State.ID> { $0.id }).lift(state: elements)
  }
}

extension Reducer {
  /// Makes this reducer one of a collection: it runs on the first element of which a property has the action's id as its
  /// value, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the property's value and the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the collection. It is searched from the start.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection, ID: Hashable & SendableMetatype>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<ID, Action>?,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: pair(action), elementOf: elements, by: property)
  }

  /// Makes this reducer one of a collection by a property, the action and the property's value given as a pair; see
  /// ``lift(action:elementOf:by:)``.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection, ID: Hashable & SendableMetatype>(
    action: @escaping @Sendable (GlobalAction) -> (ID, Action)?,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: action, focus: ElementFocus<Elements, ID> { $0[keyPath: property] }).lift(state: elements)
  }

  /// Makes this reducer one of a collection: it runs on the element at the action's index, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the index and the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the collection. An index is one of its own: from 0 in an array; it may be out of bounds.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.Index, Action>?,
    elementAt elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State, Elements.Index: Hashable & SendableMetatype {
    lift(action: pair(action), elementAt: elements)
  }

  /// Makes this reducer one of a collection by index, the action and the index given as a pair; see
  /// ``lift(action:elementAt:)``.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> (Elements.Index, Action)?,
    elementAt elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: action, focus: IndexFocus<Elements>()).lift(state: elements)
  }

  /// Makes this reducer one of a collection: it runs on every element, in order (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction, GlobalState, Elements: MutableCollection>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    each elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: { global in action(global).map { ((), $0) } }, focus: EachElementFocus<Elements>())
      .lift(state: elements)
  }

  /// The action map of a lift to one element, as a pair.
  @inlinable
  func pair<GlobalAction, ID: SendableMetatype>(
    _ action: @escaping @Sendable (GlobalAction) -> ElementAction<ID, Action>?
  ) -> @Sendable (GlobalAction) -> (ID, Action)? {
    { global in action(global).map { ($0.id, $0.action) } }
  }
}
