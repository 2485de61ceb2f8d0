import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// One middleware, as listings show it.
package struct UnitListing {
  package let name: String
  package let isOpen: Bool
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
  package let unit: String
  /// In how long it goes on, where it waits for the clock.
  package let wakesIn: Duration?
  /// The number of the action that started it; nil: the state did before any action.
  package let startedBy: Int?
  package let age: Duration

  /// When it goes on, such as `in 1.0s`.
  package var wakes: String? { wakesIn.map { "in \(EffectListing.seconds($0))" } }

  /// A duration that somebody set: in milliseconds where it is less than a tenth of a second.
  package static func limit(_ duration: Duration) -> String {
    duration < .milliseconds(100) ? "\(Int((duration.seconds * 1000).rounded()))ms" : seconds(duration)
  }

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
  /// The time of day, in milliseconds since 1970 (UTC); nil: time is virtual.
  package let wallTime: Int?
}

extension ActionSource {
  /// The source in one word: `repl:3`, `demo.stsh:7`, `-c:1`, `plugin:pomodoro/clock`.
  package var short: String {
    switch kind {
    case .plugin, .effect:
      // Swift code says where it stands.
      plugin.map { "plugin:\($0)/\(unit ?? "")" } ?? "\(file):\(line)"
    default: "\(file):\(line)"
    }
  }
}

extension HistoryLimits {
  /// The limits as `set` shows and takes them: `100000, 64MiB`.
  package var text: String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)]
    let unit = units.first { bytes > 0 && bytes % (1 << $0.1) == 0 }
    return "\(entries), \(unit.map { "\(bytes >> $0.1)\($0.0)" } ?? "\(bytes)B")"
  }

  /// Takes over what a text says: a number of actions, a size in memory, or both; nil where it is neither.
  package func changed(by text: String) -> HistoryLimits? {
    var limits = self
    for part in text.split(separator: ",") {
      let part = part.filter { $0 != " " }
      let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)]
      if let number = Int(part), number > 0 {
        limits.entries = number
      } else if let unit = units.first(where: { part.hasSuffix($0.0) }), let size = Int(part.dropLast(unit.0.count)),
        size > 0, size <= Int.max >> unit.1
      {
        limits.bytes = size << unit.1
      } else {
        return nil
      }
    }
    return limits
  }
}
