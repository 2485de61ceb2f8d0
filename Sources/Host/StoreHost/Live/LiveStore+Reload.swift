import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Reloading plugins: an edited version is made ready beside the one that runs, and takes its place in the commit of one
/// action (R28).
extension LiveStore {
  /// Puts a plugin's edited version in its place, by a recorded action (R28). Where anything is wrong with it, all stays as
  /// it was.
  package func reload(
    _ source: PluginSource, _ options: PluginReloadOptions, from actionSource: ActionSource
  ) throws -> PluginReloadReport {
    try turn {
      let name = source.manifest.name
      guard let old = plugins.first(where: { $0.plugin.module.name == name }) else { throw unknownPlugin(name) }
      let plugin = try Plugin(loading: source, into: surroundings(of: name))
      try plugin.checkLibraries()
      try prepare(plugin)
      let onLoad = try onLoadCall(of: plugin)
      let hosted = HostedPlugin(plugin, surroundings(for: name))
      try refuseClashes(hosted, replacing: old)
      let running = store.withState { state in state.plugins.first { $0.name == name } }
      let version = old.plugin.source.manifest.version
      let value =
        options.resets
        ? plugin.module.schema.map { _ in plugin.initialState }
        : try plugin.migration.state(from: running?.value, version: version)
      var slice: PluginSlice?
      if let schema = plugin.module.schema, let value { slice = PluginSlice(name: name, schema: schema, value: value) }
      plugin.purity = purity
      let verified = try options.verifies.map { try verify(plugin, replacing: old.plugin, last: $0) }
      upkeep.replacement = PluginReplacement(hosted: hosted, slice: slice)
      let loaded = ShellState.LoadedPlugin(name: name, version: source.manifest.version, digest: plugin.source.digest)
      let report = dispatch(.reloadPlugin(loaded, slice: slice, gates: hosted.gates), actionSource)
      guard upkeep.replacement == nil else {
        upkeep.replacement = nil
        throw report.failure
          ?? PluginError(.load, of: name, "an interceptor dropped the reload", hint: "plugin list shows the plugins")
      }
      upkeep.failedReloads[name] = nil
      let outcome: PluginReloadReport.StateOutcome =
        options.resets || running == nil || slice == nil
        ? .new : plugin.migration.migrates(running?.value, from: version) ? .migrated : .kept
      return PluginReloadReport(
        plugin: plugin, report: finishLoading(hosted, onLoad, report, actionSource), state: outcome,
        changesType: running?.schema.shape != slice?.schema.shape, verified: verified)
    }
  }

  /// Takes note that reloading a plugin failed, before it came to the store or in it.
  package func noteFailedReload(of plugin: String) { turn { upkeep.failedReloads[plugin] = clock.now } }

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

  /// Refuses names that somebody else has taken since the plugin was loaded: nothing may fail once the exchange has begun.
  private func refuseClashes(_ new: HostedPlugin, replacing old: HostedPlugin) throws {
    try refuseTakenActions(new.plugin)
    let names = Set(hostUnits.map(\.name)).subtracting(old.units.map(\.name))
    if let unit = new.units.first(where: { names.contains($0.name) }) {
      throw StoreError.duplicateUnit(name: unit.name)
    }
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
