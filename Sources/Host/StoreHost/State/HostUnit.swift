import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import StoreUnits
import Synchronization

extension HostAction {
  /// The name of the unit whose gate the action moves.
  fileprivate var movedGate: String? {
    if case .setGate(let name, _) = shell { return name }
    return nil
  }
}

/// One middleware in the shell's root: counted, and gated. The host moves the gate at the commit of the shell's toggle,
/// which is never forwarded to the unit that it names (R21).
package struct HostUnit {
  package let name: String
  package let origin: Module.Origin
  package let startsOpen: Bool
  package let gate: Gate
  package let counters: UnitCounters
  package let middleware: Middleware<HostAction, HostAction, HostState>

  /// - Parameters:
  ///   - gate: stands as it does to begin with.
  ///   - accepts: which actions the unit would answer; others do not count as held back.
  package init(
    _ name: String, origin: Module.Origin, gate: Gate = Gate(),
    accepts: @escaping @Sendable (HostAction) -> Bool = { _ in true },
    _ middleware: Middleware<HostAction, HostAction, HostState>
  ) {
    self.name = name
    self.origin = origin
    startsOpen = gate.isOpen
    self.gate = gate
    let counters = UnitCounters()
    self.counters = counters
    let counted = Middleware(
      units: middleware.units.map { unit in
        unit.mapHandler { inner, _ in
          { action, context in
            guard let io = inner(action, context) else { return nil }
            counters.noteSeen()
            return io
          }
        }
      })
    self.middleware = counted.gated(by: gate) { $0.movedGate != name && accepts($0) }
  }
}

/// Counts the actions that a unit was asked about.
package final class UnitCounters: Sendable {
  private let count = Atomic<Int>(0)

  package var seen: Int { count.load(ordering: .relaxed) }

  package func noteSeen() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// Where the logger middleware writes.
package final class LogSink: @unchecked Sendable {
  // Safe: set and used by the thread that holds the turn.
  package var write: (@Sendable (LoggedLine) -> Void)?
}

/// Collects what went wrong beside an action while it was processed.
package final class FaultBox: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  @exclusivity(unchecked) private var faults: [any Error] = []
  /// Whether a plugin has failed so often in a row that it must be stopped.
  package var hasPluginToStop = false
  /// How many drains ended before their queue did.
  package private(set) var losses = 0

  package var isEmpty: Bool { faults.isEmpty }

  /// Takes note that the rest of a queue was dropped, perhaps with what stops a plugin.
  package func noteLoss() {
    losses += 1
    hasPluginToStop = true
  }

  package func note(_ error: any Error) { faults.append(error) }

  /// The same, unless it is what was noted last.
  package func noteOnce<Fault: Error & Equatable>(_ error: Fault) {
    if let last = faults.last as? Fault, last == error { return }
    note(error)
  }

  package func take() -> [any Error] {
    if faults.isEmpty { return [] }
    defer { faults = [] }
    return faults
  }

  package func put(_ earlier: [any Error]) {
    if !earlier.isEmpty { faults = earlier + faults }
  }
}
