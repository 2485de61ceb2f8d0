extension Store {
  /// Tells a watcher of the state now and after every commit that the emission policy lets through (R10, R11).
  ///
  /// - Parameters:
  ///   - name: what traces call it.
  ///   - onChange: runs on the thread that processes actions, after the commit and before IO. It may dispatch: the action
  ///     is enqueued.
  /// - Returns: the subscription; the watcher is told as long as it is kept.
  public func watch(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>) -> Void
  ) -> Subscription {
    watch(name, { $0 }, isDifferent: nil, onChange)
  }

  /// Tells a watcher of a part of the state, now and after every commit that changed it (R26).
  public func watch<Part: Equatable & Sendable>(
    _ name: String = "watcher", _ part: @escaping @Sendable (State) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    watch(name, part, isDifferent: { $0 != $1 }, onChange)
  }

  /// Tells a watcher of a part of the state, now and after every commit after which it counts as different; `nil`: always.
  public func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let id = exclusively {
      let id = nextWatcher
      nextWatcher += 1
      var last = part(current)
      let trace = trace
      watchers.append(
        Watcher(id: id) { state, context in
          let new = part(state)
          if let isDifferent, !isDifferent(last, new) { return }
          let old = last
          last = new
          trace.report(.notified(number: context.number, watcher: name, value: new))
          onChange(Notification(old: old, new: new, context: context))
        })
      trace.report(.notified(number: 0, watcher: name, value: last))
      onChange(Notification(old: nil, new: last, context: nil))
      return id
    }
    return Subscription { [weak self] in
      self?.exclusively { self?.watchers.removeAll { $0.id == id } }
    }
  }
}
