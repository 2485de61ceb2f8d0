import Synchronization

/// The timers of a ``TimerQueue``: apart from it, since they hold what they wait in.
final class WaitingTimers: Sendable {
  private let heap = Lock(TimerHeap())
  private let count = Atomic<Int>(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var nextDeadline: Duration? { heap.withLock { $0.nodes.first?.timer.deadline } }

  func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    let timer = ScheduledTimer(deadline: deadline, among: self, body: body)
    return heap.withLock { heap in
      heap.lastOrder += 1
      heap.insert(timer)
      count.store(heap.nodes.count, ordering: .releasing)
      return (timer, timer.index == 0)
    }
  }

  func takeFirst(dueBy time: Duration, _ order: (any StoreOrder)?) -> TimerQueue.Due? {
    heap.withLock { heap in
      guard let first = heap.first(chosenBy: order), first.deadline <= time, let body = first.body.take()
      else { return nil }
      heap.remove(first)
      count.store(heap.nodes.count, ordering: .releasing)
      return TimerQueue.Due(deadline: first.deadline, body: body)
    }
  }

  func cancel(_ timer: ScheduledTimer) {
    // The closure's captures are let go of outside the lock: they may be anything.
    let body = heap.withLock { heap in
      heap.remove(timer)
      count.store(heap.nodes.count, ordering: .releasing)
      defer { timer.body = nil }
      return timer.body
    }
    withExtendedLifetime(body) {}
  }

  /// Lets go of all timers, which hold this; nobody waits any more.
  func removeAll() {
    while let first = heap.withLock({ $0.nodes.first?.timer }) { cancel(first) }
  }
}

/// A heap of four branches whose timers know their places, so that cancelling one does not search. The keys of
/// comparisons stand in the heap itself, since timers lie all over the memory. With four branches half as many are
/// moved as with two.
private struct TimerHeap {
  struct Node {
    /// The deadline in attoseconds: durations are compared by a call.
    let deadline: Int128
    let order: UInt64
    let timer: ScheduledTimer

    func isBefore(_ other: Node) -> Bool {
      deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
  }

  var nodes: [Node] = []
  var lastOrder: UInt64 = 0

  mutating func insert(_ timer: ScheduledTimer) {
    nodes.append(Node(deadline: timer.deadline.attoseconds, order: lastOrder, timer: timer))
    settle(nodes.count - 1)
  }

  /// One of those with the earliest deadline.
  func first(chosenBy order: (any StoreOrder)?) -> ScheduledTimer? {
    guard let order, let deadline = nodes.first?.deadline else { return nodes.first?.timer }
    let equal = nodes.filter { $0.deadline == deadline }.sorted { $0.order < $1.order }
    return equal[order.chosen(among: equal.count)].timer
  }

  mutating func remove(_ timer: ScheduledTimer) {
    guard let index = timer.index else { return }
    timer.index = nil
    let last = nodes.removeLast()
    guard index < nodes.count else { return }
    nodes[index] = last
    settle(index)
  }

  /// Takes a node up or down to where it belongs. Nodes are moved, not copied: no reference to a timer is counted.
  private mutating func settle(_ start: Int) {
    nodes.withUnsafeMutableBufferPointer { nodes in
      guard let first = nodes.baseAddress else { return }
      let node = (first + start).move()
      var hole = start
      while hole > 0, node.isBefore(first[(hole - 1) / 4]) {
        Self.move((hole - 1) / 4, to: hole, in: first)
        hole = (hole - 1) / 4
      }
      while 4 * hole + 1 < nodes.count {
        var child = 4 * hole + 1
        for other in child + 1..<min(child + 4, nodes.count) where first[other].isBefore(first[child]) { child = other }
        guard first[child].isBefore(node) else { break }
        Self.move(child, to: hole, in: first)
        hole = child
      }
      node.timer.index = hole
      (first + hole).initialize(to: node)
    }
  }

  private static func move(_ index: Int, to hole: Int, in nodes: UnsafeMutablePointer<Node>) {
    (nodes + hole).moveInitialize(from: nodes + index, count: 1)
    Unmanaged.passUnretained(nodes[hole].timer)._withUnsafeGuaranteedRef { $0.index = hole }
  }
}
