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
