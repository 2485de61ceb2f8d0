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
