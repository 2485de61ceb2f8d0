/// Hands values over to the main actor: the newest of those that came meanwhile, in one hop.
final class MainActorInbox<Content: Sendable>: Sendable {
  private struct Waiting {
    var newest: Content?
    var isOpen = true
  }

  private let waiting = Lock(Waiting())
  private let onChange: @MainActor (Content) -> Void
  @MainActor private var isDelivering = false

  init(_ onChange: @escaping @MainActor (Content) -> Void) { self.onChange = onChange }

  /// Takes a value in, on any thread.
  func put(_ content: Content) {
    let isFirst = waiting.withLock { waiting in
      guard waiting.isOpen else { return false }
      defer { waiting.newest = .some(content) }
      if case .none = waiting.newest { return true }
      return false
    }
    if isFirst { Task { @MainActor in self.deliver() } }
  }

  /// Hands over what waits, at once; while something is being handed over, right after that.
  @MainActor
  func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while let newest = takeNewest() { onChange(newest) }
  }

  private func takeNewest() -> Content? {
    waiting.withLock { waiting in
      defer { waiting.newest = nil }
      return waiting.newest
    }
  }

  /// Hands over nothing any more.
  func close() {
    waiting.withLock { waiting in
      waiting.isOpen = false
      waiting.newest = nil
    }
  }
}

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
