import Platform
import StoreHistory
import StorePlugins

/// Opening a journal: the store goes on from what the file holds, and keeps in it what happens from then on.
extension LiveStore {
  /// Opens a journal, restores what it holds, and keeps in it what happens from now on.
  ///
  /// - Parameters:
  ///   - name: the name of the file in notes.
  ///   - note: gets what users should know of the file.
  ///   - kept: gets the error of each run of `atomic` that stays although it had not come to its end.
  ///   - recover: restores what a file holds; see ``recover(_:_:source:)``.
  /// - Throws: `JournalError`, and what `recover` throws; the file is then as it was.
  package func openJournal(
    _ plan: JournalPlan, named name: String, note: (String) -> Void, kept: (HostError) -> Void,
    recover: (Journal, JournalContents) throws -> RecoveredStore?
  ) throws {
    guard turn({ self.journal == nil }) else {
      throw HostError(code: .notAllowed, message: "the store is kept in a file already, by the program that owns it")
    }
    let header = journalHeader(began: plan.wallTime() - clock.now)
    let initial = journaledState.slices(isWhole: true)
    let journal = try Journal(plan.path, durability: plan.durability, header: header, initial: initial, journalTrouble)
    let recovered: RecoveredStore?
    do {
      // In one turn: what others do is in the state that the file begins with, or kept in it.
      recovered = try turn {
        let recovered = try journal.found.flatMap { try recover(journal, $0) }
        if recovered == nil { journal.append(stateAfter: history.head, journaledState.slices(isWhole: true)) }
        replaceJournal(
          HostJournal(
            journal, plan, clock: clock, header: header, hinting: hintedProgram, after: history.head, taking: recovered,
            journalTrouble)
        )
        return recovered
      }
    } catch {
      try? journal.end()
      guard case .damaged(let path, nil, _)? = error as? JournalError,
        let archive = try? JournalArchive(path, initial: journaledState.slices(isWhole: true))
      else { throw error }
      defer { archive.close() }
      throw JournalError.examined(error, archive)
    }
    if let id = journal.id { identity.withLock { $0 = id } }
    if let recovered {
      for sentence in recovered.notes(on: name) { note(sentence) }
      takeBackOpenRuns(of: journal, note: note, kept: kept)
    }
  }

  /// Opens a journal with the first action.
  ///
  /// - Parameter files: the folder of the file, where it is one of the sessions' own.
  package func openJournalLater(_ plan: JournalPlan, in files: SessionFiles?) {
    let header = journalHeader(began: plan.wallTime() - clock.now)
    replaceJournal(HostJournal(plan, clock: clock, header: header, hinting: hintedProgram, in: files, journalTrouble))
  }

  /// Opens the journal of a program that has no session for that, and starts tasks.
  ///
  /// - Parameter grants: the plugins that have what they ask for.
  /// - Returns: what users should know of the file, a sentence each.
  package func openJournal(ofOwner plan: JournalPlan, grants: Set<String>) throws -> [String] {
    var notes: [String] = []
    switch plan.opening {
    case .withFirstAction: openJournalLater(plan, in: nil)
    case .readOnly:
      throw HostError(
        code: .notAllowed, message: "the store of a program is kept in its journal, which cannot be read-only",
        hint: "a session looks at a file that is read-only: SessionOptions.journal")
    case .atOnce:
      try openJournal(
        plan, named: plan.path, note: { notes.append($0) },
        kept: { notes.append("\($0.message); \($0.details.joined(separator: " "))") }
      ) { journal, contents in
        let recovered = try recover(journal, contents) { plugin in
          let source =
            Files.isDirectory(plugin.directory)
            ? try PluginSource(folder: plugin.directory)
            : try plugin.kept(in: journal) ?? PluginSource(folder: plugin.directory)
          let permissions = source.manifest.permissions
          guard permissions.isEmpty || grants.contains(source.manifest.name) else {
            throw PluginError(
              .grant,
              "\(source.manifest.name) asks for \(permissions.map(\.description).joined(separator: ", ")); not granted",
              hint: "StoreHost(…, grants: [\"\(source.manifest.name)\"]) grants it")
          }
          return source
        }
        if recovered != nil, let note = goOn(from: contents, in: journal, by: plan) { notes.append(note) }
        notes += notesOnEditedCode
        return recovered
      }
    }
    startTasks()
    return notes
  }
}

extension RecoveredStore {
  /// What users should know of the file, a sentence each.
  ///
  /// - Parameter name: the name of the file.
  package func notes(on name: String) -> [String] {
    var notes: [String] = []
    if let outcome { notes.append("\(name) ended unexpectedly\(outcome)") }
    if let kept { notes.append("its state has a new type now; a copy of the file as it was is \(kept)") }
    return notes
  }

  /// What is known of the end of a session that ended unexpectedly, behind a sentence that says so; nil: it ended in order.
  /// That nothing is missing is never known: a log that was cut between two transactions is one that had no more.
  private var outcome: String? {
    let place = last > 0 ? " after #\(last)" : ""
    switch loss {
    case .frames(let count):
      return "\(place); \(JournalContents.unread(frames: count)), and what was in them is lost"
    case _ where hadEnded: return nil
    case .log:
      return ", and its write-ahead log is gone: unless another program took it in, what came after #\(last) is lost"
    case .unknown: return "\(place), or the machine did; what was not on the disk yet is lost"
    case nil: return place
    }
  }
}

extension JournalError {
  /// An error with the last good action of a file that could not be read in full.
  package static func examined(_ error: any Error, _ archive: JournalArchive) -> any Error {
    guard case .damaged(let path, nil, let reason)? = error as? JournalError else { return error }
    return JournalError.damaged(path: path, lastGood: archive.lastGood, reason: archive.damage ?? reason)
  }
}
