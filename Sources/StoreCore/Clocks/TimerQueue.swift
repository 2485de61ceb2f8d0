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
  public var nextDeadline: Duration? { heap.withLock { $0.timers.first?.deadline } }

  /// Adds a closure.
  ///
  /// - Returns: its timer, and whether it is now the first of all.
  public func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    heap.withLock { heap in
      heap.lastOrder += 1
      let timer = ScheduledTimer(deadline: deadline, order: heap.lastOrder, queue: self, body: body)
      heap.insert(timer)
      count.store(heap.timers.count, ordering: .releasing)
      return (timer, timer.index == 0)
    }
  }

  /// Takes out the earliest closure that is due by a time.
  public func takeFirst(dueBy time: Duration) -> (deadline: Duration, body: @Sendable () -> Void)? {
    heap.withLock { heap in
      guard let first = heap.timers.first, first.deadline <= time, let body = first.body else { return nil }
      heap.remove(first)
      count.store(heap.timers.count, ordering: .releasing)
      first.body = nil
      return (first.deadline, body)
    }
  }

  func cancel(_ timer: ScheduledTimer) {
    // What the closure holds is let go of outside the lock: it may hold anything.
    let body = heap.withLock { heap in
      heap.remove(timer)
      count.store(heap.timers.count, ordering: .releasing)
      defer { timer.body = nil }
      return timer.body
    }
    withExtendedLifetime(body) {}
  }
}

/// A binary heap whose timers know their places, so that cancelling one does not search.
private struct TimerHeap {
  var timers: [ScheduledTimer] = []
  var lastOrder: UInt64 = 0

  mutating func insert(_ timer: ScheduledTimer) {
    timer.index = timers.count
    timers.append(timer)
    rise(timers.count - 1)
  }

  mutating func remove(_ timer: ScheduledTimer) {
    guard let index = timer.index else { return }
    exchange(index, timers.count - 1)
    timers.removeLast()
    timer.index = nil
    guard index < timers.count else { return }
    rise(index)
    sink(index)
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, timers[index].isBefore(timers[(index - 1) / 2]) {
      exchange(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < timers.count && timers[child].isBefore(timers[least]) {
        least = child
      }
      guard least != index else { return }
      exchange(index, least)
      index = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    timers.swapAt(one, other)
    timers[one].index = one
    timers[other].index = other
  }
}
