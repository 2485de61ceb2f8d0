import Dispatch

/// The thread that goes on with a store's queue when a caller has done its own part (R2). The thread sleeps in between,
/// and then holds nothing of the store.
final class DrainWorker: Sendable {
  private let next = Lock<(@Sendable () -> Void)?>(nil)
  private let wake = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// - Throws: ``WorkerThread/Refusal``.
  init() throws(WorkerThread.Refusal) {
    try WorkerThread { [self] in while runNext() {} }.detach()
  }

  /// Has the thread run a job. The last job has run, or its last lines run now.
  func hand(_ job: @escaping @Sendable () -> Void) {
    next.withLock { $0 = job }
    wake.signal()
  }

  /// Ends the thread, once it has run its job.
  func end() { wake.signal() }

  // A function of its own, so that the job, and the store with it, is let go before the next wait.
  private func runNext() -> Bool {
    wake.wait()
    guard let job = take() else { return false }
    job()
    return true
  }

  private func take() -> (@Sendable () -> Void)? {
    next.withLock { next in
      defer { next = nil }
      return next
    }
  }
}
