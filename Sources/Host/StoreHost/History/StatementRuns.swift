import StoreCore
import StoreHistory
import StoreModules
import StoreSchema

/// Runs of statements that are taken back as a whole, unless they come to their end.
///
/// The journal notes the first action of a run together with that action, and forgets it at the end of the run. A run that it knows
/// when the store is opened again is taken back then.
extension StoreClient {
  /// Begins a run.
  ///
  /// - Throws: ``HostError`` where the store is shared by machines, or an earlier point is shown.
  package func beginRun() throws {
    try requirePresent()
    guard !isShared else {
      throw HostError(code: .notAllowed, message: "a store of several machines takes nothing back by itself")
    }
    turn {
      beginStatementRun()
      run = .open
    }
  }

  /// Ends the run. Its actions stay.
  package func endRun() {
    turn {
      guard run == .open else { return run = nil }
      run = nil
      if let first = endStatementRun() { live.note(run: first, isOpen: false) }
    }
  }

  /// Takes back the actions of the run. The client dispatches nothing else until ``endRun()``.
  ///
  /// - Parameter source: where that is asked for.
  /// - Returns: nil: nothing of it is in effect.
  /// - Throws: ``HostError`` `atomic-kept` with what stays, where an action of another name stands on it.
  package func cancelRun(source: ActionSource) throws -> TakenBack? {
    guard run == .open else { return nil }
    run = .cancelled
    guard let first = turn({ endStatementRun() }) else { return nil }
    // An interruption of the run does not interrupt this.
    let isRequested = interruption.isRequested
    interruption.isRequested = { false }
    defer { interruption.isRequested = isRequested }
    do {
      return try takeBackRun(from: first, source)
    } catch let error as HostError {
      if error.code == .atomicKept { turn { live.note(run: first, isOpen: false) } }
      throw error
    }
  }

  /// Notes that the run was lost with an earlier conversation. The client dispatches nothing until ``endRun()``.
  package func loseRun() { turn { run = .lost } }

  /// Takes back a run, which is over then. One that cannot be taken back although nobody's action stands on it, as where the store is
  /// being closed, stays open: it is taken back when the file is opened again.
  fileprivate func takeBackRun(from first: Int, _ source: ActionSource) throws -> TakenBack? {
    var source = source
    source.statement = nil
    let state = run
    run = nil
    defer { run = state }
    do {
      let done = try takeBack(run: first, source: source)
      if done?.report.failure == nil { turn { live.note(run: first, isOpen: false) } }
      return done
    } catch {
      var kept = HostError(describing: error)
      guard kept.code == .undoConflict else { throw error }
      kept.code = .atomicKept
      var stays: [String] = []
      let head = live.turn { live.history.head }
      try visit(first...head, of: theMoment) { entry in
        if entry.isOfRun(first) {
          stays.append("#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))")
        }
        return stays.count <= Self.mostListed
      }
      if stays.count > Self.mostListed { stays[Self.mostListed] = "…" }
      kept.details += ["what stays:"] + stays
      throw kept
    }
  }

  /// The most actions of a run that an error lists.
  private static let mostListed = 10

  /// Why an action is refused in a run; nil: it is not.
  func refusalInRun(of action: HostAction) -> HostError? {
    refusalInRun(of: action.call.type.fullName, concernsAll: action.shell != nil)
  }

  /// The same of an action or a command by its name.
  private func refusalInRun(of name: String, concernsAll: Bool) -> HostError? {
    guard let run else { return nil }
    guard run == .open else {
      let fate = run == .lost ? "lost with the connection" : "cancelled"
      return HostError(
        code: .notAllowed, message: "the run was \(fate), and nothing is dispatched", hint: "atomic end leaves it")
    }
    guard concernsAll else { return nil }
    return HostError(
      code: .notAllowed, message: "\(name) is refused between atomic begin and atomic end",
      hint: "atomic end keeps what the run did so far, atomic cancel takes it back")
  }

  /// Throws where an action of the shell would be refused to the client: before plugins are made or told for it.
  package func requireChange(by type: ActionType) throws {
    try requirePresent()
    if let refused = turnAnywhere({ refusal?(type.fullName) }) { throw refused }
    try requireNoRun(for: type.fullName)
  }

  /// Throws where the client is in a run, or in one that was cancelled or lost.
  ///
  /// - Parameter name: what concerns everybody: an action, or a command that records none.
  package func requireNoRun(for name: String) throws(HostError) {
    if let refused = turnAnywhere({ refusalInRun(of: name, concernsAll: true) }) { throw refused }
  }

  /// True if the client is in a run, or in one that was cancelled or lost.
  package var isInRun: Bool { turnAnywhere { run != nil } }
}

extension LoggedEntry {
  /// True if a run asked for the action.
  ///
  /// - Parameter first: the first action of the run.
  func isOfRun(_ first: Int) -> Bool { source.cause == nil && (number == first || source.statement == first) }
}

extension LiveStore {
  /// Takes note that a run begins with the action that is recorded next, or has ended. What is needed to take back a run that is open
  /// is kept: by the journal, or in memory.
  func note(run first: Int, isOpen: Bool) {
    if isOpen { openRuns.insert(first) } else { openRuns.remove(first) }
    history.firstNeeded = openRuns.min()
    journal?.note(run: first, isOpen: isOpen)
  }

  /// Takes note for the clients that the history is another one now, whose last action has that number.
  func joinAnew(behind number: Int) {
    (openRuns, knownPoints) = ([], [])
    for client in clients { client.joinAnew(behind: number) }
  }

  /// Takes back the runs that had not come to their end when the file was left, those that began last first. One that another run's
  /// action stood on is tried again once that run is taken back.
  ///
  /// - Parameters:
  ///   - note: gets a sentence for users on each of them that was taken back.
  ///   - kept: gets the error `atomic-kept` of each that stays, since an action of another name stands on it.
  func takeBackOpenRuns(of journal: Journal, note: (String) -> Void, kept: (HostError) -> Void) {
    let client = clients.first { !$0.onlyServes } ?? clients.first ?? StoreClient(of: self)
    var open: [Int] = journal.reader.openRuns.reversed()
    while !open.isEmpty {
      var staying: [(run: Int, error: HostError)] = []
      for first in open {
        do throws(HostError) {
          if let sentence = try takeBackOpenRun(from: first, by: client) { note(sentence) }
        } catch {
          staying.append((first, error))
        }
      }
      if staying.count == open.count {
        for (first, error) in staying {
          if error.code == .atomicKept { turn { self.note(run: first, isOpen: false) } }
          kept(error)
        }
        return
      }
      open = staying.map(\.run)
    }
  }

  /// - Returns: a note for users; nil: nothing of the run is in effect.
  private func takeBackOpenRun(from first: Int, by client: StoreClient) throws(HostError) -> String? {
    guard let entry = try? client.entry(first) else {
      turn { self.note(run: first, isOpen: false) }
      return nil
    }
    let speaker = client.speaker
    client.speaker = { entry.source.author }
    defer { client.speaker = speaker }
    var source = entry.source
    source.function = UndoLine.atomic
    do {
      guard let done = try client.takeBackRun(from: first, source) else { return nil }
      if let failure = done.report.failure { throw failure }
      return "\(entry.openRun); #\(done.report.number ?? 0) takes back its "
        + (done.count == 1 ? "1 action" : "\(done.count) actions")
    } catch {
      var described = HostError(describing: error)
      described.message = "\(entry.openRun), and stays: \(described.message)"
      throw described
    }
  }
}

extension LoggedEntry {
  /// The run that the entry is the first of and that has no end, in words.
  package var openRun: String {
    let author = source.author.map { " of \($0.text)" } ?? ""
    return "the run\(author) from #\(number) \(action) on had not ended"
  }
}
