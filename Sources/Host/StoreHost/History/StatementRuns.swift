import StoreCore
import StoreHistory
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
      if let first = endStatementRun() { live.journal?.note(run: first, isOpen: false) }
    }
  }

  /// Takes back the actions of the run. The client dispatches nothing else until ``endRun()``.
  ///
  /// - Parameter source: where that is asked for.
  /// - Returns: the report; nil: nothing of it is in effect.
  /// - Throws: ``HostError`` `atomic-kept` with what stays, where an action of another stands on it.
  package func cancelRun(source: ActionSource) throws -> DispatchReport? {
    guard run == .open else { return nil }
    run = .cancelled
    guard let first = turn({ endStatementRun() }) else { return nil }
    // An interruption of the run does not interrupt this.
    let isRequested = interruption.isRequested
    interruption.isRequested = { false }
    defer { interruption.isRequested = isRequested }
    return try takeBackRun(from: first, source)
  }

  fileprivate func takeBackRun(from first: Int, _ source: ActionSource) throws -> DispatchReport? {
    var source = source
    source.statement = nil
    defer { turn { live.journal?.note(run: first, isOpen: false) } }
    let state = run
    run = nil
    defer { run = state }
    do {
      return try takeBack(run: first, source: source)
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
    if run == .cancelled {
      return HostError(
        code: .notAllowed, message: "the run was cancelled, and nothing is dispatched", hint: "atomic end leaves it")
    }
    guard action.shell != nil else { return nil }
    return HostError(
      code: .notAllowed, message: "\(action.call.type.fullName) is refused between atomic begin and atomic end",
      hint: "atomic end keeps what the run did so far, atomic cancel takes it back")
  }
}

extension LoggedEntry {
  /// True if a run asked for the action.
  ///
  /// - Parameter first: the first action of the run.
  func isOfRun(_ first: Int) -> Bool { source.cause == nil && (number == first || source.statement == first) }
}

extension LiveStore {
  /// Takes back the runs that had not come to their end when the file was left.
  ///
  /// - Returns: a note for users on each of them.
  func takeBackOpenRuns(of journal: Journal) -> [String] {
    journal.reader.openRuns.compactMap { first -> String? in
      let client = clients.first { !$0.onlyServes } ?? clients.first ?? StoreClient(of: self)
      guard let entry = try? client.entry(first) else {
        turn { self.journal?.note(run: first, isOpen: false) }
        return nil
      }
      let speaker = client.speaker
      client.speaker = { entry.source.author }
      defer { client.speaker = speaker }
      let author = entry.source.author.map { " of \($0.text)" } ?? ""
      let run = "the run\(author) from #\(first) \(entry.action) on had not ended"
      var source = entry.source
      source.function = "atomic"
      do {
        guard let report = try client.takeBackRun(from: first, source) else { return nil }
        let numbers = report.entry?.takenBack?.count ?? 1
        return "\(run); #\(report.number ?? 0) takes back its \(numbers == 1 ? "1 action" : "\(numbers) actions")"
      } catch {
        return "\(run), and stays: \(HostError(describing: error).message)"
      }
    }
  }
}
