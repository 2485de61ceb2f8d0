#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A value that one thread at a time reaches.
///
/// A lock like the standard library's `Mutex`, but known to the thread sanitizer. `Mutex` is taken, where threads meet,
/// in code that is not instrumented, so that every use looks like a race.
package final class Lock<Value>: @unchecked Sendable {
  // Safe: the value comes in and goes out only as something that nobody else holds (`sending`), and is touched only while
  // the lock is held. The lock has memory of its own, since it must not move.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  /// The byte gives a value of no size a place of its own: the sanitizer would take each use of it for one of the object.
  @exclusivity(unchecked) private var place: (value: Value, byte: UInt8)

  package init(_ value: consuming sending Value) {
    place = (value, 0)
    lock = .allocate(capacity: 1)
    let status = pthread_mutex_init(lock, nil)
    precondition(status == 0, "the system has no memory for a lock")
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Reaches the value, once no other thread does. Not to be called within itself.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&place.value)
  }
}
