import StoreCore
import StoreHistory
import Synchronization

/// Tells those who wait for the next action that it happened. While nobody waits it costs a glance.
package final class ActionSignal: Sendable {
  private let isArmed = Atomic<Bool>(false)
  private let waiting = Lock<[@Sendable () -> Void]>([])

  /// Calls a function once, at the next action, on the thread that processes it.
  package func next(_ tell: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(tell) }
    isArmed.store(true, ordering: .releasing)
  }

  /// Takes note that an action happened.
  func send() {
    guard isArmed.load(ordering: .relaxed), isArmed.exchange(false, ordering: .acquiring) else { return }
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for tell in waiting { tell() }
  }
}

extension LiveStore {
  /// The newest actions from a number on.
  ///
  /// - Parameter most: the most of them that are given; of more, the last.
  /// - Returns: the actions, and the number of the last one that happened.
  package func actions(from number: Int, atMost most: Int) -> (entries: [LoggedEntry], head: Int) {
    // As an array: who holds the log itself has it copied at the next action.
    store.look { (Array(history.log.entries(from: number).suffix(most)), history.head) }
  }

  /// Ends something with the store.
  ///
  /// - Parameters:
  ///   - begin: has it end, and waits for nothing, not even for the turn; called before the store takes its last actions.
  ///   - end: waits for its end, on the thread that closes the store, once nothing changes any more.
  package func whenClosed(begin: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    attendance.endings.withLock { $0.append((begin, end)) }
  }
}
