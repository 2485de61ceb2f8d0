/// The way of actions in a store that takes its order from a shared log (R40). The store hands on each action that is dispatched, attempts
/// it on the last committed state, and commits it once the log has it (R41).
@usableFromInline
package final class SharedOrder<Action: Sendable, State: Sendable> {
  /// Takes the dispatched actions.
  @usableFromInline let outlet: (OutgoingAction<Action>) -> Void
  /// Gets what an attempt came to, with the states before and after it, which are shown for the length of the call.
  @usableFromInline package typealias Recorder = Composition<Action, State>.Recorder
  private let recorder: Recorder
  /// True while this process runs the effects that follow the state (R43).
  @exclusivity(unchecked) @usableFromInline var runsEffects = false
  /// True while an attempt is made; the next ones tell what it came to so far.
  @exclusivity(unchecked) @usableFromInline var isAttempting = false
  @exclusivity(unchecked) @usableFromInline var action: Action?
  @exclusivity(unchecked) @usableFromInline var exception: ActionRecord<Action, State>.Exception?
  @exclusivity(unchecked) @usableFromInline var io: [IO<Action>] = []
  @exclusivity(unchecked) @usableFromInline var outgoing: [OutgoingAction<Action>] = []
  /// True if somebody looks at the state behind each action at its commit. Else those behind it may be written over it.
  @exclusivity(unchecked) @usableFromInline var keepsStates = false
  /// The composition in which actions are attempted, made of the store's own.
  @exclusivity(unchecked) private var silent: (of: Composition<Action, State>, composition: Composition<Action, State>)?

  init(outlet: @escaping (OutgoingAction<Action>) -> Void, recorder: @escaping Recorder) {
    (self.outlet, self.recorder) = (outlet, recorder)
  }

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
    if isAttempting { self.outgoing.append(outgoing) } else { outlet(outgoing) }
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
    parts.recorder = recorder
    let composition = parts.composition(trace: store.trace, isIntercepted: !store.chain.isEmpty)
    silent = (present, composition)
    return composition
  }
}

/// An action on its way to a shared log.
@usableFromInline
package struct OutgoingAction<Action: Sendable> {
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
package struct ActionAttempt<Action: Sendable, State: Sendable> {
  /// The number, source and time that the action has if the log takes it now.
  @usableFromInline package let context: ActionContext
  /// The action that went on to the reducers; nil: an interceptor misbehaved before.
  @usableFromInline package let action: Action?
  /// What is to say of an action that was not applied as it came.
  @usableFromInline package let exception: ActionRecord<Action, State>.Exception?
  /// The state behind it, where somebody looks at that at the commit; nil: that of an attempt behind it will do.
  @usableFromInline package let state: State?
  /// What else it came to; nil: nothing.
  @usableFromInline let rest: Rest?

  /// What few attempts come to.
  @usableFromInline
  final class Rest {
    /// The error that keeps it from being committed.
    @usableFromInline let failure: (any Error)?
    @usableFromInline let io: [IO<Action>]
    @usableFromInline let outgoing: [OutgoingAction<Action>]
    @usableFromInline let trace: [TraceEvent]

    @usableFromInline
    init(_ failure: (any Error)?, _ io: [IO<Action>], _ outgoing: [OutgoingAction<Action>], _ trace: [TraceEvent]) {
      (self.failure, self.io, self.outgoing, self.trace) = (failure, io, outgoing, trace)
    }
  }

  @inlinable
  init(
    _ context: ActionContext, _ action: Action?, _ exception: ActionRecord<Action, State>.Exception?, _ state: State?,
    _ rest: Rest?
  ) {
    (self.context, self.action, self.exception, self.state, self.rest) = (context, action, exception, state, rest)
  }

  /// True if what it caused may come back to it: IO that runs, or actions that are on their way.
  @inlinable package var hasConsequences: Bool { state != nil || rest != nil }
}

/// The way of an action whose order a shared log decides. All of it is called by the thread that has the store. The caller's module
/// inlines what each action takes, since it knows the types.
extension Store {
  /// From now on hands on all that is dispatched, instead of having it processed.
  ///
  /// - Parameters:
  ///   - outlet: takes the actions.
  ///   - recorder: gets what attempts come to.
  package func share(
    outlet: @escaping (OutgoingAction<Action>) -> Void, recorder: @escaping SharedOrder<Action, State>.Recorder
  ) {
    exclusively {
      shared = SharedOrder(outlet: outlet, recorder: recorder)
      pauseSupervisedEffects()
    }
  }

  /// True if this thread holds the turn, and processes nothing.
  package var holdsTurn: Bool { ownership.isMine && isHeld }

  /// Takes an action through interceptors, middlewares and reducers. ``state`` is then their result.
  ///
  /// - Parameters:
  ///   - number: the number that it is to have.
  ///   - keepsState: true if somebody looks at the state behind it at its commit, also where it has no IO.
  @inlinable
  package func attempt(
    _ action: Action, source: ActionSource, number: Int, root: Int, at time: Duration, keepsState: Bool
  ) -> ActionAttempt<Action, State>? {
    guard let shared else { return nil }
    let context = ActionContext(number: number, source: source, time: time, root: root)
    let whole = shared.composition(in: self)
    // The table holds the part until the next action comes.
    let part = whole.isIntercepted ? nil : whole.kinds?._withUnsafeGuaranteedRef { $0.part(for: action) }
    let composition = part?._withUnsafeGuaranteedRef { $0 } ?? whole
    (shared.isAttempting, shared.keepsStates) = (true, keepsState)
    var failure: (any Error)?
    var events: [TraceEvent] = []
    if trace.isOn {
      events = trace.holdingBack {
        trace.enqueued(number, action, cause: source.cause)
        whileProcessing(context) { failure = process(action, context, composition) }
      }
    } else {
      whileProcessing(context) { failure = process(action, context, composition) }
    }
    shared.isAttempting = false
    let isPlain = failure == nil && events.isEmpty && shared.io.isEmpty && shared.outgoing.isEmpty
    let attempt = ActionAttempt(
      context, shared.action, shared.exception, keepsState || !shared.io.isEmpty ? current : nil,
      isPlain ? nil : ActionAttempt.Rest(failure, shared.io, shared.outgoing, events))
    (shared.action, shared.exception) = (nil, nil)
    if !isPlain { (shared.io, shared.outgoing) = ([], []) }
    return attempt
  }

  /// Has another state shown, such as the last committed one after attempts, and gives the present one. So neither has a second owner,
  /// for whom what is written would be copied.
  @inlinable
  package func exchange(_ state: inout State) { swap(&current, &state) }

  /// Takes note of what an attempt came to. Its recorder calls this: the compiler knows the types there.
  @inlinable
  package func noteAttempt(_ action: Action, _ exception: ActionRecord<Action, State>.Exception?) {
    guard let shared else { return }
    (shared.action, shared.exception) = (action, exception)
  }

  /// True if somebody looks at the state behind each action: watchers, effects that follow the state, traces.
  package var showsEachState: Bool {
    composition._withUnsafeGuaranteedRef { !$0.watchers.isEmpty || $0.supervises } || trace.isOn
  }

  /// Commits an attempt that the log has taken: recorder and watchers are told, IO runs.
  ///
  /// - Parameters:
  ///   - next: the state that is shown from now on; nil: the present one, which has what the attempt did.
  ///   - isAwaited: true if a caller is answered with the failure.
  ///   - notes: what units noted beside the state when it was attempted.
  ///   - onDone: is called once the action is done.
  @inlinable
  package func commit(
    _ attempt: ActionAttempt<Action, State>, reaching next: State?, isAwaited: Bool, notes: [() -> Void],
    _ onDone: (@Sendable (DispatchResult) -> Void)?
  ) -> DispatchResult {
    for event in attempt.rest?.trace ?? [] { trace.report(event) }
    whileProcessing(attempt.context) {
      for note in notes { note() }
      commit(attempt, reaching: next)
      if let io = attempt.rest?.io, !io.isEmpty {
        pendingIO = io
        runIO(attempt.context.number)
      }
      if composition._withUnsafeGuaranteedRef({ $0.supervises }) { reconcile(attempt.context) }
    }
    for outgoing in attempt.rest?.outgoing ?? [] { shared?.outlet(outgoing) }
    let failure = attempt.rest?.failure
    let result = DispatchResult(number: attempt.context.number, outcome: outcome(failure))
    guard let onDone else {
      if let failure, !isAwaited, !(failure is ActionDropped) { onLateError?(failure) }
      return result
    }
    jobRoot = attempt.context.root
    onDone(result)
    jobRoot = 0
    return result
  }

  @inlinable
  func commit(_ attempt: ActionAttempt<Action, State>, reaching next: State?) {
    guard let action = attempt.action else {
      if let next { current = next }
      return
    }
    let (context, exception) = (attempt.context, attempt.exception)
    guard let next else { return lendCurrent { tell(action, context, $0, $0, exception) } }
    let before = current
    current = next
    lendCurrent { tell(action, context, before, $0, exception) }
  }

  /// Takes over an action that another process has committed, if the reducers make of it here what they made there: recorder and
  /// watchers are told, effects follow the state.
  ///
  /// - Parameters:
  ///   - original: the action as it was dispatched, where an interceptor passed on another.
  ///   - verify: looks at the states before and after it.
  /// - Returns: the reason that `verify` gave why it is another action here, so that nothing has happened; nil: it gave none.
  /// - Throws: the error of the reducers; nothing has happened.
  @inlinable
  package func follow<Reason>(
    _ action: Action, _ context: ActionContext, original: Action?, verify: (_ before: State, _ after: State) -> Reason?
  ) throws -> Reason? {
    try composition._withUnsafeGuaranteedRef { whole in
      // The table holds the part until the next action comes.
      let part = whole.kinds?._withUnsafeGuaranteedRef { $0.part(for: action) }
      let composition = part?._withUnsafeGuaranteedRef { $0 } ?? whole
      let formers = composition.writesInPlace && !trace.isOn ? formers : nil
      defer { formers?.end(&current) }
      return try follow(
        action, context, composition, original: original, from: formers?.begin(&current) ?? current, verify: verify)
    }
  }

  /// The same with the state before, which nobody has any more when this returns.
  @inlinable
  func follow<Reason>(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, original: Action?,
    from present: consuming State, verify: (_ before: State, _ after: State) -> Reason?
  ) throws -> Reason? {
    let before = present
    do {
      isReducing = true
      defer { isReducing = false }
      try composition.reduce(action, &current, context, TracePoint.silent)
    } catch {
      current = before
      throw error
    }
    if let reason = lendCurrent({ verify(before, $0) }) {
      current = before
      return reason
    }
    follow(action, context, from: before, .of(original: original))
    return nil
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
    if let state { current = state }
    follow(action, context, from: before, .of(failure: failure, original: original, droppedBy: interceptor))
  }

  @inlinable
  func follow(
    _ action: Action, _ context: ActionContext, from before: State,
    _ exception: ActionRecord<Action, State>.Exception?
  ) {
    whileProcessing(context) {
      lendCurrent { tell(action, context, before, $0, exception) }
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

  /// Tells recorder and watchers of an action.
  @inlinable
  func tell(
    _ action: Action, _ context: ActionContext, _ before: State, _ after: State,
    _ exception: ActionRecord<Action, State>.Exception?
  ) {
    composition._withUnsafeGuaranteedRef { composition in
      composition.recorder?(action, context, before, after, exception)
      guard exception?.failure == nil, exception?.droppedBy == nil else { return }
      committed?.action = action
      notify(context, composition, before, after)
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
