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

extension StoreClock {
  /// Waits until a deadline; one that is past does not suspend.
  ///
  /// - Throws: where the task is cancelled, before or meanwhile.
  public func sleep(until deadline: Duration) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    guard deadline > now else { return }
    let sleeper = Sleeper()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard sleeper.lieDown(continuation) else { return continuation.resume() }
        let timer = schedule(at: deadline) { sleeper.rise() }
        sleeper.keep(timer)
      }
    } onCancel: {
      sleeper.rise()
    }
    if Task.isCancelled { throw CancellationError() }
  }

  /// Waits for a while; a negative one counts as none.
  ///
  /// - Throws: where the task is cancelled, before or meanwhile.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: now + duration)
  }
}

/// A task that waits for a timer or for its cancellation, whichever comes first.
private final class Sleeper: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Void, Never>?
    var timer: ScheduledTimer?
    var isUp = false
  }

  private let state = Lock(State())

  /// - Returns: false: it was woken before it lay down.
  func lieDown(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      guard !state.isUp else { return false }
      state.continuation = continuation
      return true
    }
  }

  func keep(_ timer: ScheduledTimer) {
    let isUp = state.withLock { state in
      if !state.isUp { state.timer = timer }
      return state.isUp
    }
    if isUp { timer.cancel() }
  }

  func rise() {
    let (continuation, timer) = state.withLock { state in
      defer { state = State(continuation: nil, timer: nil, isUp: true) }
      return (state.continuation, state.timer)
    }
    timer?.cancel()
    continuation?.resume()
  }
}
