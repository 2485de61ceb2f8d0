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
  // Safe: all that changes is read and written only under the lock of the timers that it is one of.

  @exclusivity(unchecked) fileprivate var place: TimerOrder.Place
  /// The closure; nil: it waits no longer.
  @exclusivity(unchecked) fileprivate var body: (@Sendable () -> Void)?
  // They hold it as long as it waits, until the queue goes. (A weak reference to the queue would take longer than the rest of
  // a timer.)
  private let timers: WaitingTimers

  fileprivate init(_ place: TimerOrder.Place, among timers: WaitingTimers, body: @escaping @Sendable () -> Void) {
    self.place = place
    self.timers = timers
    self.body = body
  }

  /// The time at which it is due.
  public var deadline: Duration { timers.deadline(of: self) }

  /// Has it be due later, as if it were scheduled now: a few instructions, where a new timer takes thousands.
  ///
  /// - Returns: false, and nothing is changed, if it waits no longer or is due later than that.
  public func postpone(to deadline: Duration) -> Bool { timers.postpone(self, to: deadline) }

  /// Takes it out of the queue; it does not run any more, unless it runs already.
  public func cancel() { timers.cancel(self) }
}

/// The timers of a ``TimerQueue``: apart from it, since they hold what they wait in.
final class WaitingTimers: Sendable {
  private let waiting = Lock(TimerOrder())
  private let count = Atomic<Int>(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var nextDeadline: Duration? { waiting.withLock { $0.first?.place.time } }

  func deadline(of timer: ScheduledTimer) -> Duration { waiting.withLock { _ in timer.place.time } }

  func postpone(_ timer: ScheduledTimer, to deadline: Duration) -> Bool {
    waiting.withLock { $0.postpone(timer, to: deadline) }
  }

  func schedule(
    at deadline: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (timer: ScheduledTimer, isFirst: Bool) {
    waiting.withLock { waiting in
      let timer = ScheduledTimer(waiting.place(at: deadline), among: self, body: body)
      waiting.insert(timer)
      count.store(waiting.count, ordering: .releasing)
      return (timer, waiting.first === timer)
    }
  }

  func takeFirst(dueBy time: Duration, _ order: (any StoreOrder)?) -> TimerQueue.Due? {
    waiting.withLock { waiting in
      guard let first = waiting.first(chosenBy: order), first.place.time <= time, let body = waiting.remove(first)
      else { return nil }
      count.store(waiting.count, ordering: .releasing)
      return TimerQueue.Due(deadline: first.place.time, body: body)
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
    while let first = waiting.withLock({ $0.first }) { cancel(first) }
  }
}

/// Timers by their deadlines. A cancelled one loses its body at once. Its node stays until its turn comes, or until half of
/// the nodes are of cancelled ones. The node of one that was postponed stays too, and moves when its turn comes.
private struct TimerOrder {
  struct Place: Comparable {
    /// The deadline in attoseconds: durations are compared by a call.
    let deadline: Int128
    /// Ascends with what is scheduled.
    let order: UInt64

    var time: Duration { Duration(attoseconds: deadline) }

    static func < (left: Place, right: Place) -> Bool {
      left.deadline == right.deadline ? left.order < right.order : left.deadline < right.deadline
    }

    static func == (left: Place, right: Place) -> Bool { left.order == right.order }
  }

  struct Node: Comparable {
    let place: Place
    let timer: ScheduledTimer

    static func < (left: Node, right: Node) -> Bool { left.place < right.place }

    static func == (left: Node, right: Node) -> Bool { left.place == right.place }
  }

  private var nodes = Heap<Node>()
  private var lastOrder: UInt64 = 0
  private(set) var count = 0

  var first: ScheduledTimer? {
    mutating get {
      while let first = nodes.min {
        let timer = first.timer
        if timer.body != nil, timer.place == first.place { return timer }
        if timer.body == nil {
          nodes.removeMin()
        } else {
          nodes.replaceMin(with: Node(place: timer.place, timer: timer))
        }
      }
      return nil
    }
  }

  /// The place of a timer that is scheduled now.
  mutating func place(at deadline: Duration) -> Place {
    lastOrder += 1
    return Place(deadline: deadline.attoseconds, order: lastOrder)
  }

  mutating func insert(_ timer: ScheduledTimer) {
    count += 1
    nodes.insert(Node(place: timer.place, timer: timer))
  }

  mutating func postpone(_ timer: ScheduledTimer, to deadline: Duration) -> Bool {
    guard timer.body != nil, deadline.attoseconds >= timer.place.deadline else { return false }
    timer.place = place(at: deadline)
    return true
  }

  /// One of those with the earliest deadline.
  mutating func first(chosenBy order: (any StoreOrder)?) -> ScheduledTimer? {
    guard let order, let deadline = first?.place.deadline else { return first }
    let equal = nodes.unordered.map(\.timer).filter { $0.place.deadline == deadline && $0.body != nil }
      .sorted { $0.place < $1.place }
    return equal[order.chosen(among: equal.count)]
  }

  /// Takes a timer's body, if it waits.
  mutating func remove(_ timer: ScheduledTimer) -> (@Sendable () -> Void)? {
    guard let body = timer.body.take() else { return nil }
    count -= 1
    if nodes.count > 2 * count + 64 { nodes = Heap(nodes.unordered.filter { $0.timer.body != nil }) }
    return body
  }
}
