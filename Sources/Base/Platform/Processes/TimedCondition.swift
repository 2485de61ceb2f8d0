/// A lock, and a condition whose waits end at a time of the monotonic clock. The waits of `DispatchSemaphore` end by the wall clock on
/// Linux: one lasts as much longer as that clock is set back.
package final class TimedCondition: @unchecked Sendable {
  // Safe: it has constant addresses alone, and the system's functions on them may be called from any thread.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Ends the wait of one thread.
  package func signal() { pthread_cond_signal(condition) }

  /// Waits for a signal; the caller has the lock, and has it again behind the wait.
  ///
  /// - Returns: false: the time has come. A wait may end without a signal.
  package func wait(until limit: timespec) -> Bool {
    var limit = limit
    return pthread_cond_timedwait(condition, mutex, &limit) == 0
  }

  /// The time of the clock after some nanoseconds from now, 2^61 at most.
  package static func time(in nanoseconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let sum = time.tv_nsec + min(max(nanoseconds, 0), 1 << 61)
    return timespec(tv_sec: time.tv_sec + sum / 1_000_000_000, tv_nsec: sum % 1_000_000_000)
  }
}
