import HeapModule
import Synchronization

/// Closures that wait for their deadlines, the earliest first; with one deadline, in the order of scheduling. Every
/// clock keeps its timers in such a queue; any thread may use it.
public final class TimerQueue: Sendable {
  private let timers = WaitingTimers()

  /// An empty queue.
  public init() {}

  deinit { timers.removeAll() }

  /// True if nobody waits; without the lock, so that it costs nothing to ask often.
  public var isEmpty: Bool { timers.isEmpty }

  /// The earliest deadline.
  public var nextDeadline: Duration? { timers.nextDeadline }

  /// Adds a closure.
  ///
  /// - Returns: its timer, and whether it is now the first of all.
  public func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    timers.schedule(at: deadline, body)
  }

  /// Takes out the earliest closure that is due by a time.
  ///
  /// - Parameter order: chooses among those with the earliest deadline; nil: the one that was scheduled first.
  public func takeFirst(dueBy time: Duration, order: (any StoreOrder)? = nil) -> Due? {
    timers.takeFirst(dueBy: time, order)
  }

  /// A closure whose deadline has come.
  public struct Due: Sendable {
    /// The deadline.
    public let deadline: Duration
    /// The closure.
    public let body: @Sendable () -> Void
  }
}

/// A closure that waits in a ``TimerQueue``.
public final class ScheduledTimer: @unchecked Sendable {
  // Safe: `body` is read and written only under the lock of the timers that it is one of.

  /// The time at which it is due.
  public let deadline: Duration
  /// The closure; nil: it waits no longer.
  @exclusivity(unchecked) var body: (@Sendable () -> Void)?
  // They hold it as long as it waits, until the queue goes. (A weak reference to the queue would take longer than the rest of
  // a timer.)
  private let timers: WaitingTimers

  init(deadline: Duration, among timers: WaitingTimers, body: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.timers = timers
    self.body = body
  }

  /// Takes it out of the queue; it does not run any more, unless it runs already.
  public func cancel() { timers.cancel(self) }
}

/// The timers of a ``TimerQueue``: apart from it, since they hold what they wait in.
final class WaitingTimers: Sendable {
  private let waiting = Lock(TimerOrder())
  private let count = Atomic<Int>(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var nextDeadline: Duration? { waiting.withLock { $0.first?.timer.deadline } }

  func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    let timer = ScheduledTimer(deadline: deadline, among: self, body: body)
    return waiting.withLock { waiting in
      waiting.insert(timer)
      count.store(waiting.count, ordering: .releasing)
      return (timer, waiting.first?.timer === timer)
    }
  }

  func takeFirst(dueBy time: Duration, _ order: (any StoreOrder)?) -> TimerQueue.Due? {
    waiting.withLock { waiting in
      guard let first = waiting.first(chosenBy: order), first.deadline <= time, let body = waiting.remove(first)
      else { return nil }
      count.store(waiting.count, ordering: .releasing)
      return TimerQueue.Due(deadline: first.deadline, body: body)
    }
  }

  func cancel(_ timer: ScheduledTimer) {
    // The closure's captures are let go of outside the lock: they may be anything.
    let body = waiting.withLock { waiting in
      defer { count.store(waiting.count, ordering: .releasing) }
      return waiting.remove(timer)
    }
    withExtendedLifetime(body) {}
  }

  /// Lets go of all timers, which hold this; nobody waits any more.
  func removeAll() {
    while let first = waiting.withLock({ $0.first?.timer }) { cancel(first) }
  }
}

/// Timers by their deadlines. A cancelled one loses its body at once. Its node stays until its turn comes, or until half of
/// the nodes are of cancelled ones.
private struct TimerOrder {
  struct Node: Comparable {
    /// The deadline in attoseconds: durations are compared by a call.
    let deadline: Int128
    let order: UInt64
    let timer: ScheduledTimer

    static func < (left: Node, right: Node) -> Bool {
      left.deadline == right.deadline ? left.order < right.order : left.deadline < right.deadline
    }

    static func == (left: Node, right: Node) -> Bool { left.order == right.order }
  }

  private var nodes = Heap<Node>()
  private var lastOrder: UInt64 = 0
  /// The number of timers that wait.
  private(set) var count = 0

  /// The first that waits.
  var first: Node? {
    mutating get {
      while let first = nodes.min {
        if first.timer.body != nil { return first }
        nodes.removeMin()
      }
      return nil
    }
  }

  mutating func insert(_ timer: ScheduledTimer) {
    lastOrder += 1
    count += 1
    nodes.insert(Node(deadline: timer.deadline.attoseconds, order: lastOrder, timer: timer))
  }

  /// One of those with the earliest deadline.
  mutating func first(chosenBy order: (any StoreOrder)?) -> ScheduledTimer? {
    guard let order, let deadline = first?.deadline else { return first?.timer }
    let equal = nodes.unordered.filter { $0.deadline == deadline && $0.timer.body != nil }.sorted()
    return equal[order.chosen(among: equal.count)].timer
  }

  /// Takes a timer's body, if it waits.
  mutating func remove(_ timer: ScheduledTimer) -> (@Sendable () -> Void)? {
    guard let body = timer.body.take() else { return nil }
    count -= 1
    if nodes.count > 2 * count + 64 { nodes = Heap(nodes.unordered.filter { $0.timer.body != nil }) }
    return body
  }
}
