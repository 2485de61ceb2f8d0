import Dispatch

/// The threads that wait for their turn, in the order in which they came. They stand beside the queue, since whoever gives the
/// store back looks for the first of them, however much is queued.
///
/// A thread gets its turn after the action in progress and what that caused. Turns and arrivals go in rounds: a thread that had a
/// turn in a round has the next one behind as many arrivals as threads had some waiting when the round began.
@usableFromInline
struct Turns {
  private var waiting: [(waiter: TurnWaiter, place: Int)] = []
  /// The number of them, which every action asks for.
  @usableFromInline private(set) var count = 0
  /// The threads that had a turn in the present round.
  private var served: Set<UInt> = []
  /// The number of arrivals that are left of the round.
  private var arrivalsLeft = 0

  @usableFromInline init() {}

  @inlinable var isEmpty: Bool { count == 0 }

  /// - Parameter place: the number of arrivals that come before it: those that its own thread brought.
  @usableFromInline
  mutating func append(_ waiter: TurnWaiter, behind place: Int) {
    waiting.append((waiter, place))
    count += 1
  }

  /// Takes the first of them whose own arrivals were taken, or the one of these that the source of order chooses; nil: there is none,
  /// or an arrival is next.
  ///
  /// - Parameters:
  ///   - arrivals: the number of arrivals that were taken.
  ///   - arrivalsWait: true if more of them wait.
  ///   - isMeant: false for one that stays.
  mutating func take(
    behind arrivals: Int, arrivalsWait: Bool, _ order: (any StoreOrder)?,
    where isMeant: (TurnWaiter) -> Bool = { _ in true }
  ) -> TurnWaiter? {
    guard count > 0 else { return nil }
    let mayWait = arrivalsWait && arrivalsLeft > 0
    func isDue(_ index: Int) -> Bool {
      waiting[index].place <= arrivals && !(mayWait && served.contains(waiting[index].waiter.thread))
    }
    guard let first = waiting.indices.first(where: isDue) else { return nil }
    let index =
      order.map { order in
        let due = waiting.indices.filter(isDue)
        return due[order.chosen(among: due.count)]
      } ?? first
    guard isMeant(waiting[index].waiter) else { return nil }
    count -= 1
    return waiting.remove(at: index).waiter
  }

  mutating func remove(_ waiter: TurnWaiter) {
    waiting.removeAll { $0.waiter === waiter }
    count = waiting.count
  }

  /// Notes that a thread has had its turn, beside so many threads of which arrivals wait.
  mutating func note(turnOf thread: UInt, beside threads: Int) {
    if arrivalsLeft == 0 || threads == 0 { (served, arrivalsLeft) = ([], threads) }
    if arrivalsLeft > 0 { served.insert(thread) }
  }

  /// Notes that an arrival was taken.
  mutating func noteArrival() {
    if arrivalsLeft > 0 { arrivalsLeft -= 1 }
  }
}

/// A thread that waits for its turn.
@usableFromInline
final class TurnWaiter: @unchecked Sendable {
  // Safe: the waiting thread writes `body` before it queues the waiter. The serving thread uses neither part after it wakes it.

  let thread = OwningThread.current
  private let turn = DispatchSemaphore(value: 0)
  /// What another thread may do in the turn on behalf of the one that waits; nil: that must have the turn itself.
  private var body: (() -> Void)?
  /// True once another thread has done it.
  private(set) var isServed = false

  init(_ body: (() -> Void)? = nil) { self.body = body }

  /// True if another thread may have the turn on its behalf.
  var canBeServed: Bool { body != nil }

  /// Does on behalf of the thread that waits what its turn is for.
  func serve() {
    body?()
    isServed = true
    // It must not outlive the call of the thread that waits.
    body = nil
  }

  func wait() { turn.wait() }

  func wake() { turn.signal() }
}
