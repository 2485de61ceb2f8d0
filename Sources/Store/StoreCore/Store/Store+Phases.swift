// The functions of the phases are inlined. Otherwise many calls lie between a dispatch and the Swift code that a Lua
// reducer calls back. The processor then forgets the outer return addresses. Each of those costs as much as a hundred
// instructions.
extension Store {
  /// Takes one action, whose source is in the storage of the context, through its phases (R3).
  ///
  /// - Returns: the error of its reducers, if they failed, or another that kept it from being committed.
  @inlinable
  func process(_ action: Action, number: Int, root: Int) -> (any Error)? {
    processing = number
    processingRoot = root
    holdsComposition = true
    contextStorage.number = number
    contextStorage.root = root
    if let clock { contextStorage.time = clock.now }
    defer {
      processing = 0
      holdsComposition = false
      if keptCompositions.count > 1 { dropOldCompositions() }
    }
    // Unmanaged: the storage is changed, and replaced, between two actions only.
    return Unmanaged.passUnretained(contextStorage)._withUnsafeGuaranteedRef { storage in
      composition._withUnsafeGuaranteedRef { process(action, ActionContext(storage), $0) }
    }
  }

  // A function of its own, because closures of an object that is an argument are called without reference counting.
  @inlinable
  @inline(never)
  func process(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>
  ) -> (any Error)? {
    let failure =
      composition.isIntercepted ? intercept(action, context, composition) : run(action, context, composition)
    if trace.isOn { trace.done(context.number) }
    return failure
  }

  /// Takes what passed the interceptors through the other phases.
  @inlinable
  @inline(__always)
  func run(_ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>) -> (any Error)? {
    // All of them see the state before reducing (R4).
    if composition.hasMiddleware { composition.handle(action, context, &pendingIO) }
    if let failure = reduce(action, context, composition) { return failure }
    if !pendingIO.isEmpty { runIO(context.number) }
    if composition.supervises { reconcile(context) }
    return nil
  }

  /// Reduces, commits and notifies (R6, R7, R10, R11). The state before is kept only where somebody needs it.
  @inlinable
  @inline(__always)
  func reduce(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>
  ) -> (any Error)? {
    guard composition.isObserved || composition.canFail?(action) ?? false else {
      // Nobody looks at the state before, so the reducers have the only reference and change it in place.
      do {
        try change(action, context, composition)
      } catch {
        pendingIO.removeAll(keepingCapacity: true)
        return error
      }
      return nil
    }
    let before = current
    do {
      try change(action, context, composition)
    } catch {
      current = before
      pendingIO.removeAll(keepingCapacity: true)
      fail(action, context, composition, before, error)
      return error
    }
    if composition.isObserved { commit(action, context, composition, consume before) }
    return nil
  }

  /// Runs the reducers. Nobody may read the state meanwhile.
  @inlinable
  @inline(__always)
  func change(_ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>) throws {
    isReducing = true
    defer { isReducing = false }
    if composition.hasPlain, !trace.isOn {
      composition.reducePlainly(action, &current)
    } else {
      try composition.reduce(action, &current, context, trace)
    }
  }

  /// Tells everybody who looks at commits.
  @inlinable
  func commit(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: consuming State
  ) {
    guard let recorder = composition.recorder else {
      return commit(action, context, composition, before, current)
    }
    // The record has the only copies, for all who look at them.
    let record = ActionRecord(
      action: action, context: context, before: before, after: current, failure: nil,
      original: composition.isIntercepted ? originalOfPassage(action) : nil)
    recorder(record)
    commit(action, context, composition, record.before, record.after)
  }

  /// Tells traces and watchers.
  @inlinable
  @inline(__always)
  func commit(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State,
    _ after: State
  ) {
    if trace.isReporting { traceCommit(context.number, before) }
    committed?.action = action
    notify(context, composition, before, after)
    committed?.action = nil
  }

  /// Tells watchers, where the emission policy lets it through.
  @inlinable
  @inline(__always)
  func notify(
    _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State, _ after: State
  ) {
    guard !composition.watchers.isEmpty, composition.emits?(before, after) ?? true else { return }
    // A watcher that is added meanwhile has got the value already.
    for index in composition.watchers.indices {
      composition.watchers[index]._withUnsafeGuaranteedRef { $0.notify(before, after, context) }
    }
  }

  @usableFromInline
  func traceCommit(_ number: Int, _ before: State) {
    if areEqual?(before, current) ?? false {
      trace.report(.unchanged(number: number))
    } else {
      trace.report(.committed(number: number, before: before, after: current))
    }
  }

  @usableFromInline
  func fail(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State,
    _ error: any Error
  ) {
    composition.recorder?(
      ActionRecord(
        action: action, context: context, before: before, after: before, failure: error,
        original: composition.isIntercepted ? originalOfPassage(action) : nil))
    if trace.isOn { trace.report(.failed(number: context.number, reason: error)) }
  }

  /// Enqueues what units emit because of an action.
  @inlinable
  func output(of number: Int, root: Int) -> ActionHandler<Action> {
    // By way of the owner, whose weak reference is there already: to make one takes as long as a small unit.
    ActionHandler { [owner] dispatched in
      owner.withStore { _ = $0.emit(dispatched.action, dispatched.source, cause: number, root: root) }
    }
  }

  /// Runs the IO of one action, last-composed first (R9).
  @inlinable
  func runIO(_ number: Int) {
    var closures: [IO<Action>] = []
    swap(&closures, &pendingIO)
    let handler = output(of: number, root: processingRoot)
    for index in closures.indices.reversed() { closures[index].run(handler) }
    closures.removeAll(keepingCapacity: true)
    // Gives the storage back for the next action.
    if pendingIO.isEmpty { swap(&closures, &pendingIO) }
  }
}
