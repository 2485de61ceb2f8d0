import StorePlugins
import StoreSchema

/// How a plugin is to be reloaded.
struct PluginReloadOptions {
  /// Whether its state starts anew, whatever it was.
  var resets = false
  /// How many of the last actions both versions have to answer alike first.
  var verifies: Int?
}

/// What became of a reload that succeeded.
struct PluginReloadReport {
  let plugin: Plugin
  let report: DispatchReport
  let state: StateOutcome
  /// Whether the state has another type than before.
  let changesType: Bool
  /// How many actions both versions answered alike, where that was asked.
  let verified: Int?

  /// What became of the plugin's state.
  enum StateOutcome: Equatable {
    /// It has none, or starts anew.
    case new
    /// It goes on as it was.
    case kept
    /// It is what the plugin's `migrate` made of it.
    case migrated
  }
}

/// A plugin's edited version, checked and ready to take its place.
struct PluginReplacement {
  let hosted: HostedPlugin
  let slice: PluginSlice?
}
