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
  /// The rule that moves a second gate around the first; kept by the host as the shell's slice says.
  package let ruled: RuledGate
  private let plain: Middleware<HostAction, HostAction, HostState>

  /// The middleware within its gates.
  package var middleware: Middleware<HostAction, HostAction, HostState> { ruled.middleware ?? plain }

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
    plain = counted.gated(by: gate) { $0.movedGate != name && accepts($0) }
    ruled = RuledGate(plain, accepts: accepts)
  }

  /// The number of actions held back, and of outputs dropped, by either gate.
  package var losses: (held: Int, dropped: Int) {
    (gate.held + ruled.gate.held, gate.dropped + ruled.gate.dropped)
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
  // Safe: set before the store is used, and used by the thread that holds the turn.
  package var write: (LoggedLine) -> Void = { _ in }
}

/// Collects what goes wrong beside an action while it is processed, and hands on what goes wrong at other times.
package final class FaultBox: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  @exclusivity(unchecked) private var faults: [(error: any Error, action: Int?, root: Int)] = []
  /// The root that the present action counts for; 0: none is processed.
  @exclusivity(unchecked) package var root: () -> Int = { 0 }
  /// How many collect at present, each what came since it began.
  @exclusivity(unchecked) private var collectors = 0
  /// Whether a plugin has failed so often in a row that it must be stopped.
  package let hasPluginToStop = SharedFlag()
  /// How many drains ended before their queue did.
  @exclusivity(unchecked) package private(set) var losses = 0
  /// Gets what goes wrong while nothing is collected, and the action that started what failed; nil: it is dropped.
  package var handOn: ((any Error, _ action: Int?) -> Void)?
  /// The last faults of plugins, oldest first.
  @exclusivity(unchecked) package private(set) var recent: [PluginFault] = []
  private static let mostRecent = 200

  /// Keeps a fault of a plugin for listings.
  package func keep(_ fault: PluginFault) {
    if recent.count == Self.mostRecent { recent.removeFirst() }
    recent.append(fault)
  }

  /// Takes note that the rest of a queue was dropped, perhaps with what stops a plugin.
  package func noteLoss() {
    losses += 1
    _ = hasPluginToStop.set(true)
  }

  /// Takes note of something that went wrong.
  ///
  /// - Parameter action: the action that started what failed, where that is known.
  package func note(_ error: any Error, startedBy action: Int? = nil) {
    guard collectors > 0 else { handOn?(error, action); return }
    faults.append((error, action, root()))
  }

  /// Collects from now on.
  ///
  /// - Returns: how much others have collected so far.
  package func collect() -> Int {
    collectors += 1
    return faults.count
  }

  /// Takes what was collected since, and goes on as before. What actions of others met is handed on to those whom it concerns.
  ///
  /// - Parameter root: the action that the caller dispatched; nil: it has no number yet.
  package func take(behind count: Int, ofRoot root: Int?) -> [any Error] {
    collectors -= 1
    guard faults.count > count else { return [] }
    let collected = faults[count...]
    faults.removeSubrange(count...)
    var own: [any Error] = []
    for (error, action, itsRoot) in collected {
      if itsRoot == 0 || itsRoot == root || root == nil {
        own.appendOnce(error)
      } else {
        handOn?(error, action ?? itsRoot)
      }
    }
    return own
  }
}
