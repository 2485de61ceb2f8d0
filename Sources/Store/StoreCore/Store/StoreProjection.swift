/// A view of a store with other actions and another state (R26). A projection owns nothing. State is mapped on every
/// read, actions before they are enqueued; an action that maps to nil is not enqueued at all.
/// Extensions add one way to make a view a file.
public struct StoreProjection<Action: Sendable, State: Sendable>: Sendable {
  let base: any ProjectionBase<Action, State>

  init(_ base: any ProjectionBase<Action, State>) { self.base = base }

  /// The state now, mapped.
  public var state: State { base.read { $0 } }

  /// Maps an action and has it processed; nil where the map drops it.
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult? {
    dispatch(action, source: .here(info: info, file: file, function: function, line: line))
  }

  /// Maps an action from a known source and has it processed; nil where the map drops it.
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult? { base.send(action, source) }

  /// Tells a watcher of the projected state, now and after every commit that changed it.
  public func watch(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>) -> Void
  ) -> Subscription where State: Equatable {
    base.watch(name, { $0 }, isDifferent: { $0 != $1 }, onChange)
  }

  /// A view of this view.
  ///
  /// - Parameters:
  ///   - name: the name in traces of dropped actions.
  ///   - action: this view's action for one of the new view's; nil drops it before it is enqueued.
  ///   - state: the part of this view's state that the new view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    named name: String? = nil, action: @escaping @Sendable (Local) -> Action?,
    state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    func project<Base: ProjectionBase<Action, State>>(_ base: Base) -> StoreProjection<Local, Part> {
      StoreProjection<Local, Part>(Projected(name: name, base: base, action: action, state: state))
    }
    return project(base)
  }
}

extension Store {
  /// A view of the store with other actions and another state.
  ///
  /// - Parameters:
  ///   - name: the name in traces of dropped actions.
  ///   - action: the store's action for one of the view's; nil drops it before it is enqueued.
  ///   - state: the part of the state that the view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    named name: String? = nil, action: @escaping @Sendable (Local) -> Action?,
    state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    projection(named: name, keeping: nil, action: action, state: state)
  }

  /// A view of the store that keeps somebody alive: the party that shares the store with others.
  package func projection<Local: Sendable, Part: Sendable>(
    named name: String?, keeping keeper: (any AnyObject & Sendable)?, action: @escaping @Sendable (Local) -> Action?,
    state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    StoreProjection<Local, Part>(Projected(name: name, base: self, action: action, state: state, keeper: keeper))
  }
}

extension StoreProtocol {
  /// A view of the store with other actions and the same state.
  ///
  /// - Parameters:
  ///   - name: the name in traces of dropped actions.
  ///   - action: the store's action for one of the view's; nil drops it before it is enqueued.
  public func projection<Local: Sendable>(
    named name: String? = nil, action: @escaping @Sendable (Local) -> Action?
  ) -> StoreProjection<Local, State> {
    projection(named: name, action: action, state: { $0 })
  }

  /// A view of the store with the same actions and another state.
  public func projection<Part: Sendable>(
    state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Action, Part> {
    projection(action: { $0 }, state: state)
  }
}

extension StoreProjection {
  /// A view of this view with other actions and the same state.
  ///
  /// - Parameters:
  ///   - name: the name in traces of dropped actions.
  ///   - action: this view's action for one of the new view's; nil drops it before it is enqueued.
  public func projection<Local: Sendable>(
    named name: String? = nil, action: @escaping @Sendable (Local) -> Action?
  ) -> StoreProjection<Local, State> {
    projection(named: name, action: action, state: { $0 })
  }

  /// A view of this view with the same actions and another state.
  public func projection<Part: Sendable>(
    state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Action, Part> {
    projection(action: { $0 }, state: state)
  }
}

extension StoreProjection {
  /// A view of the value in an optional, where there is one; nil where there is none.
  ///
  /// When the value goes away, the view goes on showing the last one that was read or watched through it. So a late
  /// reader has something to show. Its watchers are not told that the value went: watch the optional for that. Actions
  /// pass as before. The idea is SwiftRex's `transpose`.
  public func transposed<Wrapped: Sendable>() -> StoreProjection<Action, Wrapped>? where State == Wrapped? {
    guard let now = state else { return nil }
    let shown = LastShown(now)
    return projection(state: { shown.value(after: $0) })
  }
}

extension StoreProtocol {
  /// A view of the value in an optional, where there is one: see ``StoreProjection/transposed()``.
  public func transposed<Wrapped: Sendable>() -> StoreProjection<Action, Wrapped>? where State == Wrapped? {
    projection(state: { $0 }).transposed()
  }
}

/// The last value of an optional that was there.
private final class LastShown<Value: Sendable>: Sendable {
  private let last: Lock<Value>

  init(_ value: Value) { last = Lock(value) }

  func value(after latest: Value?) -> Value {
    last.withLock { last in
      if let latest { last = latest }
      return last
    }
  }
}

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
