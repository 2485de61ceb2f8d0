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
