import StorePlugins
import StoreSchema

/// Plugins of earlier points, made ready again from their code.
extension ShellHost {
  /// The plugins that were loaded after an action, in load order, ready to run.
  ///
  /// - Throws: `PluginError` where one that was unloaded long ago cannot be loaded any more.
  func plugins(at number: Int) throws -> [HostedPlugin] {
    try timeline.makeReady(at: number) { source, others in try revive(source, beside: others) }
    return timeline.plugins(at: number)
  }

  /// Loads a version of a plugin anew, without having it take part in anything.
  ///
  /// - Parameter others: the plugins that it is loaded beside.
  private func revive(_ source: PluginSource, beside others: [HostedPlugin]) throws(PluginError) -> HostedPlugin {
    let name = source.manifest.name
    let modules = application.modules + others.map(\.plugin.module)
    let actions = modules.flatMap(\.actions) + others.flatMap(\.plugin.addedActions)
    let surroundings = Plugin.Surroundings(
      action: { name in actions.first { $0.fullName == name } }, moduleNames: modules.map(\.name),
      slice: { name in modules.first { $0.name == name }?.schema })
    let plugin = try Plugin(loading: source, into: surroundings)
    try prepare(plugin)
    plugin.purity = purity
    return HostedPlugin(plugin, self.surroundings(for: name))
  }
}
