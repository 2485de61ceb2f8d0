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
