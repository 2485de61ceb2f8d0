import StoreCore
import StoreModules
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
            counters.note(1)
            return io
          }
        }
      })
    plain = counted.gated(by: gate) { $0.movedGate != name && accepts($0) }.taking(accepts)
    ruled = RuledGate(plain, accepts: accepts)
  }

  /// The number of actions held back, and of outputs dropped, by either gate.
  package var losses: (held: Int, dropped: Int) {
    (gate.held + ruled.gate.held, gate.dropped + ruled.gate.dropped)
  }
}

extension Middleware<HostAction, HostAction, HostState> {
  /// The same for a store that tells kinds of actions apart.
  ///
  /// - Parameter accepts: which actions the units would answer; of the shell's not by their kinds alone.
  func taking(_ accepts: @escaping @Sendable (HostAction) -> Bool) -> Middleware {
    Middleware(units: units.map { $0.taking(kinds: { $0.kind == .shell || accepts($0) }) })
  }
}

/// Counts the actions that a unit was asked about.
package final class UnitCounters: Sendable {
  private let count = Atomic<Int>(0)

  package var seen: Int { count.load(ordering: .relaxed) }

  /// Counts actions; less than 0: takes some back.
  func note(_ seen: Int) { count.wrappingAdd(seen, ordering: .relaxed) }
}

extension HostUnit {
  /// The counts of a unit, and the position of the gate that a rule moves.
  struct Standing: Equatable {
    fileprivate var seen = 0
    fileprivate var held = 0
    fileprivate var heldByRule = 0
    fileprivate var isOpenByRule = true
  }

  var standing: Standing {
    Standing(seen: counters.seen, held: gate.held, heldByRule: ruled.gate.held, isOpenByRule: ruled.gate.isOpen)
  }

  /// Takes back what came since an earlier standing.
  ///
  /// - Returns: does it again; nil: nothing came.
  func takeBack(to before: Standing) -> (() -> Void)? {
    let after = standing
    guard after != before else { return nil }
    func add(_ sign: Int) {
      counters.note(sign * (after.seen - before.seen))
      gate.note(held: sign * (after.held - before.held))
      ruled.gate.note(held: sign * (after.heldByRule - before.heldByRule))
      guard before.isOpenByRule != after.isOpenByRule else { return }
      ruled.gate.set(isOpen: sign > 0 ? after.isOpenByRule : before.isOpenByRule)
    }
    add(-1)
    return { add(1) }
  }
}

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

  /// The notes of the attempt that is made; nil: none is.
  @exclusivity(unchecked) private var held: [() -> Void]?

  /// True while an attempt is made, of which nothing may show (R41).
  package var isHoldingBack: Bool { held != nil }

  /// Makes an attempt.
  ///
  /// - Returns: its notes, to be called when it is committed.
  package func holdingBack(_ attempt: () -> Void) -> [() -> Void] {
    held = []
    attempt()
    defer { held = nil }
    return held ?? []
  }

  /// Notes something now or, in an attempt, when that is committed.
  package func atCommit(_ note: @escaping () -> Void) {
    if held == nil { note() } else { held?.append(note) }
  }

  package func keep(_ fault: PluginFault) {
    if isHoldingBack { return atCommit { [unowned self] in keep(fault) } }
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
    if isHoldingBack { return atCommit { [unowned self] in note(error, startedBy: action) } }
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
