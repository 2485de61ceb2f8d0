import HeapModule
import Synchronization

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
