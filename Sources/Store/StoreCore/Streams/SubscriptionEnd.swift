/// Tells a subscriber once that its store is gone, unless it has lost interest before.
final class SubscriptionEnd: Sendable {
  private let onEnd: Lock<(@Sendable () -> Void)?>

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = Lock(onEnd) }

  func happen() { take()?() }

  func dismiss() { _ = take() }

  private func take() -> (@Sendable () -> Void)? {
    onEnd.withLock { onEnd in
      defer { onEnd = nil }
      return onEnd
    }
  }
}

/// Lives as long as the watcher that holds it, which the store alone keeps.
final class EndGuardian: Sendable {
  private let end: SubscriptionEnd

  init(_ end: SubscriptionEnd) { self.end = end }

  deinit { end.happen() }
}
