/// The clock that a store gets its time from and waits by: injected, so that tests and replays can stand still (R31).
public protocol StoreClock: AnyObject, Sendable {
  /// Time since the clock was made.
  var now: Duration { get }

  /// Has a closure run once the clock has reached a deadline, on whatever thread moves the clock. Closures run in the
  /// order of their deadlines; with one deadline, in the order in which they were scheduled. A deadline that is past is
  /// due at once, that is when the clock next looks, never within this call.
  @discardableResult
  func schedule(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer
}

/// A clock that may begin later than at zero: the time of a store goes on where it was opened again.
public protocol ContinuingClock: StoreClock {
  /// Has it show at least a time from now on. It never goes back.
  func goOn(from time: Duration)
}

extension StoreClock {
  /// Has a closure run after a while; a negative one counts as none.
  @discardableResult
  public func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
    schedule(at: now + max(delay, .zero), body)
  }
}
