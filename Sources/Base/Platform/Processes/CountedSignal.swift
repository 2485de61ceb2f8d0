/// A semaphore whose waits may have a limit. The limit is by the monotonic clock: that of `DispatchSemaphore` is by the wall clock on
/// Linux, so that a wait lasts as much longer as that is set back meanwhile.
package final class CountedSignal: @unchecked Sendable {
  // Safe: the count is used under the lock.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count = 0

  package init() {
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(arrival, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(lock)
    arrival.deallocate()
    lock.deallocate()
  }

  /// Ends one wait, or the next.
  package func signal() {
    pthread_mutex_lock(lock)
    count += 1
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(lock)
  }

  /// Waits for a signal.
  ///
  /// - Returns: false: none came within the time.
  @discardableResult
  package func wait(atMost time: Duration) -> Bool {
    var limit = timespec()
    clock_gettime(CLOCK_MONOTONIC, &limit)
    let (seconds, attoseconds) = max(time, .zero).components
    let nanoseconds = limit.tv_nsec + Int(attoseconds / 1_000_000_000)
    limit.tv_sec = (limit.tv_sec + nanoseconds / 1_000_000_000).addingReportingOverflow(Int(seconds)).partialValue
    if limit.tv_sec < 0 { limit.tv_sec = .max }
    limit.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while count == 0 { guard pthread_cond_timedwait(arrival, lock, &limit) == 0 else { return false } }
    count -= 1
    return true
  }

  /// Forgets the signals that no wait has taken.
  package func clear() {
    pthread_mutex_lock(lock)
    count = 0
    pthread_mutex_unlock(lock)
  }
}
