/// A closure that waits in a ``TimerQueue``.
public final class ScheduledTimer: @unchecked Sendable {
  // Safe: `body` and `index` are read and written only under the queue's lock, the weak reference never changes.

  /// When it is due.
  public let deadline: Duration
  /// Where it stands in the heap; nil: no longer.
  @exclusivity(unchecked) var index: Int?
  @exclusivity(unchecked) var body: (@Sendable () -> Void)?
  private weak var queue: TimerQueue?

  init(deadline: Duration, queue: TimerQueue, body: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.queue = queue
    self.body = body
  }

  /// Takes it out of the queue; it does not run any more, unless it runs already.
  public func cancel() { queue?.cancel(self) }
}
