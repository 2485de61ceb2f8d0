import StoreCore
import StoreHistory

/// The end of a live store.
extension LiveStore {
  /// False once the store was closed.
  package var isOpen: Bool { !attendance.isClosed.isSet }

  /// Ends effects and journal, and tells the clients; again: nothing.
  package func close() throws(HostError) {
    let journal: HostJournal? = turn {
      guard isOpen else { return nil }
      // What was accepted is kept.
      store.catchUp()
      _ = attendance.isClosed.set(true)
      store.cancelEffects()
      for client in clients { client.hearing.end?() }
      return replaceJournal(nil)
    }
    let endings = turn {
      defer { attendance.endings = [] }
      return attendance.endings
    }
    for end in endings { end() }
    do throws(JournalError) {
      try journal?.end(journaledState, clock: clock)
    } catch {
      throw HostError(describing: error, program: program)
    }
  }
}
