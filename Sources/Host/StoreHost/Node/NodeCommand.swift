import Platform
import StoreCore
import StoreModules
import StoreReplication

/// An action on its way to the log of a shared store.
final class NodeCommand: @unchecked Sendable {
  // Safe: the constants are Sendable; what changes is used by the thread that holds the turn, or that ends the command.
  let id: CommandID
  /// Nil: an acknowledgement is all that is asked for.
  let action: HostAction?
  let source: ActionSource
  /// The action that this one counts for (R30), and all that it caused.
  let family: NodeFamily
  /// True if the action is not caused by another one of its family.
  let isRoot: Bool
  let onDone: (@Sendable (DispatchResult) -> Void)?
  /// The series that it belongs to.
  let series: DispatchSeries?
  /// The result, once it is committed.
  @exclusivity(unchecked) var result: DispatchResult?
  /// The reason why it is refused, though the log has acknowledged the message that it was part of.
  @exclusivity(unchecked) var refusal: HostError?

  init(
    _ id: CommandID, _ action: HostAction?, _ source: ActionSource, of family: NodeFamily, isRoot: Bool,
    _ onDone: (@Sendable (DispatchResult) -> Void)?, _ series: DispatchSeries?
  ) {
    (self.id, self.action, self.source, self.family, self.isRoot, self.onDone) =
      (id, action, source, family, isRoot, onDone)
    self.series = series
  }
}

/// Actions that a caller hands on to a shared log one behind another, without waiting for each: the log takes many of them in one
/// message.
package final class DispatchSeries: Sendable {
  /// Whether behind an action that fails no other happens.
  let stopsAtFailure: Bool
  private let flag = SharedFlag()

  /// A series.
  ///
  /// - Parameter stopsAtFailure: whether behind an action that fails no other happens.
  package init(stopsAtFailure: Bool) { self.stopsAtFailure = stopsAtFailure }

  /// True if no further action of it happens.
  var isOver: Bool { flag.isSet }

  /// Has no further action of it happen. Those that are on their way already may.
  package func end() { _ = flag.set(true) }

  /// Takes note that one of its actions failed.
  func noteFailure() { if stopsAtFailure { end() } }
}

/// An action of a series on its way.
package struct PendingDispatch: Sendable {
  let family: NodeFamily
  let node: StoreNode
}

extension StoreClient {
  /// Hands an action on to the log of a shared store, without waiting for it.
  ///
  /// - Throws: the reason why it was not handed on.
  package func begin(
    _ call: ActionCall, source: ActionSource, in series: DispatchSeries
  ) throws -> PendingDispatch {
    let action = try action(call)
    let (node, described) = try turn {
      if past != nil, let viewed { throw viewed.refusal }
      guard live.isOpen, let node = live.storeNode else { throw StoreError.closed }
      if let refused = refusal?(call.type.fullName) { throw refused }
      var source = source
      complete(&source)
      if let refusal = node.refusal(in: live) { throw refusal }
      return (node, source)
    }
    return withoutTurn { node.begin(action, described, in: series) }
  }

  /// Waits for an action that was handed on. Faults beside it are told as those of tasks are.
  package func report(of pending: PendingDispatch) -> DispatchReport {
    let result = withoutTurn { pending.node.result(of: pending, endedBy: interruption) }
    return turn {
      if let number = result.number { note(dispatched: number) }
      return live.report(of: result, faults: [])
    }
  }
}

/// An action that was dispatched from outside, with all that it causes.
final class NodeFamily: Sendable {
  private struct State {
    /// The number of the first action; 0: it has none yet.
    var root = 0
    /// The commands that are on their way.
    var open: Set<CommandID> = []
    /// The actions that were caused.
    var caused = 0
    var stop: StoreError?
    var result: DispatchResult?
    var isAnswered = false
    /// Wakes the caller, if it waits.
    var waiter: CountedSignal?
  }

  /// True if a caller waits.
  let isAwaited: Bool
  private let state = Lock(State())

  init(isAwaited: Bool) { self.isAwaited = isAwaited }

  /// The number of the first action; 0: it has none yet.
  var root: Int { state.withLock { $0.root } }

  /// The commands that are on their way.
  var open: Set<CommandID> { state.withLock { $0.open } }

  /// Takes in a command.
  ///
  /// - Parameter limit: how many actions may be caused.
  /// - Returns: false if there may be no more (R30), or if nobody wants them.
  func enter(_ id: CommandID, isRoot: Bool, limit: Int, _ action: HostAction?, _ source: ActionSource) -> Bool {
    state.withLock { state in
      guard state.stop == nil else { return false }
      if !isRoot {
        guard state.caused < limit else {
          let cause = source.cause ?? state.root
          state.stop = .runaway(limit: limit, next: action?.description ?? "", source: source, chain: [cause])
          return false
        }
        state.caused += 1
      }
      state.open.insert(id)
      return true
    }
  }

  /// Has nothing more be caused.
  func interrupt(before action: String, _ source: ActionSource) {
    state.withLock { $0.stop = $0.stop ?? .interrupted(next: action, source: source) }
  }

  /// Takes note of the first action's number.
  func begin(_ number: Int) { state.withLock { $0.root = number } }

  /// Ends a command.
  ///
  /// - Returns: true if it was the last.
  func leave(_ id: CommandID, _ result: DispatchResult?) -> Bool {
    let (isLast, waiter) = state.withLock { state in
      state.open.remove(id)
      if let result { state.result = state.result ?? result }
      let isLast = state.open.isEmpty
      state.isAnswered = state.isAnswered || isLast
      return (isLast, isLast ? state.waiter : nil)
    }
    waiter?.signal()
    return isLast
  }

  /// Answers the caller before all is known.
  func answer(_ result: DispatchResult) {
    let waiter = state.withLock { state in
      state.isAnswered = true
      state.result = state.result ?? result
      return state.waiter
    }
    waiter?.signal()
  }

  /// Waits for the end of all.
  ///
  /// - Returns: false after a moment without it.
  func wait() -> Bool {
    let waiter = state.withLock { state in
      if !state.isAnswered, state.waiter == nil { state.waiter = CountedSignal() }
      return state.isAnswered ? nil : state.waiter
    }
    return waiter?.wait(atMost: .milliseconds(50)) ?? true
  }

  /// The result of the first action, or the reason why what it caused was stopped.
  var result: DispatchResult {
    state.withLock { state in
      let result = state.result ?? .cancelled
      guard let stop = state.stop, case .done = result.outcome else { return result }
      return .stopped(stop, number: result.number)
    }
  }
}
