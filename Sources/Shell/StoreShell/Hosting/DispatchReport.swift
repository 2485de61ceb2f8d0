import StoreHistory

/// What became of one dispatch.
struct DispatchReport {
  /// The action's number in the log; nil where it was never processed.
  let number: Int?
  /// Its entry; nil where it was never processed, or the history had no room for it and what it caused.
  var entry: LoggedEntry?
  /// Why it failed, or why what it caused was stopped.
  let failure: (any Error)?
  /// What went wrong beside it, in middlewares or in actions that it caused: the action itself was applied all the same.
  var faults: [any Error]
  /// The interceptor that took it: nothing was reduced.
  var droppedBy: String?
  /// How many effects a gate that was shut has cancelled.
  var cancelled = 0
}
