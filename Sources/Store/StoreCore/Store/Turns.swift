import Dispatch

/// The threads that wait for their turn, in the order in which they came. They stand beside the queue, each with its place in it,
/// since whoever gives the store back looks for the first of them, however much is queued.
@usableFromInline
struct Turns {
  @usableFromInline var waiting: [(waiter: TurnWaiter, place: Int)] = []
  /// The number of them, which every action asks for.
  @usableFromInline var count = 0

  @usableFromInline init() {}

  @inlinable var isEmpty: Bool { count == 0 }

  /// True if what was queued when the first of them came has been taken.
  @inlinable
  func isDue(at taken: Int) -> Bool { waiting.first.map { $0.place <= taken } ?? false }

  /// - Parameter place: the place of the entry that is enqueued next.
  @usableFromInline
  mutating func append(_ waiter: TurnWaiter, behind place: Int) {
    waiting.append((waiter, place))
    count += 1
  }

  mutating func take(_ index: Int) -> TurnWaiter {
    count -= 1
    return waiting.remove(at: index).waiter
  }

  mutating func remove(_ waiter: TurnWaiter) {
    waiting.removeAll { $0.waiter === waiter }
    count = waiting.count
  }
}

/// A thread that waits for its turn.
@usableFromInline
final class TurnWaiter: Sendable {
  private let turn = DispatchSemaphore(value: 0)

  func wait() { turn.wait() }

  func wake() { turn.signal() }
}
