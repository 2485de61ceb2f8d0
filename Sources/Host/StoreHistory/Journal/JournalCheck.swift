import StoreCore
import Synchronization

/// Looks once through all that a file held when it was opened: nothing is added to one that is not what was written.
///
/// Opening looks at the ends of the file only, so that a prompt is there at once however long the history is. The rest is
/// looked at when there is time for it, and at the latest before the first action is written, which waits for it.
final class JournalCheck: @unchecked Sendable {
  // Safe: all that changes is used under the lock, but for the flag, which is atomic.
  private let path: String
  private let numbers: ClosedRange<Int>
  private let state: Lock<State>
  private let isCancelled = Atomic<Bool>(false)

  private enum State {
    case open
    case done(JournalError?)
  }

  /// The largest size of a file, in bytes, through which a look takes no time to speak of: some 50 ms.
  private static let quickSize = 16 << 20
  /// True if the look takes no time to speak of.
  let isQuick: Bool

  /// - Parameter size: the size of the file in bytes. No process may write it until it was looked at.
  init(_ path: String, _ numbers: ClosedRange<Int>, size: Int) {
    self.path = path
    self.numbers = numbers
    isQuick = size <= Self.quickSize
    state = Lock(.open)
  }

  /// The first action that is not as written, with the last good action before it; nil: none. Looks, or waits until
  /// somebody has.
  var damage: JournalError? {
    state.withLock { state in
      switch state {
      case .done(let damage): return damage
      case .open:
        let damage = found()
        guard !isCancelled.load(ordering: .relaxed) else { return nil }
        state = .done(damage)
        return damage
      }
    }
  }

  /// Has a look that goes on end, as nothing is written any more.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  private func found() -> JournalError? {
    do throws(JournalError) {
      let reader = JournalReader(path: path, database: try JournalFile.opened(path, isReadOnly: true))
      defer { reader.close() }
      let isCancelled = { self.isCancelled.load(ordering: .relaxed) }
      if let damage = reader.damage(in: numbers, isCancelled: isCancelled) {
        guard case .damaged(_, let last, _) = damage, let reason = reader.malformation() else { return damage }
        return .damaged(path: path, lastGood: last, reason: reason)
      }
      return reader.damageOfStates(for: numbers, isCancelled: isCancelled)
        ?? reader.damageOfPlaces(for: numbers, isCancelled: isCancelled)
    } catch {
      return error
    }
  }
}
