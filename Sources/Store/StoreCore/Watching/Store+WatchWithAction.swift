extension Store {
  /// Tells a watcher of the state together with the action that led to it. Both come from one commit, so that they
  /// cannot slip against each other. Otherwise as ``watch(_:_:)``.
  ///
  /// A projection has no such watcher: actions are mapped into a store and not out of it.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - onChange: gets the action that was committed; nil where no action led to the state: in the first notification, and
  ///     in that of a replay.
  public func watchWithAction(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>, Action?) -> Void
  ) -> Subscription {
    let committed = noteCommittedActions()
    return watch(name) { onChange($0, $0.context.flatMap { _ in committed.action }) }
  }

  /// Tells a watcher of a part of the state, now and after every commit that changed it, together with the action that
  /// changed it.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - part: the watched value.
  ///   - onChange: gets the action that was committed; nil where no action led to the state: in the first notification, and
  ///     in that of a replay.
  public func watchWithAction<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>, Action?) -> Void
  ) -> Subscription {
    let committed = noteCommittedActions()
    return watch(name, part) { onChange($0, $0.context.flatMap { _ in committed.action }) }
  }

  /// Tells a watcher without a name of its own: `store.watchWithAction(\.count) { … }`.
  public func watchWithAction<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, _ onChange: @escaping @Sendable (Notification<Part>, Action?) -> Void
  ) -> Subscription {
    watchWithAction("watcher", part, onChange)
  }

  private func noteCommittedActions() -> CommittedAction<Action> {
    visit {
      if let committed { return committed }
      let committed = CommittedAction<Action>()
      self.committed = committed
      return committed
    }
  }
}

/// The action of the commit that watchers are told of at this moment.
@usableFromInline
final class CommittedAction<Action>: @unchecked Sendable {
  // Safe: read and written only by the thread that owns the store, around the notifications of a commit and in them.
  @exclusivity(unchecked) @usableFromInline var action: Action?
}
