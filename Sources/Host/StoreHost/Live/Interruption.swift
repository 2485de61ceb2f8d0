import StoreHistory

/// Tells long work whether the command that does it is to stop.
package final class Interruption {
  /// Asked now and then.
  package var isRequested: () -> Bool = { false }

  /// Throws where it is to stop.
  package func check() throws(HostError) {
    if isRequested() { throw .interrupted }
  }
}

extension LiveStore {
  /// Has the store ask between two actions whether what one dispatch caused is to end there.
  package func setInterruption(_ isInterrupted: @escaping () -> Bool) {
    turn {
      listening.interruption.isRequested = isInterrupted
      store.setInterruption(isInterrupted)
    }
  }
}

extension History<HostState> {
  /// A history of a store that begins with a state, within the limits that it says. A walk through it ends where the command
  /// that runs is to stop.
  package init(
    from state: HostState, at number: Int = 0, older: (any OlderEntries<HostState>)? = nil,
    endedBy interruption: Interruption
  ) {
    self.init(
      from: state, at: number, limits: state.shell.limits, older: older,
      checkCancellation: { try interruption.check() }, apply: { entry, state in try state.apply(entry.changes) })
  }
}
