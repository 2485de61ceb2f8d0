import Platform
import StoreCore
import StoreHistory
import StorePlugins

/// Keeps what a host records.
package final class HostJournal {
  /// What is open; nil: the first action opens it.
  package private(set) var journal: Journal?
  let plan: JournalPlan
  private let header: JournalHeader
  /// Where the file is, if it is the session's own.
  private let files: SessionFiles?
  /// What is to be told, once.
  private var notes: [String] = []
  /// Whether the file cannot be opened.
  private var isClosed = false
  private var isFailing = false
  /// The oldest number whose state the file can give.
  package private(set) var start = 0
  /// The last action that was recorded; 0: none was.
  private var last = 0
  /// Whether plugins run other code than what the file says: it is told of it with the first action that they met.
  private var hasOtherCode = false
  /// Code of plugins that the first action brings into the file.
  private var unkept: [JournaledCode] = []
  /// Long-lived effects that have ended before the file was open.
  private var ends: Set<EndedEffect> = []
  /// The clock on the wall, which an open file follows; nil: it makes no difference to a virtual clock.
  private let wall: WallClock?

  /// A journal that the first action opens.
  package init(_ plan: JournalPlan, clock: any StoreClock, header: JournalHeader, in files: SessionFiles?) {
    self.files = files
    self.plan = plan
    self.header = header
    wall = WallClock(plan, clock)
  }

  /// A journal that is open.
  ///
  /// - Parameters:
  ///   - number: the last action before what it keeps.
  ///   - recovered: what was taken up from it; nil: it is new.
  package init(
    _ journal: Journal, _ plan: JournalPlan, clock: any StoreClock, header: JournalHeader, after number: Int,
    taking recovered: RecoveredStore?
  ) {
    files = nil
    start = recovered == nil ? number : 0
    hasOtherCode = recovered?.hasOtherCode ?? false
    unkept = recovered?.unkept ?? []
    self.journal = journal
    self.plan = plan
    self.header = header
    wall = WallClock(plan, clock)
    if let wall { journal.follow(wall) }
  }

  /// Takes note of an action.
  ///
  /// - Parameters:
  ///   - plugins: what is loaded after it.
  package func record(
    _ entry: LoggedEntry, from before: HostState, to after: HostState, plugins: @autoclosure () -> [PluginSource]
  ) {
    guard let journal = journal ?? open(before, at: entry.number - 1) else { return }
    last = entry.number
    if hasOtherCode { journal.append(stateAfter: journal.last, before.slices(isWhole: true)) }
    hasOtherCode = false
    guard entry.isWhole || !unkept.isEmpty || journal.takeWantsSnapshot() else { return journal.append(entry) }
    let loaded = entry.loadedPlugin.flatMap { name in plugins().first { $0.manifest.name == name } }
    journal.append(
      entry, plugin: loaded?.journaled(loadedBy: entry.number),
      code: unkept + (loaded.map { [$0.journaledCode] } ?? []),
      state: after.slices(isWhole: entry.isWhole || !unkept.isEmpty))
    unkept = []
  }

  /// Takes note that a long-lived effect has ended while its unit goes on stating it, or that it may start again.
  package func note(_ effect: EndedEffect, hasEnded: Bool) {
    if let journal { return journal.note(effect, hasEnded: hasEnded) }
    if hasEnded { ends.insert(effect) } else { ends.remove(effect) }
  }

  /// Takes another history instead of what was recorded so far.
  ///
  /// - Parameters:
  ///   - state: the state that it starts with.
  ///   - number: the action after which that is.
  ///   - plugins: the plugins that are loaded in it.
  package func restart(_ state: HostState, after number: Int, plugins: [PluginSource]) {
    guard let journal = journal ?? open(state, at: number) else { return }
    (start, last) = (number, 0)
    hasOtherCode = false
    journal.restart(
      after: number, state.slices(isWhole: true), plugins: plugins.map { $0.journaled(loadedBy: number) },
      code: plugins.map(\.journaledCode))
  }

  private func open(_ state: HostState, at number: Int) -> Journal? {
    guard !isClosed else { return nil }
    do throws(FileError) {
      try files?.makeFolder()
    } catch {
      isClosed = true
      notes.append("\(error.path) cannot be made: \(error.reason); what happens is kept in memory only")
      return nil
    }
    do throws(JournalError) {
      let opened = try Journal(plan.path, durability: plan.durability, header: header)
      if opened.found == nil { opened.append(stateAfter: number, state.slices(isWhole: true)) }
      for effect in ends { opened.note(effect, hasEnded: true) }
      ends = []
      start = number
      journal = opened
      if let wall { opened.follow(wall) }
      return opened
    } catch {
      isClosed = true
      notes.append("\(error); what happens is kept in memory only")
      return nil
    }
  }

  /// Waits until what was recorded is as durable as was asked.
  package func settle() { journal?.settle() }

  /// What has gone wrong since it was last asked.
  package func takeNotes() -> [String] {
    if let journal {
      if journal.hasTrouble { noteLeap(journal) }
      if let failure = journal.takeFailure() {
        isFailing = true
        notes.append("\(failure); from now on everything is kept in memory only")
      } else if isFailing, journal.failure == nil {
        isFailing = false
        notes.append("\(journal.path) is written again, and nothing is missing")
      }
    }
    defer { notes = [] }
    return notes
  }

  /// Tells where the clock on the wall was set by more than a day. The time of the store has not gone with it, and does not catch up
  /// while the store is closed.
  private func noteLeap(_ journal: Journal) {
    let leap = journal.takeLeap()
    let days = (abs(leap.components.seconds) + 43_200) / 86_400
    guard leap > .seconds(86_400) || leap < .seconds(-86_400) else { return }
    notes.append(
      "the clock of this machine went \(leap > .zero ? "ahead" : "back") by \(days) \(days == 1 ? "day" : "days"); "
        + "the time of \(journal.path) has not")
  }

  /// Closes the file in order.
  ///
  /// - Parameters:
  ///   - state: the state after the last action.
  ///   - clock: the clock of the store.
  package func end(_ state: HostState, clock: any StoreClock) throws(JournalError) {
    guard let journal else { return }
    isClosed = true
    self.journal = nil
    journal.followWall()
    noteLeap(journal)
    try journal.end(
      number: max(last, start, journal.last), last > 0 ? state.slices(isWhole: true) : [],
      time: clock is VirtualClock ? clock.now : nil)
    if let failure = journal.takeFailure() {
      notes.append("\(failure); to export its undamaged part: \(header.program) --store \(journal.path) --read-only")
    }
  }
}

extension WallClock {
  /// The clock on the wall of a plan; nil beside a virtual clock, whose time no wall moves.
  fileprivate init?(_ plan: JournalPlan, _ clock: any StoreClock) {
    if clock is VirtualClock { return nil }
    self.init(since: (plan.wallTime(), .now), wallTime: plan.wallTime)
  }
}

extension LoggedEntry {
  /// The name of the plugin that the action loaded; nil: it loaded none.
  package var loadedPlugin: String? {
    let arrivals = [ShellAction.Types.loadPlugin.fullName, ShellAction.Types.reloadPlugin.fullName]
    guard failure == nil, droppedBy == nil, arrivals.contains(action), case .string(let name)? = arguments.values.first
    else { return nil }
    return name
  }
}

extension PluginSource {
  /// What a journal notes of the plugin's load by an action.
  package func journaled(loadedBy number: Int) -> JournaledPlugin {
    JournaledPlugin(
      number: number, name: manifest.name, version: manifest.version, directory: Files.absolute(folder), digest: digest)
  }

  /// The files as a journal keeps them.
  package var journaledCode: JournaledCode { JournaledCode(digest: digest, files: files) }
}
