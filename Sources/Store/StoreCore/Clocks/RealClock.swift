import Dispatch
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The machine's monotonic clock, from the moment it is made.
public final class RealClock: ContinuingClock {
  /// The party that runs closures when they fall due.
  public enum Driver: Sendable {
    /// The clock, on a thread of its own.
    case own
    /// A program with a loop of its own: it waits until ``RealClock/nextDeadline``, then calls ``RealClock/runDue(while:)``. The
    /// closure is called, on whatever thread schedules, when there is an earlier deadline than before.
    case host(wake: @Sendable () -> Void)
  }

  /// The machine's time when the clock was made, in nanoseconds.
  private let start: Int64
  /// The nanoseconds by which it is ahead of the time since it was made.
  private let lead = Atomic<Int64>(0)
  private let timers = TimerQueue()
  private let driver: Driver
  private let thread = DispatchQueue(label: "StoreCore.RealClock")
  /// The time at which the own thread looks next; nil: not until somebody schedules.
  private let armed = Lock<Duration?>(nil)

  /// Starts at zero.
  public init(driver: Driver = .own) {
    self.driver = driver
    start = RealClock.monotonic
  }

  /// Time since the clock was made.
  public var now: Duration { .nanoseconds(RealClock.monotonic - start + lead.load(ordering: .relaxed)) }

  /// Has it show at least a time from now on. What waits for an earlier time is due.
  public func goOn(from time: Duration) {
    let ahead = time - now
    guard ahead > .zero else { return }
    let (seconds, attoseconds) = ahead.components
    lead.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    if let next = timers.nextDeadline, case .own = driver { arm(next) }
  }

  /// The earliest deadline that somebody waits for.
  public var nextDeadline: Duration? { timers.nextDeadline }

  /// Has a closure run once a deadline is reached, on the thread of whoever drives the clock.
  @discardableResult
  public func schedule(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let (timer, isFirst) = timers.schedule(at: deadline, body)
    if isFirst {
      switch driver {
      case .own: arm(deadline)
      case .host(let wake): wake()
      }
    }
    return timer
  }

  /// True if anybody waits for a deadline; asked without a lock.
  package var hasTimers: Bool { !timers.isEmpty }

  /// Runs what is due now, and what became due of it when it was scheduled meanwhile. For the host that drives the clock.
  ///
  /// - Parameter goesOn: asked before each closure that is due; false leaves the rest for the next call.
  public func runDue(while goesOn: () -> Bool = { true }) {
    if timers.isEmpty { return }
    let now = now
    while let next = timers.nextDeadline, next <= now, goesOn(), let due = timers.takeFirst(dueBy: now) { due.body() }
  }

  private func arm(_ deadline: Duration) {
    let isEarlier = armed.withLock { armed in
      if let armed, armed <= deadline { return false }
      armed = deadline
      return true
    }
    guard isEarlier else { return }
    // Looks once a day at least, so that no wait is too long for Dispatch.
    let wait = min(max(deadline - now, .zero), .seconds(86_400)).components
    let nanoseconds = Int(wait.seconds) * 1_000_000_000 + Int(wait.attoseconds / 1_000_000_000)
    thread.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.look(deadline) }
  }

  private func look(_ deadline: Duration) {
    armed.withLock { armed in
      if armed == deadline { armed = nil }
    }
    runDue()
    if let next = timers.nextDeadline { arm(next) }
  }

  private static var monotonic: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
