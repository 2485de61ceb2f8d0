import Platform
import StoreCore

/// The items appended to a journal and not yet written, and the thread that takes them from there.
final class JournalQueue: @unchecked Sendable {
  // Safe: all that changes is used under the lock.
  /// An item to write.
  enum Item: Sendable {
    case entry(LoggedEntry)
    case snapshot(number: Int, slices: [StateSlice])
    /// The state at the end, which is left out where it would weigh too much.
    case lastSnapshot(number: Int, slices: [StateSlice])
    case plugin(JournaledPlugin)
    case code(JournaledCode)
    /// A long-lived effect has ended, or may start again.
    case end(EndedEffect, hasEnded: Bool)
    /// A run of statements has begun with an action, or has ended.
    case run(Int, isOpen: Bool)
    /// All that was written before goes.
    case restart(after: Int)
    /// Up to here it has all of a place in a shared log.
    case place(String)

    /// The last action that is in the file once the item is; nil: it makes no difference.
    var last: Int? {
      switch self {
      case .entry(let entry): entry.number
      case .snapshot(let number, _): number
      case .lastSnapshot, .plugin, .code, .end, .run, .restart, .place: nil
      }
    }

    /// True if it is of an action that was appended, or of another history.
    var isOfHistory: Bool {
      switch self {
      case .entry, .plugin, .code, .restart: true
      case .snapshot, .lastSnapshot, .end, .run, .place: false
      }
    }

    /// True if it is a place in a shared log.
    var isPlace: Bool {
      if case .place = self { return true }
      return false
    }

    /// True if all earlier items go.
    var isRestart: Bool {
      if case .restart = self { return true }
      return false
    }
  }

  /// From how many on whoever appends writes them himself: memory stays bounded, and so does what the end of a store has to write.
  static let bound = 4096
  /// From how many on the thread does not wait for more.
  private static let plenty = 1024
  /// The time that the thread waits for more, in nanoseconds: appending wakes it no more often than that.
  private static let linger = 5_000_000

  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let arrival: UnsafeMutablePointer<pthread_cond_t>
  private var items: [Item] = []
  private var isClosed = false
  /// True if the thread waits for the first item; while it lingers for more, it looks again by itself.
  private var isAwaited = false

  init() {
    lock = .allocate(capacity: 1)
    arrival = .allocate(capacity: 1)
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

  /// Adds something behind the rest, and more that is written in one transaction with it.
  ///
  /// - Returns: true if there is so much now that the caller should write it.
  func append(_ item: Item, _ more: [Item]) -> Bool {
    pthread_mutex_lock(lock)
    let before = items.count
    items.append(item)
    if !more.isEmpty { items.append(contentsOf: more) }
    let count = items.count
    let wakes = isAwaited || (before < JournalQueue.plenty && count >= JournalQueue.plenty)
    isAwaited = false
    pthread_mutex_unlock(lock)
    if wakes { pthread_cond_signal(arrival) }
    return count >= JournalQueue.bound
  }

  /// Takes all that there is.
  func take() -> [Item] {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    var taken: [Item] = []
    swap(&taken, &items)
    return taken
  }

  /// Has the thread end.
  func close() {
    pthread_mutex_lock(lock)
    isClosed = true
    pthread_mutex_unlock(lock)
    pthread_cond_signal(arrival)
  }

  /// Waits for some nanoseconds, or until there is something.
  ///
  /// - Returns: true if there was nothing, and the queue is open.
  func isIdle(for duration: Int) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    var until = JournalQueue.time(in: duration)
    while items.isEmpty, !isClosed {
      isAwaited = true
      guard pthread_cond_timedwait(arrival, lock, &until) == 0 else { break }
    }
    return items.isEmpty && !isClosed
  }

  private static func time(in duration: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    time.tv_nsec += duration
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    return time
  }

  /// Waits until there is something, and a little longer for more.
  ///
  /// - Parameter longest: after so many nanoseconds it waits no longer, though there is nothing; less than a second more than one.
  /// - Returns: false: the queue was closed.
  func wait(atMost longest: Int) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    var end = JournalQueue.time(in: longest)
    while items.isEmpty, !isClosed {
      isAwaited = true
      guard pthread_cond_timedwait(arrival, lock, &end) == 0 else { break }
    }
    if items.isEmpty { return !isClosed }
    var until = JournalQueue.time(in: JournalQueue.linger)
    while items.count < JournalQueue.plenty, !isClosed {
      guard pthread_cond_timedwait(arrival, lock, &until) == 0 else { break }
    }
    return !isClosed
  }
}
