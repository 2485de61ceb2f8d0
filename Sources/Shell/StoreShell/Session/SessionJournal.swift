import Platform
import StoreHistory
import StoreHost
import StorePlugins

extension Session {
  /// Opens what the session keeps its actions in, as its options say, and restores what a file holds.
  ///
  /// - Returns: 0, or the status of the error, which is reported.
  public func openJournal() -> Int32 {
    do {
      if var plan = options.shared {
        plan.isGranted = { [options] in options.grants(shared: $0) }
        try store.live.join(plan, endedBy: store.interruption)
        // The log has all that is told, whatever becomes of the node's file.
        console.beforeTelling = { [live = store.live, client = store.lease] in live.takeJournalNotes(for: client.object)
        }
      }
      guard let plan = options.journal else { return 0 }
      try openJournal(plan)
      settlesBeforeTelling()
      // Who looks at a file sees what it holds.
      if archive == nil { store.live.startTasks() }
      for name in store.loadedPlugins.map(\.name) where commands[name] != nil {
        write(
          note: "\(name) is a command of the shell: commands of the plugin \(name) cannot be given, its actions can")
      }
      return 0
    } catch {
      // What ends the run is the reason.
      return stoppedStatus() ?? writeError(error)
    }
  }

  /// Has what is told be as durable as was asked, whoever opened the journal.
  func settlesBeforeTelling() {
    // Not the client: what it hears holds the console.
    console.beforeTelling = { [live = store.live, client = store.lease] in
      live.settleJournal()
      return live.takeJournalNotes(for: client.object)
    }
  }

  /// Closes it in order.
  ///
  /// - Returns: 0, or 1 where something could not be written, which is reported.
  public func endJournal() -> Int32 {
    console.flush()
    archive?.close()
    store.live.storeNode?.close()
    guard let (journal, state) = store.live.takeJournal() else { return 0 }
    let isAtPrompt = options.journal?.opening == .withFirstAction
    do throws(JournalError) {
      try journal.end(state, clock: store.live.clock)
      for note in journal.takeNotes() { write(note: note) }
      if isAtPrompt { options.sessionFiles?.prune(keeping: options.keptSessions) }
      return 0
    } catch {
      writeError(error)
      return 1
    }
  }

  /// Ends the trace and the effects of a session whose terminal is gone. The journal of a session at the prompt is left as it
  /// is: the next start offers to go on from it.
  ///
  /// - Returns: as ``end()``.
  public func endStopped() -> Int32 {
    guard options.journal?.opening == .withFirstAction else { return end() }
    abandonRun()
    defer { if application.endsStore { store.live.cancelEffects() } }
    let status = endTrace()
    console.flush()
    store.live.settleJournal()
    for note in store.live.takeJournalNotes(for: store) { write(note: note) }
    return status
  }

  private func openJournal(_ plan: JournalPlan) throws {
    let name = options.sessionFiles?.displayName(of: plan.path) ?? plan.path
    switch plan.opening {
    case .withFirstAction:
      tellOfAbandonedSessions()
      store.live.openJournalLater(plan, in: options.sessionFiles)
    case .readOnly(let number): try openArchive(plan, upTo: number, name)
    case .atOnce:
      try store.live.openJournal(
        plan, named: name, note: { write(note: $0) }, kept: { outcome.openingStatus = writeError($0) }
      ) { try recover($0, $1, plan) }
    }
  }

  private func openArchive(_ plan: JournalPlan, upTo number: Int?, _ name: String) throws {
    let path = plan.path
    let archive = try JournalArchive(path, upTo: number, initial: store.live.journaledState.slices(isWhole: true))
    let recovered: RecoveredStore?
    do {
      let contents = archive.contents
      if let number, number > contents.last, archive.damage == nil {
        throw HistoryError.beyondHead(number, head: contents.last)
      }
      if contents.last < contents.base { throw HistoryError.notKept(contents.last, oldest: contents.base) }
      recovered = try recover(archive, contents, plan)
    } catch {
      archive.close()
      // Another part of it may open.
      tellOfOtherParts(archive)
      throw JournalError.examined(error, archive)
    }
    self.archive = archive
    if !running.isChecking {
      write(note: "\(name) is open read-only: what happens from here on is kept in memory only")
    }
    for plugin in recovered?.absent ?? [] {
      write(note: "\(plugin.name) is not loaded: \(plugin.reason); its state is shown as it was recorded")
    }
    if let damage = archive.damage {
      tell(damage, of: archive)
    } else if number == nil, let recovered, !Journal.isInUse(path) {
      for note in recovered.notes(on: name) { write(note: note) }
      for first in archive.reader.openRuns {
        guard let entry = try store.entry(first) else { continue }
        write(note: "\(entry.openRun); it is taken back once the file is open without --read-only")
      }
    }
  }

  /// Tells the damage of a file, the part of it that is open, and how to open the rest.
  private func tell(_ damage: String, of archive: JournalArchive) {
    let last = archive.lastGood
    write(note: "it is damaged\(last > 0 ? " after #\(last)" : ""): \(damage)")
    let open = archive.openPart
    if open.isEmpty {
      write(note: "only the state after #\(open.lowerBound - 1) can be read and is open")
    } else if open.upperBound - 1 != last {
      write(note: "\(Self.text(open)) can be read and \(open.count == 1 ? "is" : "are") open")
    }
    tellOfOtherParts(archive)
  }

  private func tellOfOtherParts(_ archive: JournalArchive) {
    for part in archive.otherParts {
      let way = hintedProgram.map { ": \($0) --store \(archive.path) --read-only --to \(part.upperBound - 1)" }
      write(note: "\(Self.text(part)) can be read, too\(way ?? "")")
    }
  }

  private static func text(_ part: Range<Int>) -> String {
    let (first, last) = (part.lowerBound, part.upperBound - 1)
    return first == last ? "#\(first)" : "#\(first) to #\(last)"
  }

  private func tellOfAbandonedSessions() {
    guard let files = options.sessionFiles else { return }
    for session in files.untold.reversed() {
      guard let last = try? Journal.last(in: session.path), last > 0 else { continue }
      console.writeError(
        "session \(session.id) ended unexpectedly after #\(last); recover it with: \(options.name) --recover\n")
      files.tell(session)
    }
  }

  private func recover(
    _ file: any JournalReading, _ contents: JournalContents, _ plan: JournalPlan
  ) throws -> RecoveredStore? {
    let advice = { (name: String) in file is Journal ? "; `plugin reload \(name)` has the file say so" : "" }
    var edited: [String] = []
    let recovered = try store.live.recover(file, contents) { plugin in
      try requirePlugins()
      let source = try PluginLocator(options).source(plugin, in: file)
      try grant(source)
      if !Files.isDirectory(source.folder) {
        write(note: "\(plugin.name) is no longer in \(plugin.directory); it runs as the file keeps it")
      } else if Files.absolute(source.folder) != plugin.directory {
        let code = source.digest == plugin.digest ? "" : ", with other code"
        write(
          note:
            "\(plugin.name) is no longer in \(plugin.directory) but in \(source.folder)\(code)\(advice(plugin.name))")
      } else if source.digest != plugin.digest {
        edited.append(plugin.name)
      }
      return source
    }
    // A state of another type has a note of its own.
    for name in edited where recovered?.kept == nil {
      write(note: "the code of \(name) has changed since; new actions run the new code\(advice(name))")
    }
    if recovered != nil, let note = store.live.goOn(from: contents, in: file, by: plan) { write(note: note) }
    return recovered
  }
}
