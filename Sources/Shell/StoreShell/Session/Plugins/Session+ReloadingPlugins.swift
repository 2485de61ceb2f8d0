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
      return try refusing {
        let source = try plugin.source.readAgain().bounded(by: store.ceiling)
        guard source.manifest.name == name else {
          throw PluginError(
            .load, "\(name): \(source.displayName)/plugin.json now has the name '\(source.manifest.name)'",
            hint: "plugin unload \(name), then load the folder")
        }
        plugins.watch?.note(source)
        try grant(source, asks: asks)
        return try store.reload(source, options, from: actionSource)
      }
    } catch {
      store.noteFailedReload(of: name)
      throw ShellError(describing: error).leavingPreviousVersion
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
  /// The error of a reload: the version before still runs. A hint about the state makes that clear without a note.
  fileprivate var leavingPreviousVersion: ShellError {
    let note = "the previous version is still active"
    var error = self
    switch hint {
    case nil: error.hint = note
    case let hint? where hint.contains("--reset"): break
    default: error.details.append(note)
    }
    return error
  }
}
