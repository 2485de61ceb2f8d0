import Platform
import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

extension LiveStore {
  /// What journals say of the hosted application.
  package func journalHeader(began: Duration) -> JournalHeader {
    turn {
      let signature = application.initial.schema.signature
      var hash = StableHash()
      hash.add(signature)
      return JournalHeader(
        program: program, began: began, schema: signature, schemaHash: StableHash.text(of: hash.value))
    }
  }

  /// The state at present, as journals take it.
  package var journaledState: HostState { store.state }

  /// Restores the state after the last action of a journal, with the plugins that were loaded then: no reducer, no middleware
  /// and no action of theirs runs, nor any task before ``startTasks()``.
  ///
  /// A file that is only read is shown though plugins cannot be loaded, or cannot take over their state: without them, and their
  /// state as it was recorded.
  ///
  /// - Parameters:
  ///   - isGranted: whether a plugin has what it asks for; the others come back with their reducers alone (R27).
  ///   - source: reads a plugin again, and sees to its permissions.
  package func recover(
    _ file: any JournalReading, _ contents: JournalContents, isGranted: (PluginSource) -> Bool = { _ in true },
    source: (JournaledPlugin) throws -> PluginSource
  ) throws -> RecoveredStore? {
    try turn {
      guard let snapshot = try file.reader.snapshot(upTo: contents.last) else {
        guard contents.last > 0 else { return nil }
        throw JournalError.damaged(path: file.path, lastGood: nil, reason: "no state in it can be read")
      }
      guard history.head == 0 else {
        throw HostError(
          code: .notFresh, message: "\(file.path) holds a state, and actions have happened here that it does not know",
          hint: "open it before the first action")
      }
      let journaled = try JournaledPlugins(file, upTo: contents.last)
      let isOnlyRead = !(file is Journal)
      var changed: [ShellState.LoadedPlugin] = []
      var absent: [RecoveredStore.AbsentPlugin] = []
      func describe(_ error: any Error, of plugin: String) -> any Error {
        if error is JournalError { return error }
        var described = HostError(describing: error)
        described.message = "\(file.path) needs the plugin '\(plugin)': \(described.message)"
        described.hint = (described.hint.map { "\($0); " } ?? "") + waysOut(of: file)
        described.status = 4
        return described
      }
      let sources = try snapshot.shell.plugins.compactMap { plugin in
        do {
          // A damaged file may not tell which it was.
          guard let load = journaled.present.first(where: { $0.name == plugin.name }) else {
            throw JournalError.isMissing(plugin.name, in: file.path)
          }
          let source = try source(load)
          if source.digest != plugin.digest { changed.append(plugin) }
          return source
        } catch {
          guard isOnlyRead else { throw describe(error, of: plugin.name) }
          absent.append(RecoveredStore.AbsentPlugin(plugin.name, error))
          return nil
        }
      }
      try PluginOrder.make(sources) { source, mayLack in
        let name = source.manifest.name
        do {
          try host(source, mayLack: mayLack, isGranted: isGranted(source))
        } catch {
          guard isOnlyRead, mayLack else { throw describe(error, of: name) }
          absent.append(RecoveredStore.AbsentPlugin(name, error))
        }
      }
      let order = snapshot.shell.plugins.map(\.name)
      plugins = order.compactMap { name in plugins.first { $0.plugin.module.name == name } }
      let header = journalHeader(began: contents.header.began)
      // A damaged file may have lost what it said of itself.
      let written = contents.header.schemaHash
      let hasOtherModules = !written.isEmpty && header.schemaHash != written
      var migrating = changed.filter { plugin(named: $0.name) != nil && !isOfWrittenType($0.name, in: snapshot) }
      if isOnlyRead, !migrating.isEmpty {
        let misfits = try self.misfits(of: migrating, file, contents)
        absent += misfits
        migrating.removeAll { plugin in misfits.contains { $0.name == plugin.name } }
        plugins.removeAll { hosted in misfits.contains { $0.name == hosted.plugin.module.name } }
        collectActions()
      }
      try recompose(reconciling: false)
      rebindPlugins()
      let isOfAnotherType = hasOtherModules || !migrating.isEmpty
      if isOfAnotherType, !isOnlyRead, let error = refusalToMigrate(file.path) { throw error }
      var state = try readingChanges(of: file) {
        try restored(snapshot, file, contents, isOfAnotherType: isOfAnotherType, migrating: migrating)
      }
      for hosted in plugins { state.note(hosted.plugin.source, gates: hosted.gates) }
      try stand(at: state, behind: contents.last)
      let unkept: [JournaledCode]
      (timeline, unkept) = journaled.timeline(upTo: contents.last, running: plugins)
      var kept: String?
      if isOfAnotherType, let journal = file as? Journal {
        let copy = Self.freeName(for: "\(file.path).before-\(contents.last)")
        try journal.rebase(header, keeping: copy, state.slices(isWhole: true), code: unkept)
        kept = copy
      }
      // States of another type can no longer be made.
      let oldest = isOfAnotherType ? contents.last : contents.base
      let entries = JournalEntries(
        file, oldest: oldest, oldestEntry: contents.numbers.map { $0.lowerBound - 1 }, of: self)
      // As where a plugin is reloaded, tasks of other code start anew.
      let changedUnits = plugins.filter { hosted in changed.contains { $0.name == hosted.plugin.module.name } }
        .flatMap { $0.units.map(\.name) }
      let effects = file.reader.effects
      store.leaveEnded(effects.ended.filter { effect in !changedUnits.contains { effect.place == $0 } })
      attendance.setters.numbers = effects.setters
      for hosted in plugins where changed.contains(where: { $0.name == hosted.plugin.module.name }) {
        guard !migrating.contains(where: { $0.name == hosted.plugin.module.name }) else { continue }
        upkeep.editedCode[hosted.plugin.module.name] = (hosted.plugin.source.digest, contents.last)
      }
      history = History(of: state, after: contents.last, older: entries, endedBy: attendance.interruption)
      recordedHead.number = contents.last
      let (authors, withOwner) = file.reader.names
      names.note(authors, withOwner: withOwner)
      // Who was there is not known.
      lastCompany = contents.last
      joinAnew(behind: contents.last)
      return RecoveredStore(
        last: contents.last, hadEnded: contents.hasEnded, loss: contents.loss,
        hasOtherCode: !changed.isEmpty && !isOfAnotherType, unkept: unkept, kept: kept, absent: absent)
    }
  }

  /// Takes a state over, with the plugins that are hosted, and neither an action nor a task runs.
  func stand(at state: HostState, behind number: Int) throws {
    let before = journaledState
    noteAll(state)
    try store.replay([], from: state, after: number, reconciling: false)
    comparing.versions.noteAll()
    follow(nil, from: before, to: state)
  }

  /// Which plugins run other code than the log says, because their files were edited while the store was closed, a sentence each.
  package var notesOnEditedCode: [String] {
    turn {
      plugins.compactMap { hosted in
        let name = hosted.plugin.module.name
        guard let edited = upkeep.editedCode[name], edited.digest == hosted.plugin.source.digest else { return nil }
        return "the code of \(name) has changed since #\(edited.since), without an action; new actions run the new code"
      }
    }
  }

  /// Has tasks follow what was restored, once what they dispatch is kept.
  package func startTasks() {
    turn {
      store.reconcileEffects()
      store.forgetLeftEnded()
    }
  }

  /// Brings a plugin back, without its slice.
  ///
  /// - Parameters:
  ///   - mayLack: whether something may be gone that it refers to.
  ///   - isGranted: whether it has what it asks for.
  func host(_ source: PluginSource, mayLack: Bool, isGranted: Bool) throws {
    let name = source.manifest.name
    var surroundings = self.surroundings(of: name)
    surroundings.mayLack = mayLack
    let plugin = try Plugin(loading: source, into: surroundings)
    try prepare(plugin)
    plugins.append(HostedPlugin(plugin, self.surroundings(for: name), reducersAlone: !isGranted))
    collectActions()
  }

  /// Which plugins cannot take over the state that they left, and why.
  private func misfits(
    of migrating: [ShellState.LoadedPlugin], _ file: any JournalReading, _ contents: JournalContents
  ) throws -> [RecoveredStore.AbsentPlugin] {
    let written = try readingChanges(of: file) {
      try file.reader.writtenState(after: contents.last) { [self] in isRecord($0, among: plugins) }
    }
    guard var slices = written?.slices else { return [] }
    return try migrating.compactMap { plugin in
      let misfits = try migrate(plugin, in: &slices)
      return misfits.isEmpty ? nil : RecoveredStore.AbsentPlugin(plugin.name, misfits: misfits)
    }
  }

  /// What can be done about a file that cannot be opened because of a plugin.
  private func waysOut(of file: any JournalReading) -> String {
    "the file is as it was"
      + (hintedProgram.map { "; to look at it without the plugin: \($0) --store \(file.path) --read-only" } ?? "")
  }

  /// Reads what was changed in a file, and says of changes that fit nothing what to do.
  private func readingChanges<Result>(of file: any JournalReading, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ChangeError {
      throw HostError(
        code: .storeSchema, message: "\(file.path): \(error.path): \(error.message)",
        hint: "open it once with the version that wrote it; the file is as it was")
    }
  }

  private func restored(
    _ snapshot: JournalSnapshot, _ file: any JournalReading, _ contents: JournalContents, isOfAnotherType: Bool,
    migrating: [ShellState.LoadedPlugin]
  ) throws -> HostState {
    var snapshot = snapshot
    var misfits: [String] = []
    do {
      if isOfAnotherType {
        snapshot =
          try file.reader.writtenState(after: contents.last) { [self] in isRecord($0, among: plugins) } ?? snapshot
      }
      var slices = snapshot.slices
      for plugin in migrating { misfits += try migrate(plugin, in: &slices) }
      var state = try HostState(slices, app: application.initial, misfits: misfits) { type(of: $0, among: plugins) }
      guard snapshot.number < contents.last else { return state }
      let reader = EntryReader(entryTypes { [plugins] in plugins })
      try file.reader.visit(snapshot.number + 1...contents.last) { row in
        if row.changesMore { throw row.stateIsLost(file.path) }
        do {
          try state.apply(row.changes.map { try reader.changes(of: $0) } ?? [])
        } catch let error as EntryError {
          throw JournalError(error, at: row.number, in: file.path)
        }
      }
      return state
    } catch let error as StateMisfit {
      throw HostError(
        code: .storeSchema, message: "\(file.path): its state does not fit the type declared now",
        details: error.problems,
        hint: "give new fields a default, keep the old ones, and give plugins a migrate(); "
          + (misfits.isEmpty ? "the file is as it was" : waysOut(of: file)))
    }
  }

  /// Whether the state of a plugin has the type that it had when it was written: what is edited in its code besides changes
  /// nothing of what was recorded.
  private func isOfWrittenType(_ name: String, in snapshot: JournalSnapshot) -> Bool {
    snapshot.types[name] == plugin(named: name)?.module.schema?.shapeHash ?? ""
  }

  /// Why the copy of a file that was kept from before a change of type is not brought to the new type itself: then nothing of
  /// before would be left to go back to. nil: it is no such copy.
  private func refusalToMigrate(_ path: String) -> HostError? {
    guard let match = path.firstMatch(of: /^(.*)\.before-[0-9]+(\.[0-9]+)?$/) else { return nil }
    return HostError(
      code: .storeSchema,
      message:
        "\(path) is the copy of \(match.1) from before its state got a new type; opening it would convert it, too",
      hint: (hintedProgram.map { "to look at it: \($0) --store \(path) --read-only; " } ?? "")
        + "to go on from it: copy it to another name, and open that")
  }

  /// A path where nothing is yet.
  private static func freeName(for path: String) -> String {
    var (name, number) = (path, 1)
    while Files.exists(name) {
      number += 1
      name = "\(path).\(number)"
    }
    return name
  }

  /// Has a plugin whose code has changed take over the state that it left; one that it cannot take over is taken out.
  ///
  /// - Returns: what does not fit, a line each.
  private func migrate(
    _ plugin: ShellState.LoadedPlugin, in slices: inout [JournalSnapshot.Slice]
  ) throws -> [String] {
    guard let loaded = self.plugin(named: plugin.name) else { return [] }
    let index = slices.firstIndex { $0.module == plugin.name }
    let old = try index.map { try JSON.value(of: slices[$0].state) }
    do throws(PluginError) {
      guard var value = try loaded.migration.state(from: old, version: plugin.version) else { return [] }
      if let old, let schema = loaded.module.schema {
        let earlier = PluginSlice(name: plugin.name, schema: .dynamic(.any), value: old)
        value = PluginSlice(name: plugin.name, schema: schema, value: value).raisingSequences(to: earlier).value
      }
      let slice = JournalSnapshot.Slice(module: plugin.name, state: JSON.text(of: value))
      if let index { slices[index] = slice } else { slices.insert(slice, at: max(slices.count - 1, 0)) }
      return []
    } catch {
      if let index { slices.remove(at: index) }
      let problems =
        loaded.migration.migrates
        ? []
        : old.flatMap { loaded.module.schema?.misfits($0, at: Path([.field(plugin.name)]), startsNewFields: true) }
          ?? []
      return problems.isEmpty ? [error.message] + error.trace.map { "  \($0)" } : problems
    }
  }
}

extension JournalError {
  fileprivate static func isMissing(_ plugin: String, in path: String) -> JournalError {
    .damaged(path: path, lastGood: nil, reason: "the folder that the plugin '\(plugin)' was loaded from is gone")
  }
}

extension JournalSnapshot {
  /// The shell's own slice.
  fileprivate var shell: ShellState { switches.map(ShellState.init(json:)) ?? ShellState() }

  /// What tells the types of the plugins' slices apart, as far as it was written.
  fileprivate var types: [String: String] { switches.map(ShellState.types) ?? [:] }

  private var switches: Value? { slices.first { $0.module == "shell" }.flatMap { try? JSON.value(of: $0.state) } }
}

extension LiveStore {
  /// Has the time of the store go on from where a file left it. It has gone on while the store was closed, and never goes back; a
  /// virtual clock stands where it stood. The clock that counts from the start of the machine tells how long the store was closed,
  /// since that clock cannot be set. Once the machine was started anew, the clock on the wall tells.
  ///
  /// - Returns: a note, where the clock on the wall is more than a day away from the store's time.
  package func goOn(from contents: JournalContents, in file: any JournalReading, by plan: JournalPlan) -> String? {
    guard let clock = clock as? any ContinuingClock else { return nil }
    let last = max(contents.time ?? .zero, file.reader.time(of: contents.last))
    guard !(clock is VirtualClock), contents.header.began > .zero else {
      clock.goOn(from: last)
      return nil
    }
    let wallTime = plan.wallTime()
    let passedByWall = wallTime - contents.header.began
    let passedInBoot = contents.beganInBoot.flatMap { began in plan.bootTime.map { $0() - began } }
    let time = max(last, passedInBoot ?? passedByWall)
    clock.goOn(from: time)
    let lag = time - passedByWall
    // The clock on the wall was set, or the time goes on from a virtual one: it passes by the wall from here on.
    if lag > .seconds(1) || lag < .seconds(-1), let journal = file as? Journal {
      journal.noteBeginning(wallTime - time)
    }
    guard lag > .seconds(86_400) || lag < .seconds(-86_400) else { return nil }
    let count = WallClock.days(lag)
    return lag > .zero && passedInBoot == nil
      ? "the clock of this machine is \(count) behind the time of \(file.path), which goes on from where it stood"
      : "the clock of this machine went \(lag > .zero ? "back" : "ahead") by \(count); the time of \(file.path) has not"
  }
}
