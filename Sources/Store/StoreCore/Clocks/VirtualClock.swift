/// A clock that moves only when it is told to, from deadline to deadline.
public final class VirtualClock: ContinuingClock {
  private let time = Lock(Duration.zero)
  private let timers = TimerQueue()
  private let order: (any StoreOrder)?

  /// Stands at zero.
  ///
  /// - Parameter order: chooses among timers that are due at the same moment; nil: the one that was scheduled first.
  public init(order: (any StoreOrder)? = nil) { self.order = order }

  /// The time it was last moved to; while a timer runs, that timer's deadline.
  public var now: Duration { time.withLock { $0 } }

  /// The earliest deadline that somebody waits for.
  public var nextDeadline: Duration? { timers.nextDeadline }

  /// Has a closure run once the clock is moved to a deadline or past it.
  @discardableResult
  public func schedule(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
    timers.schedule(at: deadline, body).timer
  }

  /// Moves it forward; a negative duration is taken as zero. Closures that fall due run before this returns, one
  /// deadline after the other, including those scheduled meanwhile.
  public func advance(by duration: Duration) {
    let target = now + max(duration, .zero)
    while fireFirst(dueBy: target) {}
    move(to: target)
  }

  /// Moves it forward until nobody waits any more.
  ///
  /// - Parameter limit: the number of timers that may run; an effect that ticks for ever never ends.
  /// - Returns: true if nobody waits any more; false: the limit was reached.
  @discardableResult
  public func run(atMost limit: Int = 100_000) -> Bool {
    for _ in 0..<max(limit, 0) where !fireFirst(dueBy: nil) { return true }
    return nextDeadline == nil
  }

  /// Has it show at least a time from now on; what waits for an earlier one is due when it is moved.
  public func goOn(from time: Duration) { move(to: time) }

  private func fireFirst(dueBy target: Duration?) -> Bool {
    guard let limit = target ?? timers.nextDeadline, let due = timers.takeFirst(dueBy: limit, order: order) else {
      return false
    }
    move(to: due.deadline)
    due.body()
    return true
  }

  private func move(to target: Duration) {
    // Never back: a deadline may be past, and a timer may have moved the clock itself.
    time.withLock { $0 = max($0, target) }
  }
}
