import StoreHistory

/// What became of one dispatch.
package struct DispatchReport {
  /// The action's number in the log; nil where it was never processed.
  package let number: Int?
  /// Its entry; nil where it was never processed, or the history had no room for it and what it caused.
  package var entry: LoggedEntry?
  /// Why it failed, or why what it caused was stopped.
  package let failure: (any Error)?
  /// What went wrong beside it, in middlewares or in actions that it caused: the action itself was applied all the same.
  package var faults: [any Error]
  /// The interceptor that took it: nothing was reduced.
  package var droppedBy: String?
  /// How many effects a gate that was shut has cancelled.
  package var cancelled = 0
}
