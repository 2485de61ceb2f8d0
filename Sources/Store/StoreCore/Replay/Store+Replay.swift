extension Store {
  /// Runs recorded actions through the reducers only, all or nothing (R27): no interceptor, middleware or IO sees them, and
  /// they are not recorded anew. Watchers are told once, at the end; supervised effects then follow the new state. The next
  /// action's number follows the last one here.
  ///
  /// - Parameters:
  ///   - actions: the recorded actions.
  ///   - state: the state to start from; nil: the present one.
  ///   - number: the number of the last action before them, which led to that state.
  ///   - reconciling: true if supervised effects follow the new state at once, and not with ``reconcileEffects()`` or
  ///     the next action.
  /// - Throws: ``ReplayError`` where a reducer fails, ``StoreError/parked``, ``StoreError/busy`` within the processing of an
  ///   action; the store is then as before.
  public func replay(
    _ actions: some Collection<ReplayedAction<Action>>, from state: State? = nil, after number: Int = 0,
    reconciling: Bool = true
  ) throws {
    try exclusively {
      if parked != nil { throw StoreError.parked }
      if holdsComposition || isReducing { throw StoreError.busy }
      isReducing = true
      let result = Result { try parts.reducer.replay(actions, from: state ?? current) }
      isReducing = false
      let before = current
      current = try result.get()
      let last = actions.map(\.context).max { $0.number < $1.number }
      let context = last ?? ActionContext(number: number, source: .here(), time: .zero, root: number)
      nextNumber = max(nextNumber, context.number + 1)
      // A watcher may have the composition replaced.
      holdsComposition = true
      composition._withUnsafeGuaranteedRef { notify(context, $0, before, current) }
      holdsComposition = false
      dropOldCompositions()
      if reconciling { reconcileUnits() }
    }
  }

  /// Shows an earlier state, read-only (R27): reads give it, dispatching is refused, what effects emit waits for the return
  /// to the present. Watchers are not told. Pause the clock where effects should stand still meanwhile. Within the processing
  /// of an action this is done behind what is queued.
  public func park(at state: State) {
    betweenActions { store in
      if store.parked == nil { store.parked = ParkedStore(present: store.current) }
      store.current = state
      store.isPlain = false
    }
  }

  /// Returns to the present, and processes what effects emitted meanwhile.
  public func unpark() {
    betweenActions { store in
      guard let parked = store.parked else { return }
      store.parked = nil
      store.current = parked.present
      store.recompose()
      store.reconcileUnits()
      for action in parked.held { store.push(action) }
    }
  }

  /// Does something to the store that would change the state under an action in progress: behind what is queued.
  private func betweenActions(_ body: @escaping (Store) -> Void) {
    exclusively {
      guard holdsComposition || isReducing else { return body(self) }
      if ownership.hasIncoming { acceptIncoming() }
      push(Job { [unowned self] in body(self) })
    }
  }

  /// The state after the last action, whether or not an earlier one is shown.
  public var present: State { visit { parked?.present ?? current } }

  /// True while an earlier state is shown.
  public var isParked: Bool { visit { parked != nil } }

  /// Answers a dispatch while the store is parked: what a unit emitted is kept for later.
  @usableFromInline
  func answerWhileParked(_ action: Action, _ source: ActionSource) -> DispatchResult {
    guard isEmitted(source) else { return DispatchResult(number: nil, outcome: .stopped(.parked)) }
    let number = nextNumber
    nextNumber += 1
    if trace.isOn { trace.enqueued(number, action, cause: source.cause) }
    parked?.held.append(QueuedAction(action: action, source: source, number: number, root: number))
    return DispatchResult(number: number, outcome: .queued)
  }

  /// True if a unit emitted it: because of an action, or from an effect that no action started.
  private func isEmitted(_ source: ActionSource) -> Bool { source.cause != nil || source.kind == .effect }

  /// Keeps an action that was taken from the queue while the store is parked, if a unit emitted it.
  @usableFromInline
  func holdWhileParked(_ queued: QueuedAction<Action>) {
    if isEmitted(queued.source) {
      parked?.held.append(queued)
    } else if let onDone = queued.onDone {
      onDone(DispatchResult(number: queued.number, outcome: .stopped(.parked)))
    } else {
      onLateError?(StoreError.parked)
    }
  }
}

/// The contents of a store that are kept while it shows an earlier state.
@usableFromInline
struct ParkedStore<Action: Sendable, State> {
  /// The state that it returns to.
  let present: State
  /// The actions that effects emitted, to be processed then.
  var held: [QueuedAction<Action>] = []
}
