import StoreHistory

/// Tells long work whether the command that does it is to stop.
package final class Interruption {
  /// Asked now and then.
  package var isRequested: () -> Bool = { false }

  /// Nothing stops.
  package init() {}

  /// Throws where it is to stop.
  package func check() throws(HostError) {
    if isRequested() { throw .interrupted }
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
