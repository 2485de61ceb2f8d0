extension Store {
  /// Takes one action through its phases (R3).
  ///
  /// - Returns: why its reducers failed, if they did.
  @inlinable
  func process(_ action: Action, _ source: ActionSource, number: Int, root: Int) -> (any Error)? {
    processing = number
    processingRoot = root
    defer { processing = 0 }
    let context = ActionContext(number: number, source: source, time: clock?.now ?? .zero, root: root)
    if !units.isEmpty { handle(action, context) }
    if let failure = reduce(action, context) { return failure }
    if !pendingIO.isEmpty { runIO(context) }
    if trace.isOn { trace.report(.done(number: number)) }
    return nil
  }

  /// Asks every middleware, in composition order, with the state before reducing (R4). A composition that is replaced
  /// meanwhile counts from the next action on.
  @inlinable
  func handle(_ action: Action, _ context: ActionContext) {
    for attached in units {
      if let io = attached.handler(action, context), !io.isNone { pendingIO.append(io) }
    }
  }

  /// Reduces, commits and notifies (R6, R7, R10, R11). The state before is kept only where somebody needs it.
  @inlinable
  func reduce(_ action: Action, _ context: ActionContext) -> (any Error)? {
    guard isObserved || reducer.canFail?(action) ?? false else {
      // Nobody looks at the state before, so the reducers have the only reference and change it in place.
      do {
        try change { state in try reducer.traced(action, &state, context, trace) }
      } catch {
        pendingIO.removeAll(keepingCapacity: true)
        return error
      }
      return nil
    }
    let before = current
    do {
      try change { state in try reducer.traced(action, &state, context, trace) }
    } catch {
      current = before
      pendingIO.removeAll(keepingCapacity: true)
      fail(action, context, before, error)
      return error
    }
    if isObserved { commit(action, context, before) }
    return nil
  }

  /// Hands out the state for change. Nobody may read it meanwhile.
  @inlinable
  func change(_ body: (inout State) throws -> Void) rethrows {
    isReducing = true
    defer { isReducing = false }
    try body(&current)
  }

  /// Tells everybody who looks at commits.
  @inlinable
  func commit(_ action: Action, _ context: ActionContext, _ before: State) {
    recorder?(ActionRecord(action: action, context: context, before: before, after: current, failure: nil))
    if trace.isOn {
      if areEqual?(before, current) ?? false {
        trace.report(.unchanged(number: context.number))
      } else {
        trace.report(.committed(number: context.number, before: before, after: current))
      }
    }
    if !watchers.isEmpty { notify(before, context) }
  }

  @usableFromInline
  func fail(_ action: Action, _ context: ActionContext, _ before: State, _ error: any Error) {
    recorder?(ActionRecord(action: action, context: context, before: before, after: before, failure: error))
    guard trace.isOn else { return }
    trace.report(.failed(number: context.number, reason: error))
    trace.report(.done(number: context.number))
  }

  /// Tells the watchers. One that is cancelled meanwhile is not told any more; one that is added meanwhile has got the
  /// value already.
  @inlinable
  func notify(_ before: State, _ context: ActionContext) {
    switch emission.decide {
    case .never: return
    case .always: break
    case .when(let predicate): guard predicate(before, current) else { return }
    }
    for watcher in watchers where watcher.isActive { watcher.tell(before, current, context) }
  }

  /// Runs the IO of one action, last-composed first (R9).
  @usableFromInline
  func runIO(_ context: ActionContext) {
    var closures: [IO<Action>] = []
    swap(&closures, &pendingIO)
    let number = context.number
    let handler = ActionHandler<Action> { [weak self] dispatched in
      var source = dispatched.source
      if source.cause == nil { source.cause = number }
      self?.dispatch(dispatched.action, source: source)
    }
    for io in closures.reversed() { io.run(handler) }
    closures.removeAll(keepingCapacity: true)
    // Gives the storage back for the next action.
    if pendingIO.isEmpty { swap(&closures, &pendingIO) }
  }
}
