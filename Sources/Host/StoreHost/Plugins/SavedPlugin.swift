import StoreCore
import StoreHistory
import StorePlugins

/// What became of a plugin whose files were saved while the store watches them.
package struct SavedPlugin: Sendable {
  /// The plugin's name.
  package let name: String
  /// The version that runs now.
  package let version: String
  /// The entry of its reload; nil: it was not reloaded.
  package let entry: LoggedEntry?
  /// What the reload did, a line each.
  package let details: [String]
  /// What is wrong with it.
  package let errors: [any Error]

  /// Joins them.
  package init(name: String, version: String, entry: LoggedEntry?, details: [String], errors: [any Error]) {
    (self.name, self.version, self.entry, self.details, self.errors) = (name, version, entry, details, errors)
  }
}

extension LiveStore {
  /// Puts a plugin that was saved in the place of the version that runs, on no client's behalf.
  package func reloadSaved(_ source: PluginSource, from actionSource: ActionSource) throws -> PluginReloadReport {
    try turn {
      guard isOpen else { throw StoreError.closed }
      return try reload(source, PluginReloadOptions(), verified: nil, from: actionSource)
    }
  }

  /// Has all clients told what became of a plugin that was saved: whoever uses it meets the version of now.
  package func tell(of saved: SavedPlugin) { turn { for client in clients { client.hear(saved) } } }
}
