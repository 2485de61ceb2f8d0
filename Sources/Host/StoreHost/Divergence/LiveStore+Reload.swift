import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Reloading plugins: an edited version is made ready beside the one that runs, and takes its place in the commit of one
/// action (R28).
extension LiveStore {
  /// Puts a plugin's edited version in its place, by a recorded action (R28). Where anything is wrong with it, all stays as
  /// it was.
  ///
  /// - Parameter verified: how many actions both versions have answered alike, where that was asked.
  func reload(
    _ source: PluginSource, _ options: PluginReloadOptions, verified: Int?, from actionSource: ActionSource
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

  /// Refuses names that somebody else has taken since the plugin was loaded: nothing may fail once the exchange has begun.
  private func refuseClashes(_ new: HostedPlugin, replacing old: HostedPlugin) throws {
    try refuseTakenActions(new.plugin)
    let names = Set(hostUnits.map(\.name)).subtracting(old.units.map(\.name))
    if let unit = new.units.first(where: { names.contains($0.name) }) {
      throw StoreError.duplicateUnit(name: unit.name)
    }
  }
}
