import StoreCore
import StorePlugins

/// The gates of units, which the shell, actions and the state move (R21).
extension LiveStore {
  /// Brings the gates where the shell's slice says they stand.
  package func moveGates(_ shell: ShellState) {
    for hosted in plugins { hosted.strikes.set(isStopped: shell.condition(of: hosted.plugin.module.name) != .on) }
    upkeep.hasControlGates = shell.rules.values.contains { if case .actions = $0 { true } else { false } }
    if !upkeep.hasControlGates { upkeep.movedGates = [:] }
    for unit in hostUnits {
      let isOpen = shell.isOpen(unit.name)
      var gate = shell.gates.first { $0.name == unit.name }
      if let moved = upkeep.movedGates[unit.name] { gate?.isOpenByAction = moved.isOpen }
      unit.ruled.follow(gate)
      guard unit.gate.set(isOpen: isOpen) else { continue }
      attendance.traceSink?(.gate(unit: unit.name, isOpen: isOpen))
      if !isOpen { store.cancelEffects(unit: unit.name) }
    }
  }

  /// Has the shell's slice follow where an action has moved gates by their rules, by an action of its own: it comes back with
  /// the state. One that failed has moved nothing.
  package func followRules(_ record: ActionRecord<Action, State>) {
    let (shell, call) = (record.after.shell, record.action.call)
    if case .moveGate(let name, _)? = record.action.shell, let moved = upkeep.movedGates[name] {
      upkeep.movedGates[name] = moved.waiting > 1 ? (moved.isOpen, moved.waiting - 1) : nil
    }
    for gate in shell.gates {
      guard case .actions(let control)? = gate.rule, record.droppedBy == nil,
        let isOpen = control.position(after: call)
      else { continue }
      let moved = upkeep.movedGates[gate.name]
      guard isOpen != moved?.isOpen ?? gate.isOpenByAction else { continue }
      guard record.failure == nil else { return moveGates(shell) }
      let action = ShellAction.moveGate(name: gate.name, isOpen: isOpen)
      let source = record.context.source
      upkeep.movedGates[gate.name] = (isOpen, (moved?.waiting ?? 0) + 1)
      store.dispatch(
        Action(call: action.call, payload: .shell(action)),
        source: ActionSource(
          file: source.file, function: source.function, line: source.line, kind: .bridge, cause: record.context.number))
    }
  }
}
