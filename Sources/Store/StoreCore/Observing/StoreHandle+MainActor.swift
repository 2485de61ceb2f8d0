extension StoreHandle {
  /// Tells a watcher on the main actor of a part of the state: before this returns, and then after changes of it.
  ///
  /// The watcher is told of the newest part only, where several come while the main actor is busy. It is told a moment after
  /// the commit, on the main actor's own turn, so that it never holds up the store.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - part: the watched value.
  ///   - onChange: gets the part.
  /// - Returns: the subscription; the watcher is told as long as it is kept.
  @MainActor
  public func watchOnMain<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, _ onChange: @escaping @MainActor (Part) -> Void
  ) -> Subscription {
    watchOnMain(name, part, isDifferent: { $0 != $1 }, onChange).subscription
  }

  /// Tells a watcher without a name of its own: `store.watchOnMain(\.count) { … }`.
  @MainActor
  public func watchOnMain<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, _ onChange: @escaping @MainActor (Part) -> Void
  ) -> Subscription {
    watchOnMain("watcher", part, onChange)
  }

  /// The same, with the inbox from which the watcher is told.
  @MainActor
  func watchOnMain<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @MainActor (Part) -> Void
  ) -> (subscription: Subscription, inbox: MainActorInbox<Part>) {
    let inbox = MainActorInbox(onChange)
    let watching = connection(name, part, isDifferent: isDifferent).subscribe({ inbox.put($0) }, {})
    inbox.deliver()
    let subscription = Subscription {
      inbox.close()
      watching.cancel()
    }
    return (subscription, inbox)
  }
}
