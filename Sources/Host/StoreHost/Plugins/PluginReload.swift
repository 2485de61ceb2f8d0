import StoreHistory
import StorePlugins

package struct PluginReloadOptions {
  /// Whether its state starts anew, whatever it was.
  package var resets = false
  /// How many of the last actions both versions have to answer alike first.
  package var verifies: Int?

  package init(resets: Bool = false, verifies: Int? = nil) {
    self.resets = resets
    self.verifies = verifies
  }
}

package struct PluginReloadReport {
  package let plugin: Plugin
  package let report: DispatchReport
  package let state: StateOutcome
  /// Whether the state has another type than before.
  package let changesType: Bool
  /// How many actions both versions answered alike, where that was asked.
  package let verified: Int?

  /// What became of the plugin's state.
  package enum StateOutcome: Equatable {
    /// It has none, or starts anew.
    case new
    /// It goes on as it was.
    case kept
    /// It is what the plugin's `migrate` made of it.
    case migrated
  }
}

/// A plugin's edited version, checked and ready to take its place.
package struct PluginReplacement {
  package let hosted: HostedPlugin
  package let slice: PluginSlice?
}

/// What became of a plugin whose files were saved while the store watches them.
package struct SavedPlugin: Sendable {
  package let name: String
  package let version: String
  /// The entry of its reload; nil: it was not reloaded.
  package let entry: LoggedEntry?
  /// What the reload did, a line each.
  package let details: [String]
  package let errors: [any Error]

  package init(name: String, version: String, entry: LoggedEntry?, details: [String], errors: [any Error]) {
    (self.name, self.version, self.entry, self.details, self.errors) = (name, version, entry, details, errors)
  }
}
