import Synchronization

/// Closures that wait for their deadlines, the earliest first, those of one deadline in the order of scheduling. What every
/// clock keeps its timers in; may be used from any thread.
public final class TimerQueue: Sendable {
  private let heap = Lock(TimerHeap())
  private let count = Atomic<Int>(0)

  /// An empty queue.
  public init() {}

  /// Whether nobody waits; without the lock, so that it costs nothing to ask often.
  public var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  /// The earliest deadline.
  public var nextDeadline: Duration? { heap.withLock { $0.nodes.first?.timer.deadline } }

  /// Adds a closure.
  ///
  /// - Returns: its timer, and whether it is now the first of all.
  public func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    heap.withLock { heap in
      heap.lastOrder += 1
      let timer = ScheduledTimer(deadline: deadline, queue: self, body: body)
      heap.insert(timer)
      count.store(heap.nodes.count, ordering: .releasing)
      return (timer, timer.index == 0)
    }
  }

  /// Takes out the earliest closure that is due by a time.
  public func takeFirst(dueBy time: Duration) -> (deadline: Duration, body: @Sendable () -> Void)? {
    heap.withLock { heap in
      guard let first = heap.nodes.first?.timer, first.deadline <= time, let body = first.body else { return nil }
      heap.remove(first)
      count.store(heap.nodes.count, ordering: .releasing)
      first.body = nil
      return (first.deadline, body)
    }
  }

  func cancel(_ timer: ScheduledTimer) {
    // What the closure holds is let go of outside the lock: it may hold anything.
    let body = heap.withLock { heap in
      heap.remove(timer)
      count.store(heap.nodes.count, ordering: .releasing)
      defer { timer.body = nil }
      return timer.body
    }
    withExtendedLifetime(body) {}
  }
}

/// A binary heap whose timers know their places, so that cancelling one does not search. What is compared stands in the heap
/// itself: timers lie all over the memory.
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
      while hole > 0, node.isBefore(first[(hole - 1) / 2]) {
        Self.move((hole - 1) / 2, to: hole, in: first)
        hole = (hole - 1) / 2
      }
      while 2 * hole + 1 < nodes.count {
        var child = 2 * hole + 1
        if child + 1 < nodes.count, first[child + 1].isBefore(first[child]) { child += 1 }
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
