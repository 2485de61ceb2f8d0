import StoreCore
import StoreHistory
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
  /// The entry of a number, where memory has it.
  package func recent(_ number: Int) -> LoggedEntry? { store.look { history.recent(number) } }
  /// The first so many entries in memory from a number on.
  package func recent(from number: Int = 0, most: Int = .max) -> [LoggedEntry] {
    store.look { Array(history.log.entries(from: number).prefix(most)) }
  }

  /// The state after an action; whoever asks holds the turn.
  package func recordedState(at number: Int) throws -> State { try history.state(at: number, from: store.state) }

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
    case .reloadPlugin: completeReload(from: before)
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
    actionsByName = application.actionsByName(beside: plugins.map(\.plugin))
  }
}
