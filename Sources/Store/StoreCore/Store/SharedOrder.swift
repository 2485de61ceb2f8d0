/// The way of actions in a store that takes its order from a shared log (R40). The store hands on each action that is dispatched, attempts
/// it on the last committed state, and commits it once the log has it (R41).
@usableFromInline
package final class SharedOrder<Action: Sendable, State: Sendable> {
  /// Takes the dispatched actions.
  @usableFromInline let outlet: (OutgoingAction<Action>) -> Void
  /// The attempt that is made at present.
  @usableFromInline var attempt: ActionAttempt<Action, State>?
  /// True while this process runs the effects that follow the state (R43).
  @usableFromInline var runsEffects = false
  /// The composition in which actions are attempted, made of the store's own.
  private var silent: (of: Composition<Action, State>, composition: Composition<Action, State>)?

  init(outlet: @escaping (OutgoingAction<Action>) -> Void) { self.outlet = outlet }

  /// The number of an action that has none yet.
  @usableFromInline static var noNumber: Int { 0 }

  /// Hands on an action that a unit or another thread brought.
  ///
  /// - Parameter emitted: the root that it counts for; 0: none.
  @usableFromInline
  func take(
    _ action: Action, _ source: ActionSource, emitted: Int, in store: Store<Action, State>,
    _ onDone: (@Sendable (DispatchResult) -> Void)?
  ) {
    var source = source
    if store.processing != 0, source.cause == nil { source.cause = store.processing }
    let root = store.processing != 0 ? store.processingRoot : emitted != 0 ? emitted : store.jobRoot
    let outgoing = OutgoingAction(action: action, source: source, root: root, onDone: onDone)
    if let attempt { attempt.outgoing.append(outgoing) } else { outlet(outgoing) }
  }

  /// Hands on an action without a caller that waits.
  @usableFromInline
  func take(_ action: Action, _ source: ActionSource, in store: Store<Action, State>) -> DispatchResult {
    take(action, source, emitted: 0, in: store, nil)
    return DispatchResult(number: nil, outcome: .queued)
  }

  /// The composition in which nothing that is done shows.
  @usableFromInline
  func composition(in store: Store<Action, State>) -> Composition<Action, State> {
    let present = store.composition.takeUnretainedValue()
    if let silent, silent.of === present { return silent.composition }
    var parts = store.parts
    parts.watchers = []
    parts.recorder = { [unowned self] action, context, before, after, exception in
      attempt?.record = ActionRecord(
        action: action, context: context, before: before, after: after, exception: exception)
    }
    let composition = parts.composition(trace: store.trace, isIntercepted: !store.chain.isEmpty)
    silent = (present, composition)
    return composition
  }
}

/// An action on its way to a shared log.
@usableFromInline
package struct OutgoingAction<Action: Sendable> {
  /// The action.
  package let action: Action
  /// The place that it comes from, with the action that caused it.
  package let source: ActionSource
  /// The number of the root that it counts for; 0: it is its own.
  package let root: Int
  /// Is called once it is done.
  package let onDone: (@Sendable (DispatchResult) -> Void)?
}

/// The outcome that interceptors, middlewares and reducers gave an action on the last committed state. Nothing of it shows until
/// ``Store/commit(_:_:)``.
@usableFromInline
package final class ActionAttempt<Action: Sendable, State: Sendable> {
  /// The number, source and time that the action has if the log takes it now.
  @usableFromInline package let context: ActionContext
  /// The record for the recorder at the commit; nil: an interceptor misbehaved before.
  @exclusivity(unchecked) @usableFromInline package internal(set) var record: ActionRecord<Action, State>?
  /// The error that keeps it from being committed.
  @exclusivity(unchecked) @usableFromInline var failure: (any Error)?
  @exclusivity(unchecked) @usableFromInline var io: [IO<Action>] = []
  @exclusivity(unchecked) @usableFromInline var outgoing: [OutgoingAction<Action>] = []
  @exclusivity(unchecked) @usableFromInline var trace: [TraceEvent] = []

  @inlinable
  init(_ context: ActionContext) { self.context = context }
}

/// The way of an action whose order a shared log decides. All of it is called by the thread that has the store. The caller's module
/// inlines what each action takes, since it knows the types.
extension Store {
  /// From now on hands on all that is dispatched, instead of having it processed.
  package func share(outlet: @escaping (OutgoingAction<Action>) -> Void) {
    exclusively {
      shared = SharedOrder(outlet: outlet)
      pauseSupervisedEffects()
    }
  }

  /// True if this thread holds the turn, and processes nothing.
  package var holdsTurn: Bool { ownership.isMine && isHeld }

  /// Takes an action through interceptors, middlewares and reducers. ``state`` is then their result.
  ///
  /// - Parameter number: the number that it is to have.
  @inlinable
  package func attempt(
    _ action: Action, source: ActionSource, number: Int, root: Int, at time: Duration
  ) -> ActionAttempt<Action, State>? {
    guard let shared else { return nil }
    let attempt = ActionAttempt<Action, State>(ActionContext(number: number, source: source, time: time, root: root))
    let composition = shared.composition(in: self)
    shared.attempt = attempt
    attempt.trace = trace.holdingBack {
      if trace.isOn { trace.enqueued(number, action, cause: source.cause) }
      whileProcessing(attempt.context) { attempt.failure = process(action, attempt.context, composition) }
    }
    shared.attempt = nil
    return attempt
  }

  /// Has a state shown: the last committed one, after attempts.
  @inlinable
  package func putBack(_ state: State) { current = state }

  /// Commits an attempt that the log has taken: recorder and watchers are told, IO runs.
  ///
  /// - Parameters:
  ///   - isAwaited: true if a caller is answered with the failure.
  ///   - notes: what units noted beside the state when it was attempted.
  ///   - onDone: is called once the action is done.
  @inlinable
  package func commit(
    _ attempt: ActionAttempt<Action, State>, isAwaited: Bool, notes: [() -> Void],
    _ onDone: (@Sendable (DispatchResult) -> Void)?
  ) -> DispatchResult {
    for event in attempt.trace { trace.report(event) }
    whileProcessing(attempt.context) {
      for note in notes { note() }
      if let record = attempt.record { tell(record) }
      pendingIO = attempt.io
      if !pendingIO.isEmpty { runIO(attempt.context.number) }
      if composition._withUnsafeGuaranteedRef({ $0.supervises }) { reconcile(attempt.context) }
    }
    for outgoing in attempt.outgoing { shared?.outlet(outgoing) }
    let result = DispatchResult(number: attempt.context.number, outcome: outcome(attempt.failure))
    guard let onDone else {
      if let failure = attempt.failure, !isAwaited, !(failure is ActionDropped) { onLateError?(failure) }
      return result
    }
    jobRoot = attempt.context.root
    onDone(result)
    jobRoot = 0
    return result
  }

  /// The state that the reducers make of an action of another process. Nothing of it shows.
  @inlinable
  package func reduced(_ action: Action, _ context: ActionContext) -> Result<State, any Error> {
    var state = current
    isReducing = true
    defer { isReducing = false }
    do {
      try composition._withUnsafeGuaranteedRef { try $0.reduce(action, &state, context, TracePoint.silent) }
      return .success(state)
    } catch {
      return .failure(error)
    }
  }

  /// Takes over an action that another process has committed: recorder and watchers are told, effects follow the state.
  ///
  /// - Parameters:
  ///   - state: the state after the action; nil: it changed nothing.
  ///   - failure: the error that it failed with there.
  ///   - original: the action as it was dispatched, where an interceptor passed on another.
  ///   - interceptor: the interceptor that dropped it.
  @inlinable
  package func follow(
    _ action: Action, _ context: ActionContext, to state: State?, failure: (any Error)?, original: Action?,
    droppedBy interceptor: String?
  ) {
    let before = current
    whileProcessing(context) {
      tell(
        ActionRecord(
          action: action, context: context, before: before, after: state ?? before,
          exception: .of(failure: failure, original: original, droppedBy: interceptor)))
      if composition._withUnsafeGuaranteedRef({ $0.supervises }) { reconcile(context) }
    }
  }

  /// Has the effects that follow the state run in this process, or ends them here (R43).
  package func setRunsEffects(_ runs: Bool) {
    exclusively {
      guard let shared, shared.runsEffects != runs else { return }
      shared.runsEffects = runs
      if runs { reconcileUnits() } else { pauseSupervisedEffects() }
    }
  }

  private func pauseSupervisedEffects() {
    for supervision in parts.supervising { supervision.pause() }
  }

  /// Tells recorder and watchers of an action, whose state is the present one from now on.
  @inlinable
  func tell(_ record: ActionRecord<Action, State>) {
    let isApplied = record.failure == nil && record.droppedBy == nil
    if isApplied { current = record.after }
    composition._withUnsafeGuaranteedRef { composition in
      composition.recorder?(record.action, record.context, record.before, record.after, record.exception)
      guard isApplied else { return }
      committed?.action = record.action
      notify(record.context, composition, record.before, record.after)
      committed?.action = nil
    }
  }

  /// Does something as the processing of an action.
  @inlinable
  func whileProcessing(_ context: ActionContext, _ work: () -> Void) {
    let (wasHeld, outer) = (isHeld, contextStorage)
    isHeld = false
    contextStorage = context.storage
    (processing, processingRoot) = (context.number, context.root)
    nextNumber = max(nextNumber, context.number + 1)
    holdsComposition = true
    work()
    holdsComposition = false
    (processing, processingRoot) = (0, 0)
    if keptCompositions.count > 1 { dropOldCompositions() }
    (isHeld, contextStorage) = (wasHeld, outer)
  }
}

extension DispatchResult {
  /// The result of an action that a shared log refused, or whose outcome is not known.
  package static func refused(_ error: any Error) -> DispatchResult {
    DispatchResult(number: nil, outcome: .failed(error))
  }

  /// The result of a question that a shared log has answered.
  package static var acknowledged: DispatchResult { DispatchResult(number: nil, outcome: .done) }

  /// The result of an action whose consequences were stopped.
  package static func stopped(_ error: StoreError, number: Int?) -> DispatchResult {
    DispatchResult(number: number, outcome: .stopped(error))
  }
}
