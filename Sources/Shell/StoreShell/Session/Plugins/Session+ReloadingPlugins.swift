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
    try store.requirePresent()
    return try store.live.reload(
      plugin,
      grant: {
        plugins.watch?.note($0)
        try grant($0, asks: asks)
      }
    ) { source in
      try store.reload(source, options, from: actionSource)
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
  var leavingPreviousVersion: ShellError {
    let note = "the previous version is still active"
    var error = self
    if hint == nil { error.hint = note } else { error.details.append(note) }
    return error
  }
}
