/// A closure that waits in a ``TimerQueue``.
public final class ScheduledTimer: @unchecked Sendable {
  // Safe: `body` is read and written only under the lock of the timers that it is one of.

  /// The time at which it is due.
  public let deadline: Duration
  /// The closure; nil: it waits no longer.
  @exclusivity(unchecked) var body: (@Sendable () -> Void)?
  // They hold it as long as it waits, until the queue goes. (A weak reference to the queue would take longer than the rest of
  // a timer.)
  private let timers: WaitingTimers

  init(deadline: Duration, among timers: WaitingTimers, body: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.timers = timers
    self.body = body
  }

  /// Takes it out of the queue; it does not run any more, unless it runs already.
  public func cancel() { timers.cancel(self) }
}
