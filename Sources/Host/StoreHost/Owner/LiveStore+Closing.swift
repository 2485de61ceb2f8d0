import StoreCore
import StoreHistory

/// The end of a live store.
extension LiveStore {
  /// False once the store was closed.
  package var isOpen: Bool { !attendance.isClosed.isSet }

  /// Takes what was brought so far, refuses all that comes later, ends effects and journal, and tells the clients; again: nothing,
  /// once the first call has done so.
  ///
  /// Within the processing of an action the store closes behind what was brought to it before, and this returns at once. What could
  /// not be written then goes where faults go that no client has caused.
  package func close() throws(HostError) {
    let end = closeInOrder()
    // Whoever has the turn waits for nobody.
    if !store.isMine { attendance.closing.wait() }
    try end.get()
  }

  private func closeInOrder() -> Result<Void, HostError> {
    var journal: HostJournal?
    var (isFirst, isLater) = (false, false)
    let isDone = store.close { [self] in
      guard isOpen else { return }
      isFirst = true
      journal = beginEnd()
      guard isLater else { return }
      // Not in the turn: others may have to have it before they end.
      let finish: @Sendable () -> Void = { [self, end = Ending(journal: journal)] in
        if case .failure(let error) = self.end(end.journal) { turn { attendance.faults.note(error) } }
      }
      do throws(WorkerThread.Refusal) { try WorkerThread(finish).detach() } catch { finish() }
    }
    isLater = !isDone
    return isDone && isFirst ? end(journal) : .success(())
  }

  /// A journal on its way to the thread that ends it.
  private struct Ending: @unchecked Sendable {
    // Safe: the thread that made it uses it no more.
    let journal: HostJournal?
  }

  /// Ends what holds the turn.
  ///
  /// - Returns: the journal, to be ended.
  private func beginEnd() -> HostJournal? {
    _ = attendance.isClosed.set(true)
    attendance.closing.enter()
    store.cancelEffects()
    for client in clients { client.hearing.end?() }
    return replaceJournal(nil)
  }

  /// Ends the rest, without the turn.
  private func end(_ journal: HostJournal?) -> Result<Void, HostError> {
    defer { attendance.closing.leave() }
    let endings = turn {
      defer { attendance.endings = [] }
      return attendance.endings
    }
    for end in endings { end() }
    do throws(JournalError) {
      // Nothing changes any more.
      try journal?.end(journaledState, clock: clock)
      return .success(())
    } catch {
      return .failure(HostError(describing: error, program: program))
    }
  }
}
