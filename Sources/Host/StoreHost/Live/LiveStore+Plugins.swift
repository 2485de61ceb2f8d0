import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Loading plugins and taking them away.
extension LiveStore {
  /// Runs a plugin's definition and adds it, by a recorded action; all or nothing (R28).
  package func load(_ source: PluginSource, from actionSource: ActionSource) throws -> (Plugin, DispatchReport) {
    try turn {
      let name = source.manifest.name
      guard !modules.contains(where: { $0.name == name }), name != "shell" else {
        throw PluginError(
          .load, of: name, "there is a module of that name already",
          hint: plugin(named: name) == nil ? nil : "plugin reload \(name) replaces the loaded one, and keeps its state")
      }
      let plugin = try Plugin(loading: source, into: surroundings(of: name))
      // As a reload does, which else refused what was loaded.
      try plugin.checkLibraries()
      try prepare(plugin)
      try refuseTakenActions(plugin)
      let onLoad = try onLoadCall(of: plugin)
      let hosted = HostedPlugin(plugin, surroundings(for: name))
      plugin.purity = purity
      plugins.append(hosted)
      collectActions()
      do {
        // The tasks follow the state once its slice is there.
        try recompose(reconciling: false)
      } catch {
        remove(name)
        throw error
      }
      rebindPlugins()
      let slice = plugin.module.schema.map { PluginSlice(name: name, schema: $0, value: plugin.initialState) }
      let loaded = ShellState.LoadedPlugin(name: name, version: source.manifest.version, digest: plugin.source.digest)
      let report = dispatch(.loadPlugin(loaded, slice: slice, gates: hosted.gates), actionSource)
      return (plugin, finishLoading(hosted, onLoad, report, actionSource))
    }
  }

  /// What a plugin of that name finds in the store that it is loaded into: all but itself.
  package func surroundings(of plugin: String) -> Plugin.Surroundings {
    turn {
      let added = Set((self.plugin(named: plugin)?.addedActions ?? []).map(\.fullName))
      var surroundings = Plugin.Surroundings(
        action: { [unowned self] name in
          guard let type = action(named: name), type.module != plugin, !added.contains(name) else { return nil }
          return type
        },
        actionNames: { [unowned self] in
          modules.filter { $0.name != plugin }.flatMap(\.actions).map(\.fullName)
        }, moduleNames: modules.map(\.name).filter { $0 != plugin },
        slice: { [unowned self] name in modules.first { $0.name == name && name != plugin }?.schema },
        twin: { [unowned self] source in timeline.ready(source) })
      surroundings.mostActions = { [unowned self] in store.withState { $0.shell.runaway } }
      return surroundings
    }
  }

  /// The typed action of a call, for actions that plugins dispatch to Swift modules.
  package func typed(_ call: ActionCall) -> Action {
    (try? application.hostAction(call)) ?? Action(call: call, payload: .plugin)
  }

  /// Takes a plugin away with all that it registered, by a recorded action.
  package func unload(_ name: String, source: ActionSource) throws -> DispatchReport {
    try turn {
      guard let hosted = plugins.first(where: { $0.plugin.module.name == name }) else {
        throw unknownPlugin(name)
      }
      var failure: PluginError?
      do throws(PluginError) {
        try hosted.plugin.unload(view: view)
      } catch {
        failure = error
      }
      var report = dispatch(.unloadPlugin(name: name), source)
      upkeep.failedReloads[name] = nil
      remove(name)
      // They did when its slice went.
      try recompose(reconciling: false)
      if let failure { report.faults.insert(failure, at: 0) }
      return report
    }
  }

  private func remove(_ name: String) {
    plugins.removeAll { $0.plugin.module.name == name }
    collectActions()
  }
}
