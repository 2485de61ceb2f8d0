import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import StoreUnits

/// The gate of a unit that a rule moves, by actions or by the state (R21), around the gate that the shell moves.
package final class RuledGate: @unchecked Sendable {
  // Safe: `middleware` is used by the thread that holds the turn.

  package let position = Position()
  /// Counts what the rule held back and dropped; where actions move it, its position.
  package var gate: Gate { position.gate }
  /// The unit within the gate; nil: no rule moves one.
  package private(set) var middleware: Middleware<HostAction, HostAction, HostState>?
  private let inner: Middleware<HostAction, HostAction, HostState>
  private let accepts: @Sendable (HostAction) -> Bool

  /// - Parameters:
  ///   - inner: the unit within the shell's gate.
  ///   - accepts: which actions the unit would answer; others do not count as held back.
  init(
    _ inner: Middleware<HostAction, HostAction, HostState>, accepts: @escaping @Sendable (HostAction) -> Bool
  ) {
    self.inner = inner
    self.accepts = accepts
  }

  /// Brings rule and position to what the shell's slice says.
  package func follow(_ position: ShellState.Gate?) {
    gate.set(isOpen: position?.isOpenByAction ?? true)
    guard position?.rule != self.position.rule else { return }
    self.position.rule = position?.rule
    middleware = position?.rule.map(gated)
  }

  /// The rule and the gate that it moves, apart from the unit.
  package final class Position: @unchecked Sendable {
    // Safe: `rule` is used by the thread that holds the turn.
    package let gate = Gate()
    /// The rule; nil: there is none.
    @exclusivity(unchecked) package fileprivate(set) var rule: GateRule?

    /// True if the rule lets actions through at present.
    package func isOpen(in view: any StateView) -> Bool {
      guard case .state(let path, let value)? = rule else { return gate.isOpen }
      return path.value { view.readSlice($0, $1) }?.isSame(asUntyped: value) == true
    }
  }

  private func gated(by rule: GateRule) -> Middleware<HostAction, HostAction, HostState> {
    switch rule {
    case .actions(let control):
      let ruled = inner.gated(by: gate, control: { control.value(of: $0.call) }, on: control.on, off: control.off)
      // Which actions are control actions, their names say.
      return accepting(ruled) { [accepts] in accepts($0) || control.value(of: $0.call) != nil }
    case .state(let path, let value):
      return accepting(inner.gated(by: gate, whileState: { $0.read(path)?.isSame(asUntyped: value) == true }), accepts)
    }
  }

  /// Leaves out what the unit would not answer, which is not held back.
  private func accepting(
    _ middleware: Middleware<HostAction, HostAction, HostState>, _ accepts: @escaping @Sendable (HostAction) -> Bool
  ) -> Middleware<HostAction, HostAction, HostState> {
    Middleware(
      units: middleware.units.map { unit in
        unit.mapHandler { inner, _ in { action, context in accepts(action) ? inner(action, context) : nil } }
      }
    ).taking(accepts)
  }
}

extension HostState {
  /// The value at a path, none where it leads to nothing; nil where its module is not there.
  package func read(_ path: Path) -> Value? { path.value { readSlice($0, $1) } }
}
