/// Closures that wait for their deadlines, the earliest first; with one deadline, in the order of scheduling. Every
/// clock keeps its timers in such a queue; any thread may use it.
public final class TimerQueue: Sendable {
  private let timers = WaitingTimers()

  /// An empty queue.
  public init() {}

  deinit { timers.removeAll() }

  /// True if nobody waits; without the lock, so that it costs nothing to ask often.
  public var isEmpty: Bool { timers.isEmpty }

  /// The earliest deadline.
  public var nextDeadline: Duration? { timers.nextDeadline }

  /// Adds a closure.
  ///
  /// - Returns: its timer, and whether it is now the first of all.
  public func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    timers.schedule(at: deadline, body)
  }

  /// Takes out the earliest closure that is due by a time.
  ///
  /// - Parameter order: chooses among those with the earliest deadline; nil: the one that was scheduled first.
  public func takeFirst(dueBy time: Duration, order: (any StoreOrder)? = nil) -> Due? {
    timers.takeFirst(dueBy: time, order)
  }

  /// A closure whose deadline has come.
  public struct Due: Sendable {
    /// The deadline.
    public let deadline: Duration
    /// The closure.
    public let body: @Sendable () -> Void
  }
}
