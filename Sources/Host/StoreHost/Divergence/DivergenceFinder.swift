import StoreHistory
import StoreSchema

/// What some logic makes of an action in a state.
package enum ReplayOutcome {
  /// The state after it.
  case state(HostState)
  /// A reducer failed, or the logic does not know such an action: in one sentence.
  case failure(String)
}

/// The first action of which two pieces of logic make different things.
package struct Divergence {
  /// The action.
  package let entry: LoggedEntry
  /// What led to it, the nearest cause first.
  package let causes: [LoggedEntry]
  /// What differs, in a line each.
  package let lines: [String]
}

/// Runs recorded actions through two pieces of logic, each from the state that was recorded before it, and finds the first of
/// which they make different things: two versions of a plugin, or the recording itself and an edited plugin.
package struct DivergenceFinder {
  /// What the one makes of an action; nil: neither has to do with it.
  package let reference: (LoggedEntry, HostState) throws -> ReplayOutcome?
  /// What the other makes of it.
  package let candidate: (LoggedEntry, HostState) throws -> ReplayOutcome
  /// What the two are called where one of them fails.
  package let names: (reference: String, candidate: String)
  /// The entry of a number, for causes.
  package let entry: (Int) -> LoggedEntry?

  /// Compares action by action.
  ///
  /// - Returns: the first divergence, and how many actions were compared before it.
  /// - Throws: what the two throw, where a state cannot be made their own.
  package func first(in recording: RecordedStates) throws -> (divergence: Divergence?, compared: Int) {
    var compared = 0
    var found: Divergence?
    try recording.walk { entry, state in
      guard let reference = try reference(entry, state) else { return true }
      let lines = differences(reference, try candidate(entry, state))
      guard lines.isEmpty else {
        found = Divergence(entry: entry, causes: causes(of: entry), lines: lines)
        return false
      }
      compared += 1
      return true
    }
    return (found, compared)
  }

  private func differences(_ reference: ReplayOutcome, _ candidate: ReplayOutcome) -> [String] {
    switch (reference, candidate) {
    case (.state(let old), .state(let new)):
      HostState.changes(from: old, to: new).map { $0.text }
    case (.failure, .failure): []
    case (.failure(let reason), .state): ["\(names.reference) failed: \(reason)"]
    case (.state, .failure(let reason)): ["\(names.candidate) failed: \(reason)"]
    }
  }

  private func causes(of first: LoggedEntry) -> [LoggedEntry] {
    var causes: [LoggedEntry] = []
    var current = first
    while let number = current.source.cause, number < current.number, let cause = entry(number) {
      causes.append(cause)
      current = cause
    }
    return causes
  }
}

extension Divergence {
  /// The action, what caused it and what differs, in a line each.
  package var details: [String] {
    func line(_ entry: LoggedEntry) -> String {
      "#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))  <- \(entry.source.short)"
    }
    return [line(entry)] + causes.map { "caused by \(line($0))" } + lines
  }

  /// The error that shows it.
  ///
  /// - Parameters:
  ///   - subject: the file or the plugin.
  ///   - other: from what the state differs.
  package func error(_ subject: String, differsFrom other: String) -> HostError {
    HostError(
      code: .replayDiverged,
      message: "\(subject): state after #\(entry.number) \(entry.action) differs from \(other)", details: details)
  }
}
