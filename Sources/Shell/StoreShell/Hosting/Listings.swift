import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// One middleware, as listings show it.
struct UnitListing {
  let name: String
  let isOpen: Bool
  /// How its gate stands.
  let gate: ShellState.Condition
  let seen: Int
  let held: Int
  let dropped: Int
  /// How many of its effects run or wait.
  let tasks: Int
  let origin: Module.Origin
}

/// One effect, as listings show it.
struct EffectListing {
  /// `UNIT/TOKEN`, in a plugin `PLUGIN/UNIT/KEY`.
  let id: String
  /// The name of its unit.
  let unit: String
  /// In how long it goes on, where it waits for the clock.
  let wakesIn: Duration?

  /// When it goes on, such as `in 1.0s`.
  var wakes: String? { wakesIn.map { "in \(EffectListing.seconds($0))" } }

  /// A duration that somebody set: in milliseconds where it is less than a tenth of a second.
  static func limit(_ duration: Duration) -> String {
    duration < .milliseconds(100) ? "\(Int((duration.seconds * 1000).rounded()))ms" : seconds(duration)
  }

  /// A duration in seconds, to a tenth.
  static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)s"
  }
}

/// One plugin, as listings show it.
struct LoadedPluginListing {
  let name: String
  let version: String
  let folder: String
  /// Whether it runs.
  let condition: ShellState.Condition
  let units: [String]
  /// Tells the code that runs from an edited one.
  let digest: String
  /// When reloading it failed, where the earlier version is still there because of that.
  let reloadFailed: Duration?
  /// Whether the state holds its slice, and its code could not be loaded.
  var isLost = false

  /// What listings say of it.
  var state: String {
    if isLost { return Self.notLoaded }
    return condition == .on && reloadFailed != nil ? "reload failed" : condition.rawValue
  }
  static let notLoaded = "not loaded"
  /// The same time in seconds, to the tenth that `log` shows.
  var failedAt: Value {
    guard let components = reloadFailed?.components else { return .none }
    return .double(Double(components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000) / 10)
  }
}

/// What the logger middleware says of one action.
struct LoggedLine: Sendable {
  let number: Int
  let call: ActionCall
  let source: ActionSource
  let changes: [Change]
}
