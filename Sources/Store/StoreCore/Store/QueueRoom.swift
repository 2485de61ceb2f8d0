import Synchronization

/// The room for actions that threads bring to a store that is busy (R2).
@usableFromInline
final class QueueRoom: Sendable {
  let limit: Int
  private let waiting = Atomic<Int>(0)

  @usableFromInline
  init(limit: Int) { self.limit = max(limit, 1) }

  /// Takes room for one action, where there is any.
  func enter() -> Bool {
    if waiting.add(1, ordering: .relaxed).newValue <= limit { return true }
    leave()
    return false
  }

  /// Gives the room of one action back.
  @usableFromInline
  func leave() { waiting.subtract(1, ordering: .relaxed) }
}
