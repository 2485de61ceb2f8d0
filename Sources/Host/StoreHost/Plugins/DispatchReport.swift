import StoreHistory

/// What became of one dispatch.
package struct DispatchReport {
  /// The action's number in the log; nil where it was never processed.
  package let number: Int?
  /// Its entry; nil where it was never processed, or the history had no room for it and what it caused, or it was plain and the
  /// dispatch did not ask.
  package var entry: LoggedEntry?
  /// True if the action was plain, and its dispatch asked for what it changed: ``StoreClient/changes``, until the next one.
  package let tellsChanges: Bool
  // Few reports have any of these, and all are handed from call to call.
  private var rarities: Rarities?

  /// The members that few reports have.
  private final class Rarities {
    let failure: (any Error)?
    let faults: [any Error]
    let droppedBy: String?
    let cancelled: Int
    let lastBehind: Int?

    init(failure: (any Error)?, faults: [any Error], droppedBy: String?, cancelled: Int, lastBehind: Int?) {
      self.failure = failure
      self.faults = faults
      self.droppedBy = droppedBy
      self.cancelled = cancelled
      self.lastBehind = lastBehind
    }
  }

  package init(number: Int?, entry: LoggedEntry? = nil, failure: (any Error)?, faults: [any Error]) {
    self.number = number
    self.entry = entry
    tellsChanges = false
    if failure != nil || !faults.isEmpty { change(failure: failure, faults: faults) }
  }

  /// The report of an action that is done, whose entry is not asked for.
  init(number: Int, tellsChanges: Bool) {
    self.number = number
    self.tellsChanges = tellsChanges
  }

  private mutating func change(
    failure: (any Error)?? = nil, faults: [any Error]? = nil, droppedBy: String?? = nil, cancelled: Int? = nil,
    lastBehind: Int? = nil
  ) {
    rarities = Rarities(
      failure: failure ?? self.failure, faults: faults ?? self.faults, droppedBy: droppedBy ?? self.droppedBy,
      cancelled: cancelled ?? self.cancelled, lastBehind: lastBehind ?? self.lastBehind)
  }

  /// Why it failed, or why what it caused was stopped.
  package var failure: (any Error)? { rarities?.failure }
  /// True if the log of a shared store may yet take it.
  var mayYetHappen: Bool { (failure as? HostError)?.code == .outcomeUnknown }
  /// What went wrong beside it, in middlewares or in actions that it caused: the action itself was applied all the same.
  package var faults: [any Error] {
    get { rarities?.faults ?? [] }
    set { change(faults: newValue) }
  }
  /// True if something went wrong beside it.
  package var hasFaults: Bool { rarities != nil && !faults.isEmpty }
  /// The interceptor that took it: nothing was reduced.
  package var droppedBy: String? {
    get { rarities?.droppedBy }
    set { change(droppedBy: .some(newValue)) }
  }
  /// The number of effects that it cancelled, or the gate that it shut.
  package var cancelled: Int {
    get { rarities?.cancelled ?? 0 }
    set { change(cancelled: newValue) }
  }
  /// The number of the last action that was processed behind it in the same dispatch; nil: none was.
  package var lastBehind: Int? {
    get { rarities?.lastBehind }
    set { change(lastBehind: newValue) }
  }
}
