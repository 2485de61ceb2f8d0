import StoreCore

extension Store {
  /// Waits until everything is processed that waits in the queue now. The store has a thread of its own for what other threads
  /// brought (R2): a state that is read without this may be an earlier one.
  package func awaitQueue() { setInterruption(nil) }
}
