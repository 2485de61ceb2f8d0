import Synchronization

/// A semaphore whose waits have a limit by the monotonic clock.
///
/// ```swift
/// let answered = CountedSignal()
/// // On another thread: answered.signal()
/// guard answered.wait(atMost: .seconds(2)) else { return }
/// ```
package final class CountedSignal: Sendable {
  private let condition = TimedCondition()
  /// The signals that no wait has taken; used under the lock of the condition.
  private let count = Atomic<Int>(0)

  package init() {}

  /// Ends one wait, or the next.
  package func signal() {
    condition.lock()
    count.wrappingAdd(1, ordering: .relaxed)
    condition.signal()
    condition.unlock()
  }

  /// Waits for a signal.
  ///
  /// - Returns: false: none came within the time.
  @discardableResult
  package func wait(atMost time: Duration) -> Bool {
    let (seconds, attoseconds) = min(max(time, .zero), .seconds(1 << 30)).components
    let limit = TimedCondition.time(in: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    condition.lock()
    defer { condition.unlock() }
    while count.load(ordering: .relaxed) == 0 { guard condition.wait(until: limit) else { return false } }
    count.wrappingSubtract(1, ordering: .relaxed)
    return true
  }

  /// Forgets the signals that no wait has taken.
  package func clear() {
    condition.lock()
    count.store(0, ordering: .relaxed)
    condition.unlock()
  }
}
