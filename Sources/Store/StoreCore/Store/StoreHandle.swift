/// A store in the hands of those who watch it: a ``Store``, a ``StoreProjection`` of it, or the handle of a store that others
/// host. The same calls give the states of all of them, and show them on the main actor.
public protocol StoreHandle<Action, State>: Sendable {
  /// The actions that it takes.
  associatedtype Action: Sendable
  /// The state that it shows.
  associatedtype State: Sendable

  /// The state now.
  var state: State { get }

  /// The connection to a part of the state, for bridges and sequences; it does not keep the store alive.
  ///
  /// - Parameters:
  ///   - name: the name of its watchers in traces.
  ///   - part: the part that subscribers are told of.
  ///   - isDifferent: true if they are told of the change from one part to another; nil: they are told after each commit
  ///     that the store's emission policy lets through.
  func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part>
}

extension Store: StoreHandle {
  /// The connection to a part of the state; see ``StoreHandle/connection(_:_:isDifferent:)``.
  public func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part> {
    StoreConnection(to: self) { store, onChange in store.watch(name, part, isDifferent: isDifferent, onChange) }
  }
}

extension StoreProjection: StoreHandle {
  /// The connection to a part of the projected state; see ``StoreHandle/connection(_:_:isDifferent:)``.
  public func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part> { base.connection(name, part, isDifferent: isDifferent) }
}
