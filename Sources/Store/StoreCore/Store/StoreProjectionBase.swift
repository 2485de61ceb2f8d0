/// The base of a projection: a store or another projection.
protocol ProjectionBase<Action, State>: Sendable {
  associatedtype Action: Sendable
  associatedtype State: Sendable

  /// The point at which dropped actions are reported.
  var trace: TracePoint { get }
  /// Reads something of the state, between two changes of it.
  func read<Part>(_ part: (State) -> Part) -> Part
  func send(_ action: Action, _ source: ActionSource) -> DispatchResult?
  func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription
  /// The way in and a way out, without keeping the store alive.
  func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part>
}

extension Store: ProjectionBase {
  func read<Part>(_ part: (State) -> Part) -> Part { withState { part($0) } }

  func send(_ action: Action, _ source: ActionSource) -> DispatchResult? { dispatch(action, source: source) }
}

/// A projection of a base. Watchers are mapped all the way down, so that they are compared, and traced, by what they see.
struct Projected<Base: ProjectionBase, Action: Sendable, State: Sendable>: ProjectionBase {
  let name: String?
  let base: Base
  let action: @Sendable (Action) -> Base.Action?
  let state: @Sendable (Base.State) -> State
  /// What lives as long as the projection does; connections do not keep it.
  var keeper: (any AnyObject & Sendable)?

  var trace: TracePoint { base.trace }

  func read<Part>(_ part: (State) -> Part) -> Part { base.read { part(state($0)) } }

  func send(_ action: Action, _ source: ActionSource) -> DispatchResult? {
    guard let mapped = self.action(action) else {
      Projected.noteDropped(action, by: name, trace)
      return nil
    }
    return base.send(mapped, source)
  }

  func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let state = state
    return base.watch(name, { part(state($0)) }, isDifferent: isDifferent, onChange)
  }

  func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part> {
    let (state, map, ownName, trace) = (state, action, self.name, trace)
    let inner = base.connection(name, { part(state($0)) }, isDifferent: isDifferent)
    return StoreConnection(
      isOpen: inner.isOpen,
      dispatch: { dispatched in
        guard let mapped = dispatched.compactMap(map) else {
          Projected.noteDropped(dispatched.action, by: ownName, trace)
          return nil
        }
        return inner.dispatch(mapped)
      }, subscribe: inner.subscribe)
  }

  private static func noteDropped(_ action: Action, by name: String?, _ trace: TracePoint) {
    trace.reportFromAnyThread(.dropped(what: action, reason: name.map { "projection \($0)" } ?? "projection"))
  }
}
