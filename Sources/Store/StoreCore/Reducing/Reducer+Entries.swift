// A reducer of one entry as a reducer of the dictionary (R17), in place; where there is no such key nothing happens.

extension Reducer {
  /// Makes this reducer one of a dictionary: it runs on the value under the action's key, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the key and the local action in a global one, or nil: the reducer is skipped.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction, GlobalState, Entries: KeyedCollection>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Entries.Key, Action>?,
    elementOf entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State, Entries.Key: Hashable & SendableMetatype {
    lift(action: pair(action), elementOf: entries)
  }

  /// Makes this reducer one of a dictionary, the action and its key given as a pair; see ``lift(action:elementOf:)``.
  @inlinable
  public func lift<GlobalAction, GlobalState, Entries: KeyedCollection>(
    action: @escaping @Sendable (GlobalAction) -> (Entries.Key, Action)?,
    elementOf entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State {
    lift(action: action, focus: EntryFocus<Entries>()).lift(state: entries)
  }

  /// Makes this reducer one of a dictionary: it runs on every value, in the order of the keys (R17, R31).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalAction, GlobalState, Entries: KeyedCollection>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    each entries: WritableKeyPath<GlobalState, Entries> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> where Entries.Value == State, Entries.Key: Comparable {
    lift(action: { global in action(global).map { ((), $0) } }, focus: EachEntryFocus<Entries>()).lift(state: entries)
  }
}
