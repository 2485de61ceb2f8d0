import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins

extension Session {
  /// Reloads a plugin from the folder that it was loaded from.
  ///
  /// - Parameters:
  ///   - plugin: the version that runs.
  ///   - asks: true if the person at the prompt may be asked for permissions that the plugin did not have before.
  ///   - actionSource: the source of the reload.
  /// - Throws: ``ShellError``; the version before is then still active.
  func reload(
    _ plugin: Plugin, _ options: PluginReloadOptions, asks: Bool = true, source actionSource: ActionSource
  ) throws -> PluginReloadReport {
    let name = plugin.module.name
    try store.requirePresent()
    do {
      let source = try plugin.source.readAgain().bounded(by: store.settings.ceiling)
      guard source.manifest.name == name else {
        throw PluginError(
          .load, of: name, "\(source.displayName)/plugin.json now has the name '\(source.manifest.name)'",
          hint: "plugin unload \(name), then load the folder")
      }
      plugins.watch?.note(source)
      try grant(source, asks: asks)
      return try store.reload(source, options, from: actionSource)
    } catch {
      store.live.noteFailedReload(of: name)
      let refusal = ShellError(refusing: error)
      // The hint of a misfit says which version runs.
      throw (error as? PluginError)?.code == .misfit ? refusal : refusal.leavingPreviousVersion
    }
  }
}

extension PluginReloadReport {
  /// The lines below the entry of the reload.
  var details: [String] {
    let state: [String] =
      switch self.state {
      case .new: plugin.counts
      case .kept: ["state kept"]
      case .migrated: ["state migrated"]
      }
    guard let verified else { return state }
    return state + ["\(verified) \(verified == 1 ? "action" : "actions") verified"]
  }
}

extension ShellError {
  /// The error of a reload: the version before still runs.
  fileprivate var leavingPreviousVersion: ShellError {
    let note = "the previous version is still active"
    var error = self
    if hint == nil { error.hint = note } else { error.details.append(note) }
    return error
  }
}
