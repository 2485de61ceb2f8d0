import Platform
import StoreCore
import StoreModules
import StoreReplication
import Synchronization

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
  /// The number of its first action that is committed; 0: none is.
  private let firstNumber = Atomic(0)
  /// The numbers of its actions that the client has yet to take note of.
  fileprivate let dispatched = Lock<[Int]>([])
  /// Guards the states of its actions' families.
  fileprivate let families = Lock(())

  /// A series.
  ///
  /// - Parameter stopsAtFailure: whether behind an action that fails no other happens.
  package init(stopsAtFailure: Bool) { self.stopsAtFailure = stopsAtFailure }

  /// The number of its first action that is committed; nil: none is.
  var first: Int? {
    let number = firstNumber.load(ordering: .relaxed)
    return number > 0 ? number : nil
  }

  /// Takes note of an action of it that is committed.
  func noteCommitted(_ number: Int) {
    if firstNumber.load(ordering: .relaxed) == 0 { firstNumber.store(number, ordering: .relaxed) }
  }

  /// True if no further action of it happens.
  var isOver: Bool { flag.isSet }

  /// Has no further action of it happen. Those that are on their way already may.
  package func end() { _ = flag.set(true) }

  private let cut = Lock<HostError?>(nil)
  /// The reason why the log has not taken one of its actions, or has not answered; nil: it has.
  var cutOff: HostError? { cut.withLock { $0 } }

  /// Takes note that the log has not taken one of its actions, or has not answered: behind it none is to happen, in any series, since
  /// nobody could tell where to go on.
  func noteCutOff(_ error: HostError) {
    cut.withLock { $0 = $0 ?? error }
    end()
  }

  /// Takes note that one of its actions failed.
  func noteFailure() { if stopsAtFailure { end() } }
}

/// An action of a series on its way.
package struct PendingDispatch: Sendable {
  // The whole of it, so that the thread that made it frees it: memory of another thread is freed more slowly.
  let command: NodeCommand
}

extension StoreClient {
  /// Hands actions of one type on to the log of a shared store, without waiting for them.
  ///
  /// - Throws: the reason why none was handed on.
  package func begin(
    _ actions: [(HostAction, ActionSource)], in series: DispatchSeries
  ) throws -> [PendingDispatch] {
    guard let type = actions.first?.0.call.type else { return [] }
    let (node, described) = try turn {
      noteDispatched(in: series)
      if past != nil, let viewed { throw viewed.refusal }
      guard live.isOpen, let node = live.storeNode else { throw StoreError.closed }
      if let refused = refusal?(type.fullName) { throw refused }
      if let refusal = node.refusal(in: live) { throw refusal }
      return (node, actions.map { ($0.0, $0.1.asked(for: statement(of: $0.1))) })
    }
    return withoutTurn { node.begin(described, in: series) }
  }

  /// Takes note of the actions of a series that were done since the last call.
  package func noteDispatched(in series: DispatchSeries) {
    turn {
      let numbers = series.dispatched.withLock { numbers in
        defer { numbers = [] }
        return numbers
      }
      for number in numbers { note(dispatched: number) }
    }
  }

  /// Waits for an action that was handed on.
  package func wait(for pending: PendingDispatch) {
    withoutTurn { _ = live.storeNode?.result(of: pending, endedBy: interruption) }
  }

  /// Waits for an action that was handed on, and tells what became of it.
  package func report(of pending: PendingDispatch, in series: DispatchSeries) -> DispatchReport {
    if let number = pending.command.family.doneNumber {
      series.dispatched.withLock { $0.append(number) }
      return DispatchReport(number: number, failure: nil, faults: [])
    }
    let result = withoutTurn { live.storeNode?.result(of: pending, endedBy: interruption) ?? .cancelled }
    return turn {
      noteDispatched(in: series)
      if let number = result.number { note(dispatched: number) }
      return live.report(of: result, faults: pending.command.family.faults)
    }
  }
}

/// An action that was dispatched from outside, with all that it causes.
final class NodeFamily: @unchecked Sendable {
  // Safe: what changes is guarded by the lock.
  private struct State {
    /// The number of the first action; 0: it has none yet.
    var root = 0
    /// The number of commands that are on their way.
    var open: Int
    /// The actions that were caused.
    var caused = 0
    /// True once nothing more is to be caused.
    var isInterrupted = false
    /// The reason why something was not caused that was to be; nil: nothing was left out.
    var stop: StoreError?
    var result: DispatchResult?
    var isAnswered = false
    /// True if an interceptor passed on another action than the first.
    var isReplaced = false
    /// What went wrong beside the actions.
    var faults: [any Error] = []
    /// Wakes the caller, if it waits.
    var waiter: CountedSignal?
  }

  /// True if a caller waits.
  let isAwaited: Bool
  /// The series whose next action it is; nil: it belongs to none.
  let series: DispatchSeries?
  /// The families of a series share it: a node that ends many commands takes it without a wait.
  private let lock: Lock<Void>
  @exclusivity(unchecked) private var state: State

  /// - Parameter series: the series whose next action it is; nil: it belongs to none, and has no command yet.
  init(isAwaited: Bool, of series: DispatchSeries? = nil) {
    (self.isAwaited, self.series) = (isAwaited, series)
    lock = series?.families ?? Lock(())
    state = State(open: series == nil ? 0 : 1)
  }

  private func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
    lock.withLock { _ in body(&state) }
  }

  /// The number of the first action; 0: it has none yet.
  var root: Int { withState { $0.root } }

  /// Takes in a command.
  ///
  /// - Parameter limit: how many actions may be caused.
  /// - Returns: false if there may be no more (R30), or if nobody wants them.
  func enter(isRoot: Bool, limit: Int, _ action: HostAction?, _ source: ActionSource) -> Bool {
    withState { state in
      guard state.stop == nil else { return false }
      guard !state.isInterrupted else {
        noteLeftOut(action, source, &state)
        return false
      }
      if !isRoot {
        guard state.caused < limit else {
          let cause = source.cause ?? state.root
          state.stop = .runaway(limit: limit, next: action?.description ?? "", source: source, chain: [cause])
          return false
        }
        state.caused += 1
      }
      state.open += 1
      return true
    }
  }

  /// Has nothing more be caused.
  func interrupt() { withState { $0.isInterrupted = true } }

  /// Takes note that an action which was to be caused did not happen.
  func noteLeftOut(_ action: HostAction?, _ source: ActionSource) {
    withState { noteLeftOut(action, source, &$0) }
  }

  private func noteLeftOut(_ action: HostAction?, _ source: ActionSource, _ state: inout State) {
    if let error = series?.cutOff { return state.faults.appendOnce(error) }
    state.stop = state.stop ?? .interrupted(next: action?.description ?? "", source: source)
  }

  /// Takes note that an interceptor passed on another action than the first.
  func noteReplaced() { withState { $0.isReplaced = true } }

  /// Takes note of what went wrong beside an action of it. Its series ends there, as behind an action that fails.
  func note(_ faults: [any Error]) {
    if faults.isEmpty { return }
    withState { state in for fault in faults { state.faults.appendOnce(fault) } }
    series?.noteFailure()
  }

  /// What went wrong beside its actions.
  var faults: [any Error] { lock.withLock { _ in state.faults } }

  /// Takes note of the first action's number.
  func begin(_ number: Int) { withState { $0.root = number } }

  /// Ends a command.
  ///
  /// - Returns: the number of the first action, if it was the last; nil: it was not.
  func leave(_ result: DispatchResult?) -> Int? {
    let (root, waiter) = withState { state -> (Int?, CountedSignal?) in
      state.open -= 1
      if let result { state.result = state.result ?? result }
      guard state.open == 0 else { return (nil, nil) }
      state.isAnswered = true
      return (state.root, state.waiter)
    }
    waiter?.signal()
    return root
  }

  /// Answers the caller before all is known.
  func answer(_ result: DispatchResult) {
    let waiter = withState { state in
      state.isAnswered = true
      state.result = state.result ?? result
      return state.waiter
    }
    waiter?.signal()
  }

  /// True if its caller is answered.
  var isAnswered: Bool { withState { $0.isAnswered } }

  /// Waits for the end of all.
  ///
  /// - Returns: false after a moment without it.
  func wait() -> Bool {
    let waiter = withState { state in
      if !state.isAnswered, state.waiter == nil { state.waiter = CountedSignal() }
      return state.isAnswered ? nil : state.waiter
    }
    return waiter?.wait(atMost: .milliseconds(50)) ?? true
  }

  /// The number of the first action, where it was committed as it came and all that it caused is done; nil: else.
  var doneNumber: Int? {
    withState { state in
      guard state.isAnswered, !state.isReplaced, state.stop == nil, state.faults.isEmpty, let result = state.result,
        case .done = result.outcome
      else { return nil }
      return result.number
    }
  }

  /// The result of the first action, or the reason why what it caused was stopped.
  var result: DispatchResult {
    withState { state in
      let result = state.result ?? .cancelled
      guard let stop = state.stop, case .done = result.outcome else { return result }
      return .stopped(stop, number: result.number)
    }
  }
}
