#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a store gets the time from: injected, so that tests and replays can stand still (R31).
public protocol StoreClock: AnyObject, Sendable {
  /// Time since the clock was made.
  var now: Duration { get }
}

/// The machine's monotonic clock, from the moment it is made.
public final class RealClock: StoreClock {
  private let start: Duration

  /// Starts at zero.
  public init() { start = RealClock.monotonic }

  /// Time since the clock was made.
  public var now: Duration { RealClock.monotonic - start }

  private static var monotonic: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
