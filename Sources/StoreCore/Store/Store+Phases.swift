extension Store {
  /// Takes one action through its phases (R3).
  ///
  /// - Returns: why its reducers failed, if they did.
  @inlinable
  func process(_ queued: QueuedAction<Action>) -> (any Error)? {
    let outer = processing
    processing = queued
    defer { processing = outer }
    let context = ActionContext(
      number: queued.number, source: queued.source, time: clock?.now ?? .zero, root: queued.root, trace: trace)
    if !units.isEmpty { handle(queued.action, context) }
    if let failure = reduce(queued.action, context) { return failure }
    if !pendingIO.isEmpty { runIO(context) }
    if trace.isOn { trace.report(.done(number: context.number)) }
    return nil
  }

  /// Asks every middleware, in composition order, with the state before reducing (R4).
  @inlinable
  func handle(_ action: Action, _ context: ActionContext) {
    for index in units.indices {
      if let io = units[index].handler(action, context), !io.isNone { pendingIO.append(io) }
    }
  }

  /// Reduces, commits and notifies (R6, R7, R10, R11). The state before is kept only where somebody needs it.
  @inlinable
  func reduce(_ action: Action, _ context: ActionContext) -> (any Error)? {
    let mayFail = reducer.canFail(action)
    guard mayFail || recorder != nil || trace.isOn || !watchers.isEmpty else {
      // Nobody looks at the state before, so the reducers have the only reference and change it in place.
      try? reducer.run(action, &current, context)
      return nil
    }
    let before = current
    do {
      try reducer.run(action, &current, context)
    } catch {
      current = before
      pendingIO.removeAll(keepingCapacity: true)
      fail(action, context, before, error)
      return error
    }
    recorder?(ActionRecord(action: action, context: context, before: before, after: current, failure: nil))
    if trace.isOn {
      if areEqual?(before, current) ?? false {
        trace.report(.unchanged(number: context.number))
      } else {
        trace.report(.committed(number: context.number, before: before, after: current))
      }
    }
    if !watchers.isEmpty { notify(before, context) }
    return nil
  }

  @usableFromInline
  func fail(_ action: Action, _ context: ActionContext, _ before: State, _ error: any Error) {
    recorder?(ActionRecord(action: action, context: context, before: before, after: before, failure: error))
    guard trace.isOn else { return }
    trace.report(.failed(number: context.number, reason: error))
    trace.report(.done(number: context.number))
  }

  @usableFromInline
  func notify(_ before: State, _ context: ActionContext) {
    switch emission.decide {
    case .never: return
    case .always: break
    case .when(let predicate): guard predicate(before, current) else { return }
    }
    // A copy of the list: a watcher may cancel itself or others, or register new ones, while it is told.
    for watcher in watchers where watchers.contains(where: { $0.id == watcher.id }) {
      watcher.tell(current, context)
    }
  }

  /// Runs the IO of one action, last-composed first (R9).
  @usableFromInline
  func runIO(_ context: ActionContext) {
    var closures: [IO<Action>] = []
    swap(&closures, &pendingIO)
    let handler = ActionHandler<Action> { [weak self] dispatched in
      var source = dispatched.source
      if source.cause == nil { source.cause = context.number }
      self?.dispatch(dispatched.action, source: source)
    }
    for io in closures.reversed() { io.run(handler) }
    closures.removeAll(keepingCapacity: true)
    // Gives the storage back for the next action.
    if pendingIO.isEmpty { swap(&closures, &pendingIO) }
  }
}
