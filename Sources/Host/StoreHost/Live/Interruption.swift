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
  /// A history of a store in a state, within the limits that it says. A walk through it ends where the command
  /// that runs is to stop.
  package init(
    of state: HostState, after number: Int = 0, older: (any OlderEntries<HostState>)? = nil,
    endedBy interruption: Interruption
  ) {
    self.init(
      after: number, limits: state.shell.limits, older: older, checkCancellation: { try interruption.check() },
      apply: { entry, direction, state in try state.apply(entry.changes, direction) })
  }
}
