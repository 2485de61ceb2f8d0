import StoreCore
import StoreSchema

// The lifts to elements and entries (R17) with the action given by the name of its case, the element's action in an
// ``ElementAction`` or a pair of the case's two payloads.

extension Reducer where State: Identifiable & SendableMetatype, State.ID: SendableMetatype {
  /// Makes this reducer one of a collection, by the elements' ids: `lift(action: \.row, elementOf: \.rows)`.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's id and action; other cases skip the reducer.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Elements: MutableCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<State.ID, Action>>>,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: elements)
  }

  /// Makes this reducer one of a collection, by the elements' ids, out of a case with two payloads.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's id and, second, its action; other cases skip the reducer.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Elements: MutableCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, (State.ID, Action)>>,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: elements)
  }
}

extension Reducer {
  /// Makes this reducer one of a collection, by a property of the elements.
  ///
  /// - Parameters:
  ///   - action: the case that holds the property's value and the element's action; other cases skip the reducer.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<
    GlobalAction: CasePathable, GlobalState, Elements: MutableCollection,
    ID: Hashable & SendableMetatype
  >(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<ID, Action>>>,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: elements, by: property)
  }

  /// Makes this reducer one of a collection, by a property of the elements, out of a case with two payloads.
  ///
  /// - Parameters:
  ///   - action: the case that holds the property's value and, second, the element's action; other cases skip the reducer.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<
    GlobalAction: CasePathable, GlobalState, Elements: MutableCollection,
    ID: Hashable & SendableMetatype
  >(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, (ID, Action)>>,
    elementOf elements: WritableKeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: elements, by: property)
  }

  /// Makes this reducer one of a collection, by index.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's index and action; other cases skip the reducer.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Elements: MutableCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.Index, Action>>>,
    elementAt elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State, Elements.Index: Hashable & SendableMetatype {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementAt: elements)
  }

  /// Makes this reducer one of a collection, by index, out of a case with two payloads.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's index and, second, its action; other cases skip the reducer.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Elements: MutableCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, (Elements.Index, Action)>>,
    elementAt elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementAt: elements)
  }

  /// Makes this reducer one of every element of a collection.
  ///
  /// - Parameters:
  ///   - action: the case that holds the elements' action; other cases skip the reducer.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Elements: MutableCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    each elements: WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Elements.Element == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, each: elements)
  }

  /// Makes this reducer one of a dictionary, by key.
  ///
  /// - Parameters:
  ///   - action: the case that holds the entry's key and action; other cases skip the reducer.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Entries: KeyedCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Entries.Key, Action>>>,
    elementOf entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State, Entries.Key: Hashable & SendableMetatype {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: entries)
  }

  /// Makes this reducer one of a dictionary, by key, out of a case with two payloads.
  ///
  /// - Parameters:
  ///   - action: the case that holds the entry's key and, second, its action; other cases skip the reducer.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Entries: KeyedCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, (Entries.Key, Action)>>,
    elementOf entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, elementOf: entries)
  }

  /// Makes this reducer one of every value of a dictionary.
  ///
  /// - Parameters:
  ///   - action: the case that holds the entries' action; other cases skip the reducer.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState, Entries: KeyedCollection>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    each entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State, Entries.Key: Comparable {
    lift(action: GlobalAction.cases[keyPath: action].extract, each: entries)
  }
}
