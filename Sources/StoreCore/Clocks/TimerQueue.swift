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
  public var nextDeadline: Duration? { heap.withLock { $0.nodes.first?.deadline } }

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
    let deadline: Duration
    let order: UInt64
    let timer: ScheduledTimer

    func isBefore(_ other: Node) -> Bool {
      deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
  }

  var nodes: [Node] = []
  var lastOrder: UInt64 = 0

  mutating func insert(_ timer: ScheduledTimer) {
    timer.index = nodes.count
    nodes.append(Node(deadline: timer.deadline, order: lastOrder, timer: timer))
    rise(nodes.count - 1)
  }

  mutating func remove(_ timer: ScheduledTimer) {
    guard let index = timer.index else { return }
    exchange(index, nodes.count - 1)
    nodes.removeLast()
    timer.index = nil
    guard index < nodes.count else { return }
    rise(index)
    sink(index)
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, nodes[index].isBefore(nodes[(index - 1) / 2]) {
      exchange(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      if 2 * index + 1 < nodes.count, nodes[2 * index + 1].isBefore(nodes[least]) { least = 2 * index + 1 }
      if 2 * index + 2 < nodes.count, nodes[2 * index + 2].isBefore(nodes[least]) { least = 2 * index + 2 }
      guard least != index else { return }
      exchange(index, least)
      index = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    nodes.swapAt(one, other)
    nodes[one].timer.index = one
    nodes[other].timer.index = other
  }
}
