import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// What happened to the store, and the way back to it.
extension LiveStore {
  /// The number of the last action; 0: there was none.
  package var head: Int { store.look { history.head } }
  /// The oldest number whose state can be shown; 0: the initial state.
  package var oldest: Int { store.look { history.oldest } }
  /// The number before the oldest entry that can be read: where the state had another type once, entries go back further than
  /// states.
  package var oldestEntry: Int { store.look { history.oldestEntry } }
  /// Whether actions before the oldest one cannot be read because a file is damaged.
  package var isBeginningUnreadable: Bool {
    turn { (history.older as? JournalEntries)?.isBeginningUnreadable ?? false }
  }
  /// How much of the history memory holds.
  package var historyLimits: HistoryLimits { store.look { history.limits } }
  /// The limits that hold, also where none was set.
  package var historyLimitsInForce: HistoryLimits { store.look { history.limitsInForce } }
  /// The entry of a number, where memory has it.
  package func recent(_ number: Int) -> LoggedEntry? { store.look { history.recent(number) } }
  /// The name of the action of a number, where memory has its entry.
  package func recentAction(_ number: Int) -> String? { turn { history.recentAction(number) } }
  /// The first so many entries in memory from a number on.
  package func recent(from number: Int = 0, most: Int = .max) -> [LoggedEntry] {
    store.look { Array(history.log.entries(from: number).prefix(most)) }
  }

  /// The state after an action; whoever asks holds the turn.
  package func recordedState(at number: Int) throws -> State { try history.state(at: number, from: store.state) }

  /// Takes note of a state that was asked for: another that will be is mostly near one of the last.
  func know(_ point: History<State>.Point) {
    knownPoints.removeAll { $0.number == point.number }
    if knownPoints.count == 4 { knownPoints.removeFirst() }
    knownPoints.append(point)
  }

  // MARK: Returning

  /// The plugins that were loaded after an action and do not run now: they come back with it.
  package func returningPlugins(to number: Int) -> [PluginSource] {
    turn {
      timeline.versions(toGoOnFrom: number).filter { version in
        !plugins.contains { $0.plugin.source.digest == version.code.digest }
      }.compactMap(\.source)
    }
  }

  /// The state after an action, with the plugins of then ready to go on from it.
  ///
  /// - Parameter recorded: the state, where it is known.
  func stateToGoOnFrom(_ number: Int, _ recorded: HostState?) throws -> HostState {
    let versions = timeline.versions(toGoOnFrom: number)
    try requireCode(of: versions, after: number)
    let plugins = try ready(versions)
    var state = try recorded ?? recordedState(at: number)
    for hosted in plugins { state.note(hosted.plugin.source, gates: hosted.gates) }
    return state
  }

  /// Follows what an action did to the shell's own slice, in its commit: plugins, gates and settings.
  package func follow(_ action: ShellAction?, from before: State, to after: State) {
    switch action {
    case .loadPlugin(let loaded, _, _): settle(loaded.name, loaded.digest)
    case .unloadPlugin(let name): settle(name, nil)
    case .reloadPlugin(let loaded, _, _):
      upkeep.editedCode[loaded.name] = nil
      completeReload(from: before)
    case .restore(let number, _):
      upkeep.movedGates = [:]
      exchangePlugins(for: timeline.versions(toGoOnFrom: number).compactMap(\.hosted), before, after)
      store.cancelEffects(startedAfter: number)
    case .takeBack(let numbers, _): store.cancelEffects(startedBy: Set(numbers))
    case .cancelEffects(let id): endEffects(id)
    default: break
    }
    let (old, new) = (before.shell, after.shell)
    // The gates of a plugin that was loaded anew begin where they are declared, whatever stands in the state.
    let hasNewGates = if case .reloadPlugin? = action { true } else { false }
    if hasNewGates || old.gates != new.gates || old.plugins != new.plugins {
      moveGates(new)
      if old.rules != new.rules { recomposeInCommit() }
    }
    // Their names were unique when the plugins were loaded.
    if old.plugins != new.plugins { try? replaceInterceptors() }
    if old.emission != new.emission { store.setEmission(policy(new.emission)) }
    if old.runaway != new.runaway { store.setRunawayLimit(new.runaway) }
    if old.purity != new.purity { applyPurity() }
    _ = isWatchingPlugins.set(new.watchesPlugins)
    if old.plugins != new.plugins || old.watchesPlugins != new.watchesPlugins { attendance.onPluginChange?() }
    if old.limits != new.limits { history.limits = new.limits }
  }

  /// Unloads and brings back plugins until those of the restored point are there.
  private func exchangePlugins(for target: [HostedPlugin], _ before: State, _ after: State) {
    guard !plugins.elementsEqual(target, by: { $0.plugin === $1.plugin }) else { return }
    for old in plugins where !target.contains(where: { $0.plugin === old.plugin }) {
      do throws(PluginError) {
        try old.plugin.unload(view: StateSnapshot(state: before, moduleNames: modules.map(\.name)))
      } catch {
        attendance.faults.note(error)
      }
    }
    plugins = target
    collectActions()
    // Gates of units that come back may stand as they did when these went.
    moveGates(after.shell)
    recomposeInCommit()
    rebindPlugins()
  }

  /// Learns the names of all actions anew.
  package func collectActions() {
    let before = actionsByName
    actionsByName = application.actionsByName(beside: plugins.map(\.plugin))
    var hasSuperseded = false
    for type in before.types where actionsByName[type.fullName] !== type {
      (type.isSuperseded, hasSuperseded) = (true, true)
    }
    for type in actionsByName.types { type.isSuperseded = false }
    // An action that cannot be made anew is refused.
    if hasSuperseded { store.setRenewal { [unowned self] in (try? renewed($0)) ?? $0 } }
    node?.note(lacksUnits: plugins.contains(where: \.lacksUnits))
  }

  /// An action as it is declared now: one that was made before its plugin was reloaded is of a type that no reducer has any more.
  ///
  /// - Throws: `SchemaError` where the action takes other arguments now.
  func renewed(_ action: Action) throws(SchemaError) -> Action {
    guard action.kind == .plugin, action.call.type.isSuperseded, let type = actionsByName[action.call.type.fullName]
    else { return action }
    let renewed = Action(try type.call(action.call.record))
    return action.fate.map { Action(renewed, $0) } ?? renewed
  }

  /// An action as it is made from the present state, if it was made from another one.
  func remade(_ action: Action) throws -> Action {
    guard let basis = action.basis, basis != history.head, let maker = action.maker else { return action }
    return Action(try maker.make(), basis: history.head, by: maker)
  }
}

/// Journaling actions, and the types by which they are read back.
extension LiveStore {
  /// Journals an action.
  func keep(_ entry: LoggedEntry, from before: State, to after: State) {
    guard let journal else { return }
    defer {
      // What memory lets go of from now on is read back from there.
      if history.older == nil, let file = journal.journal {
        history.older = JournalEntries(file, oldest: journal.start, of: self)
      }
    }
    journal.record(entry, from: before, to: after, plugins: sources)
    tellJournalFaults(journal)
  }

  /// True if the file takes plain actions without an entry, and what memory lets go of is read back from there.
  var journalsPlain: Bool { (journal?.takesPlain ?? false) && history.older != nil }

  /// Journals a plain action.
  ///
  /// - Returns: false: it needs an entry.
  // A function of its own: the parts of an argument are not counted.
  @inline(never)
  func journal(
    plain call: ActionCall, _ number: Int, _ time: Duration, _ wallTime: Int?, _ source: ActionSource,
    _ edit: Unmanaged<PlainEdit>, to after: State
  ) -> Bool {
    // Not counted: it stays as long as the turn.
    guard let journal = journal.map(Unmanaged.passUnretained) else { return false }
    return journal._withUnsafeGuaranteedRef { journal in
      guard
        edit._withUnsafeGuaranteedRef({ journal.record(plain: call, number, time, wallTime, source, $0, to: after) })
      else { return false }
      if attendance.onFault != nil { tellJournalFaults(journal) }
      return true
    }
  }

  @inline(never)
  private func tellJournalFaults(_ journal: HostJournal) {
    // Sessions look by themselves.
    guard let onFault = attendance.onFault, journal.journal?.hasTrouble ?? false else { return }
    for note in takeJournalNotes(for: nil) { onFault(HostError(code: .storeFailed, message: note)) }
  }

  /// The type of a plugin's slice or of a substate; nil: nobody declares it.
  package func type(of name: String, among plugins: [HostedPlugin]) -> Schema? {
    plugins.first { $0.plugin.module.name == name }?.plugin.module.schema ?? application.substateSchema(name)
  }

  /// Whether what a path leads to is declared to be a record.
  package func isRecord(_ path: Path, among plugins: [HostedPlugin]) -> Bool {
    guard case .field(let name)? = path.steps.first else { return false }
    let module = application.modules.first { $0.name == name }?.schema ?? type(of: name, among: plugins)
    switch module?.type(at: path.steps.dropFirst())?.kind {
    case .record: return true
    case .optional(let wrapped):
      if case .record = wrapped.kind { return true }
      return false
    default: return false
    }
  }

  /// The types by which journaled entries are read.
  ///
  /// - Parameter plugins: the plugins that were loaded then.
  package func entryTypes(_ plugins: @escaping () -> [HostedPlugin]) -> EntryTypes {
    let swift = application.modules + [ShellAction.module]
    let (application, substates) = (application, application.substates)
    func module(_ name: Substring) -> Module? {
      swift.first { $0.name == name } ?? plugins().first { $0.plugin.module.name == name }?.plugin.module
    }
    return EntryTypes(
      action: { name in
        let type =
          name.firstIndex(of: ".").flatMap { dot in module(name[..<dot])?.actions.first { $0.fullName == name } }
          ?? plugins().lazy.flatMap(\.plugin.addedActions).first { $0.fullName == name }
          ?? substates.lazy.flatMap(\.actions).first { $0.fullName == name }
          ?? application.thunkType(name, of: plugins())
        return type.map { EntryTypes.ActionShape(fields: $0.fields, layout: $0.layout) }
      }, slice: { name in module(name[...])?.schema ?? substates.first { $0.name == name }?.schema })
  }
}

extension HostedApplication {
  /// The action that carries a thunk of the application or of a plugin, where that declares its arguments.
  package func thunkType(_ name: String, of plugins: [HostedPlugin]) -> ActionType? {
    guard name.hasPrefix(LoggedEntry.thunkPrefix) else { return nil }
    let types = plugins.flatMap(\.plugin.tasks.thunkTypes) + thunks.map(\.type)
    return types.first { $0.action.fullName == name && !$0.takesAny }?.action
  }
}

/// Plugins of the present and of earlier points, the latter made ready again from their code.
extension LiveStore {
  /// The plugins of a state as listings show them, and those of which nothing is left but their state after an action.
  package func listings(of shown: ShownPoint, missingAt number: Int) -> [LoadedPluginListing] {
    turn {
      let shell = shown.state.shell
      func listing(
        _ code: RecordingHeader.Plugin, in folder: String, _ hosted: HostedPlugin?
      ) -> LoadedPluginListing {
        LoadedPluginListing(
          name: code.name, version: code.version, folder: folder, condition: shell.condition(of: code.name),
          units: hosted?.units.map(\.name) ?? [], digest: code.digest,
          reloadFailed: hosted.flatMap { _ in upkeep.failedReloads[code.name] }, isLost: hosted == nil,
          lacksUnits: hosted?.lacksUnits ?? false)
      }
      let missing = timeline.versions(at: number).filter(\.isMissing)
      return shown.plugins.map { listing($0.plugin.source.recorded, in: $0.plugin.source.folder, $0) }
        + missing.map(\.code.recorded).sorted { $0.name < $1.name }.map { listing($0, in: $0.directory, nil) }
    }
  }

  /// The plugins that were loaded after an action, in load order, ready to run; without those of which nothing is left but
  /// their state.
  ///
  /// - Throws: `PluginError` where one that was unloaded long ago cannot be loaded any more.
  package func plugins(at number: Int) throws -> [HostedPlugin] { try ready(timeline.versions(at: number)) }

  /// Makes versions of plugins ready to run.
  package func ready(_ versions: [PluginVersion]) throws -> [HostedPlugin] {
    try timeline.ready(versions) { try revive($0, beside: $1, mayLack: $2) }
  }

  /// Throws where nothing is left of the code that a plugin ran after an action.
  package func requireCode(of versions: [PluginVersion], after number: Int) throws(HostError) {
    guard let missing = versions.first(where: { $0.source == nil }) else { return }
    throw HostError(
      code: .pluginLoad,
      message: "after #\(number) the plugin '\(missing.code.name)' ran code that is no longer there",
      hint: "bring back the plugin's files as they were to go on from there", status: 4)
  }

  /// Loads a version of a plugin anew, without having it take part in anything.
  ///
  /// - Parameters:
  ///   - others: the plugins that it is loaded beside.
  ///   - mayLack: whether something may be gone that it refers to.
  ///   - isHeard: whether what it says is told.
  package func revive(
    _ source: PluginSource, beside others: [HostedPlugin], mayLack: Bool, isHeard: Bool = true
  ) throws(PluginError) -> HostedPlugin {
    let name = source.manifest.name
    var surroundings = application.surroundings(of: name, beside: others.map(\.plugin))
    surroundings.mayLack = mayLack
    let plugin = try Plugin(loading: source, into: surroundings)
    try prepare(plugin, isHeard: isHeard)
    plugin.purity = purity
    return HostedPlugin(plugin, self.surroundings(for: name))
  }
}
