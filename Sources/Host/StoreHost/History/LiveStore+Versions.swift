import StorePlugins
import StoreSchema

/// Plugins of the present and of earlier points, the latter made ready again from their code.
extension LiveStore {
  /// The folders of the loaded plugins, by name.
  package var loadedPlugins: [LoadedPluginListing] {
    turn {
      let shell = withShownState { $0.shell }
      let lost = lostCode
      let listed = shownPlugins.map { hosted in
        let plugin = hosted.plugin
        let code = lost[plugin.module.name] ?? plugin.source.recorded
        return LoadedPluginListing(
          name: code.name, version: code.version, folder: plugin.source.folder,
          condition: shell.condition(of: code.name), units: hosted.units.map(\.name),
          digest: code.digest, reloadFailed: upkeep.failedReloads[code.name])
      }
      let others = lost.values.filter { code in !listed.contains { $0.name == code.name } }.sorted { $0.name < $1.name }
      return listed
        + others.map { code in
          LoadedPluginListing(
            name: code.name, version: code.version, folder: code.directory, condition: shell.condition(of: code.name),
            units: [], digest: code.digest, reloadFailed: nil, isLost: true)
        }
    }
  }

  /// The plugins that were loaded after an action, in load order, ready to run.
  ///
  /// - Throws: `PluginError` where one that was unloaded long ago cannot be loaded any more.
  package func plugins(at number: Int) throws -> [HostedPlugin] {
    try timeline.makeReady(at: number) { try revive($0, beside: $1, mayLack: $2) }
    return timeline.plugins(at: number)
  }

  /// Throws where a plugin that was loaded after an action could not go on from there, because its code is gone.
  package func requireCode(toGoOnFrom number: Int) throws(HostError) {
    guard let member = timeline.members(at: number).first(where: { $0.lost != nil && !$0.goesOn }) else { return }
    throw HostError(
      code: .pluginLoad,
      message: "after #\(number) the plugin '\(member.name ?? "")' ran code that is no longer there",
      hint: "bring back the plugin's files as they were to go on from there", status: 4)
  }

  /// Loads a version of a plugin anew, without having it take part in anything.
  ///
  /// - Parameters:
  ///   - others: the plugins that it is loaded beside.
  ///   - mayLack: whether something may be gone that it refers to.
  private func revive(
    _ source: PluginSource, beside others: [HostedPlugin], mayLack: Bool
  ) throws(PluginError) -> HostedPlugin {
    let name = source.manifest.name
    var surroundings = application.surroundings(of: name, beside: others.map(\.plugin))
    surroundings.mayLack = mayLack
    let plugin = try Plugin(loading: source, into: surroundings)
    try prepare(plugin)
    plugin.purity = purity
    return HostedPlugin(plugin, self.surroundings(for: name))
  }
}
