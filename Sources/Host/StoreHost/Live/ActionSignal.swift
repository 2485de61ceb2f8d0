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

  /// Does something when the store is closed, on the thread that closes it.
  package func whenClosed(_ body: @escaping @Sendable () -> Void) { turn { attendance.endings.append(body) } }
}
