import Synchronization

/// A clock that moves only when it is told to.
public final class VirtualClock: StoreClock {
  private let time = Mutex(Duration.zero)

  /// Stands at zero.
  public init() {}

  /// The time it was last moved to.
  public var now: Duration { time.withLock { $0 } }

  /// Moves it forward; a negative duration is taken as zero.
  public func advance(by duration: Duration) {
    time.withLock { $0 += max(duration, .zero) }
  }
}
