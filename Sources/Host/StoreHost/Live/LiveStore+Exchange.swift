import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Exchanging a plugin for an edited version of it, and what loading and reloading share.
extension LiveStore {
  /// Takes note that reloading a plugin failed, before it came to the store or in it.
  package func noteFailedReload(of plugin: String) { turn { upkeep.failedReloads[plugin] = clock.now } }

  /// Whether a plugin's last reload failed, so that its earlier version is still there.
  package func hasFailedReload(of plugin: String) -> Bool { turn { upkeep.failedReloads[plugin] != nil } }

  /// What the loaded plugins were read from, in load order.
  package var sources: [PluginSource] { turn { plugins.map(\.plugin.source) } }

  /// Exchanges the two versions while the action that says so is committed, so that every action meets one of them with the
  /// state that is its own.
  ///
  /// - Parameter before: the state that the earlier version leaves.
  package func completeReload(from before: HostState) {
    guard let new = upkeep.replacement?.hosted,
      let index = plugins.firstIndex(where: { $0.plugin.module.name == new.plugin.module.name })
    else { return }
    upkeep.replacement = nil
    let old = plugins[index]
    do throws(PluginError) {
      try old.plugin.unload(view: StateSnapshot(state: before, moduleNames: modules.map(\.name)))
    } catch {
      attendance.faults.note(error)
    }
    for unit in old.units { store.cancelEffects(unit: unit.name) }
    plugins[index] = new
    new.plugin.goOnCounting(from: old.plugin)
    collectActions()
    let shell = store.withState { $0.shell }
    new.strikes.set(isStopped: shell.condition(of: new.plugin.module.name) != .on)
    for unit in new.units {
      unit.gate.set(isOpen: shell.isOpen(unit.name))
      unit.ruled.follow(shell.gates.first { $0.name == unit.name })
    }
    recomposeInCommit()
    rebindPlugins()
  }

  // MARK: What loading and reloading share

  /// The action that a plugin wants dispatched once it is there.
  package func onLoadCall(of plugin: Plugin) throws(PluginError) -> ActionCall? {
    guard let name = plugin.onLoad else { return nil }
    let own = (plugin.module.actions + plugin.addedActions).first { $0.fullName == name }
    do throws(SchemaError) {
      return try (own ?? action(named: name))?.call([])
    } catch {
      throw PluginError(.schema, of: plugin.module.name, "on_load '\(name)': \(error.message)")
    }
  }

  /// Does what is left to be done once a plugin is there.
  package func finishLoading(
    _ hosted: HostedPlugin, _ onLoad: ActionCall?, _ report: DispatchReport, _ source: ActionSource
  ) -> DispatchReport {
    guard let onLoad, report.failure == nil else { return report }
    var report = report
    let answer = dispatch(typed(onLoad), source)
    if let failure = answer.failure { report.faults.append(failure) }
    report.faults += answer.faults
    return report
  }

  /// Has the plugins answer the actions that are there now.
  package func rebindPlugins() {
    for hosted in plugins { hosted.plugin.rebind { [unowned self] in action(named: $0) } }
  }

  /// Refuses a plugin one of whose own actions another one has added to its module.
  package func refuseTakenActions(_ plugin: Plugin) throws(PluginError) {
    let name = plugin.module.name
    let taken = Set(plugins.map(\.plugin).filter { $0.module.name != name }.flatMap(\.addedActions).map(\.fullName))
    guard let type = plugin.module.actions.first(where: { taken.contains($0.fullName) }) else { return }
    throw PluginError(.schema, of: name, "another plugin has added the action '\(type.fullName)'")
  }

  package func unknownPlugin(_ name: String) -> HostError {
    .unknownPlugin(name, among: plugins.map(\.plugin.module.name))
  }
}

extension HostError {
  /// Says that a plugin is not loaded; one that is may have been meant by its folder.
  package static func unknownPlugin(_ word: String, among loaded: [String]) -> HostError {
    let name = word.lastComponent
    let meant = loaded.contains(name) ? name : Suggestion.nearest(to: word, among: loaded)
    return HostError(
      code: .unknownPlugin, message: "no plugin '\(word)' is loaded",
      hint: meant.map { "did you mean '\($0)'?" })
  }
}
