import StoreHistory
import StorePlugins
import StoreSchema

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
