import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// One middleware, as listings show it.
package struct UnitListing {
  package let name: String
  package let isOpen: Bool
  /// How its gate stands.
  package let gate: ShellState.Condition
  /// The rule that moves it besides; nil: none does.
  package let byRule: GateRule?
  /// Whether that lets actions through.
  package let isOpenByRule: Bool
  package let seen: Int
  package let held: Int
  package let dropped: Int
  /// How many of its effects run or wait.
  package let tasks: Int
  package let origin: Module.Origin

  /// How its gates stand together, as listings say it.
  package var position: String {
    switch byRule {
    case _ where gate != .on || isOpenByRule: gate.rawValue
    case .actions: "off by action"
    case .state: "off by state"
    case nil: gate.rawValue
    }
  }
}

/// One effect, as listings show it.
package struct EffectListing {
  /// `UNIT/TOKEN`, in a plugin `PLUGIN/UNIT/KEY`.
  package let id: String
  /// The name of its unit.
  package let unit: String
  /// In how long it goes on, where it waits for the clock.
  package let wakesIn: Duration?
  /// The number of the action that started it; nil: the state did before any action.
  package let startedBy: Int?
  /// How long it has been there.
  package let age: Duration

  /// When it goes on, such as `in 1.0s`.
  package var wakes: String? { wakesIn.map { "in \(EffectListing.seconds($0))" } }

  /// A duration that somebody set: in milliseconds where it is less than a tenth of a second.
  package static func limit(_ duration: Duration) -> String {
    duration < .milliseconds(100) ? "\(Int((duration.seconds * 1000).rounded()))ms" : seconds(duration)
  }

  /// A duration in seconds, to a tenth.
  package static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)s"
  }
}

/// One plugin, as listings show it.
package struct LoadedPluginListing {
  package let name: String
  package let version: String
  package let folder: String
  /// Whether it runs.
  package let condition: ShellState.Condition
  package let units: [String]
  /// Tells the code that runs from an edited one.
  package let digest: String
  /// When reloading it failed, where the earlier version is still there because of that.
  package let reloadFailed: Duration?
  /// Whether the state holds its slice, and its code could not be loaded.
  package var isLost = false
  /// Whether it has more than reducers, and only these run, as after a replay.
  package var lacksUnits = false

  /// What listings say of it.
  package var state: String {
    if isLost { return Self.notLoaded }
    if lacksUnits, condition == .on { return "reducers only" }
    return condition == .on && reloadFailed != nil ? "reload failed" : condition.rawValue
  }
  package static let notLoaded = "not loaded"
  /// The same time in seconds, to the tenth that `log` shows.
  package var failedAt: Value {
    guard let components = reloadFailed?.components else { return .none }
    return .double(Double(components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000) / 10)
  }
}

/// What the logger middleware says of one action.
package struct LoggedLine: Sendable {
  package let number: Int
  package let call: ActionCall
  package let source: ActionSource
  package let changes: [Change]
}
