import DequeModule

extension Store {
  /// Appends an action to the queue, with its number and, where it is dispatched while another is processed, its cause.
  @inlinable
  func append(
    _ action: Action, _ source: consuming ActionSource, root emitted: Int = 0, since: Duration? = nil,
    takesRoom: Bool = false, onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) -> Int {
    let number = nextNumber
    if isClosed {
      if takesRoom { room?.leave() }
      onDone?(.closed)
      return number
    }
    if let shared {
      if takesRoom { room?.leave() }
      shared.take(action, source, emitted: emitted, in: self, onDone)
      return SharedOrder<Action, State>.noNumber
    }
    let root: Int
    if processing != 0 {
      root = processingRoot
    } else if emitted >= drainStart, emitted != 0 {
      root = emitted
    } else {
      root = jobRoot == 0 ? number : jobRoot
    }
    // Actions that the runaway guard would not let through take no room; a caller that waits is answered.
    if queue.count > guardrail.limit, root != number, onDone == nil, !guardrail.mayEnqueue(root: root) {
      if takesRoom { room?.leave() }
      return number
    }
    nextNumber += 1
    if processing != 0, source.cause == nil { source.cause = processing }
    if trace.isOn { trace.enqueued(number, action, cause: source.cause, since: since) }
    push(
      QueuedAction(
        action: action, source: source, number: number, root: root, takesRoom: takesRoom, onDone: onDone))
    return number
  }

  /// Puts an action at the end of the queue.
  @inlinable
  func push(_ action: consuming QueuedAction<Action>) {
    action.isOwn = !isServingOthers
    if action.isOwn { ownPending += 1 }
    queue.append(.action(action))
  }

  /// Puts a job at the end of the queue.
  @inlinable
  func push(_ job: consuming Job) {
    job.isOwn = !isServingOthers
    if job.isOwn { ownPending += 1 }
    queue.append(.job(job))
  }

  /// Puts a job at the head of the queue. Whoever owns the store stays for it: a thread waits, and not for long.
  @usableFromInline
  func pushAhead(_ job: Job) {
    var job = job
    (job.isOwn, job.isVisit) = (true, true)
    ownPending += 1
    queue.prepend(.job(job))
  }

  /// Notes whether an entry that was taken from the queue is one that this thread stays for.
  @inlinable
  @inline(__always)
  func noteTaken(isOwn: Bool, isVisit: Bool = false) {
    if isOwn || isServingAll { ownPending -= 1 }
    isServingOthers = isServingAll || isVisit || !isOwn
  }

  /// Processes the queue as far as this thread stays for it: to the last action that its own one caused (R2).
  ///
  /// - Parameters:
  ///   - number: the action whose failure goes to `failure`; those of others go to the error handler.
  /// - Returns: the reason if it stopped early; the rest of the queue is then gone. Else the rest is to be handed on.
  @inlinable
  func drainQueue(watching number: Int?, _ failure: inout (any Error)?) -> StoreError? {
    // The watched action, if any, is the first of this drain.
    drainStart = number ?? firstQueued
    if ownership.hasIncoming { acceptIncoming() }
    return drainRest(watching: number, &failure)
  }

  /// Goes on with a drain that has begun.
  @inlinable
  func drainRest(watching number: Int?, _ failure: inout (any Error)?) -> StoreError? {
    defer {
      isServingOthers = false
      if queue.isEmpty { guardrail.reset() }
    }
    while ownPending > 0 {
      guard let next = queue.popFirst() else { return nil }
      switch next {
      case .job(let job):
        noteTaken(isOwn: job.isOwn, isVisit: job.isVisit)
        run(job)
        // Lest those who come and go for ever hold this thread.
        if job.isVisit { continue }
      case .action(let next):
        noteTaken(isOwn: next.isOwn)
        if next.takesRoom { room?.leave() }
        if next.root != next.number, let error = refusal(of: next) { return stop(before: next, error) }
        contextStorage = next.storage
        let error =
          renewal == nil
          ? process(next.action, number: next.number, root: next.root)
          : processRenewed(next.action, number: next.number, root: next.root)
        if let onDone = next.onDone {
          // A waiter goes on as a job, and its actions count for the same root.
          jobRoot = next.root
          onDone(DispatchResult(number: next.number, outcome: outcome(error)))
          jobRoot = 0
        }
        if let error, next.onDone == nil {
          if next.number == number { failure = error } else if !(error is ActionDropped) { onLateError?(error) }
        }
      }
      if ownership.hasIncoming { acceptIncoming() }
    }
    return nil
  }

  /// Processes an action of the queue as it is made by now.
  @inlinable
  @inline(never)
  func processRenewed(_ action: Action, number: Int, root: Int) -> (any Error)? {
    process(renewal?(action) ?? action, number: number, root: root)
  }

  /// The number of the first action in the queue, or of the next one.
  @usableFromInline var firstQueued: Int {
    for case .action(let action) in queue { return action.number }
    return nextNumber
  }

  /// Runs a job; what it enqueues counts for the root that the job does.
  @inlinable
  func run(_ job: Job) {
    jobRoot = job.root
    job.run()
    jobRoot = 0
  }

  /// The reason why the drain ends before an action that another one caused; nil: it does not.
  @usableFromInline
  func refusal(of next: QueuedAction<Action>) -> StoreError? {
    if let isInterrupted, isInterrupted() { return .interrupted(next: "\(next.action)", source: next.storage.source) }
    let cause = next.storage.source.cause ?? next.root
    guard !guardrail.admit(next.number, causedBy: cause, root: next.root) else { return nil }
    // Lest they go on for ever.
    cancelEffects(root: next.root, all: false)
    return .runaway(
      limit: guardrail.limit, next: "\(next.action)", source: next.storage.source, chain: guardrail.chain(from: cause))
  }

  /// Drops the actions of the queue that count for the same root, and what the jobs in it add that do; those are run, since threads
  /// wait for them. What others brought stays. The next action has the number that the first of them would have had where nobody
  /// has a later one: no number is nobody's.
  @usableFromInline
  func stop(before next: QueuedAction<Action>, _ error: StoreError) -> StoreError {
    trace.end(.queue, number: next.number)
    next.onDone?(DispatchResult(number: next.number, outcome: .stopped(error)))
    var jobs = 0
    var others: [Queued<Action>] = []
    defer {
      for other in others { queue.append(other) }
      countPending()
    }
    var numbers: Set = [next.number]
    while let dropped = queue.popFirst() {
      switch dropped {
      case _ where dropped.root != next.root: others.append(dropped)
      case .action(let action):
        numbers.insert(action.number)
        if action.takesRoom { room?.leave() }
        trace.end(.queue, number: action.number)
        action.onDone?(DispatchResult(number: action.number, outcome: .stopped(error)))
      case .job(let job):
        jobs += 1
        if jobs == max(guardrail.limit, 1000) { cancelEffects(root: next.root, all: true) }
        run(job)
      }
    }
    while numbers.contains(nextNumber - 1) { nextNumber -= 1 }
    return error
  }

  /// Counts what the thread that owns the store stays for: with too few it would leave an action of its own in the queue.
  func countPending() { ownPending = queue.count { $0.isOwn } }

  /// Moves what other threads brought into the queue.
  @inlinable
  func acceptIncoming() {
    // Actions that an emission enqueues take their place here; later ones must not overtake them. And it may read the
    // state, which nobody may while it is reduced.
    guard !isAccepting, !isReducing else { return }
    isAccepting = true
    // Not caused by what is processed at this moment.
    let outer = (processing, processingRoot, jobRoot, isServingOthers)
    (processing, jobRoot) = (0, 0)
    defer {
      (processing, processingRoot, jobRoot, isServingOthers) = outer
      isAccepting = false
    }
    let thread = OwningThread.current
    let entries = ownership.take()
    for (entry, bringer) in order == nil ? entries : ordered(entries) {
      isServingOthers = isServingAll || bringer != thread
      switch entry {
      case .turn(let waiter): turns.append(waiter, behind: arrivals.place(ofLastBy: bringer))
      case .visit(let job): pushAhead(job)
      case _ where isShared: arrivals.append(entry, from: bringer)
      default: admit(entry)
      }
    }
  }

  /// Puts what a thread brought into the queue.
  @usableFromInline
  func admit(_ entry: Incoming<Action>) {
    switch entry {
    case .action(let action, let source, let root, let since, let takesRoom):
      _ = append(action, source, root: root, since: since, takesRoom: takesRoom)
    case .job(let job): push(job)
    case .emission(let job): job.run()
    case .turn, .visit: break
    }
  }

  /// What several threads brought, in the order that the source of order chooses: each thread's own order stays.
  @usableFromInline
  func ordered(
    _ entries: [(entry: Incoming<Action>, thread: UInt)]
  ) -> [(entry: Incoming<Action>, thread: UInt)] {
    guard let order, entries.count > 1 else { return entries }
    var rest = entries
    var chosen: [(entry: Incoming<Action>, thread: UInt)] = []
    while !rest.isEmpty {
      var threads: [UInt] = []
      for entry in rest where !threads.contains(entry.thread) { threads.append(entry.thread) }
      let thread = threads[order.chosen(among: threads.count)]
      if let index = rest.firstIndex(where: { $0.thread == thread }) { chosen.append(rest.remove(at: index)) }
    }
    return chosen
  }

  /// Processes the queue where no caller waits for an outcome.
  @usableFromInline
  func drainOwned() {
    drainStart = firstQueued
    if ownership.hasIncoming { acceptIncoming() }
    if let stop = drain(self) { onLateError?(stop) }
    if !arrivals.isEmpty { serveOwnArrivals() }
  }

  /// Takes what this thread brought to a store that parties share, and what stands before it: what it does next comes behind.
  @usableFromInline
  func serveOwnArrivals() {
    if ownership.hasIncoming { acceptIncoming() }
    let last = arrivals.place(ofLastBy: OwningThread.current)
    while arrivals.taken < last { serveArrival() }
  }

  /// Takes the next of what threads brought to a store that parties share, with all that it causes.
  func serveArrival() {
    guard let entry = arrivals.popFirst() else { return }
    turns.noteArrival()
    drainStart = nextNumber
    admit(entry)
    if let stop = drain(self) { onLateError?(stop) }
  }
}

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
    defer {
      processing = 0
      holdsComposition = false
      if keptCompositions.count > 1 { dropOldCompositions() }
    }
    // Unmanaged: the storage is changed, and replaced, between two actions only.
    return Unmanaged.passUnretained(contextStorage)._withUnsafeGuaranteedRef { storage in
      (storage.number, storage.root) = (number, root)
      if let time = clock?.now { storage.time = time }
      return composition._withUnsafeGuaranteedRef { whole in
        guard let kinds = whole.kinds, !whole.isIntercepted else {
          return process(action, ActionContext(storage), whole)
        }
        return kinds._withUnsafeGuaranteedRef { $0.part(for: action) }._withUnsafeGuaranteedRef {
          process(action, ActionContext(storage), $0)
        }
      }
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
    let formers = composition.writesInPlace && !(shared?.keepsStates ?? false) && !trace.isOn ? formers : nil
    let failure = reduce(action, context, composition, from: formers?.begin(&current) ?? current)
    formers?.end(&current)
    return failure
  }

  /// The same with the state before.
  @inlinable
  @inline(__always)
  func reduce(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, from present: consuming State
  ) -> (any Error)? {
    let before = present
    do {
      try change(action, context, composition)
      // Compared, not taken out: that would be counted.
      if composition.check != nil { try lendCurrent { try composition.check?(action, before, $0) } }
    } catch {
      current = before
      pendingIO.removeAll(keepingCapacity: true)
      fail(action, context, composition, before, error)
      return error
    }
    if composition.isObserved { commit(action, context, composition, before) }
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

  /// Tells all who look at commits.
  @inlinable
  func commit(_ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State) {
    lendCurrent { after in
      composition.recorder?(
        action, context, before, after, composition.isIntercepted ? .of(original: originalOfPassage(action)) : nil)
      tell(action, context, composition, before, after)
    }
  }

  /// Hands out the state while nobody writes it, such as during a commit, where what else is dispatched waits in the queue.
  @inlinable
  @inline(__always)
  func lendCurrent<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    // Taken out and put back, since a copy would be counted. Those who read the store's own meanwhile find the same there.
    try withUnsafeMutablePointer(to: &current) { place in
      let state = place.move()
      defer { place.initialize(to: state) }
      return try body(state)
    }
  }

  /// Tells traces and watchers.
  @inlinable
  @inline(__always)
  func tell(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State,
    _ after: State
  ) {
    if trace.isReporting { traceCommit(context.number, before, after) }
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
  func traceCommit(_ number: Int, _ before: State, _ after: State) {
    if areEqual?(before, after) ?? false {
      trace.report(.unchanged(number: number))
    } else {
      trace.report(.committed(number: number, before: before, after: after))
    }
  }

  @usableFromInline
  func fail(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>, _ before: State,
    _ error: any Error
  ) {
    composition.recorder?(
      action, context, before, before,
      .of(failure: error, original: composition.isIntercepted ? originalOfPassage(action) : nil))
    if trace.isOn { trace.report(.failed(number: context.number, reason: error)) }
  }

  /// Enqueues what units emit because of an action.
  @inlinable
  func output(of number: Int, root: Int) -> ActionHandler<Action> { owner.output(of: number, root: root) }

  /// Runs the IO of one action, last-composed first (R9).
  @inlinable
  func runIO(_ number: Int) {
    if let shared, shared.isAttempting {
      shared.io += pendingIO
      return pendingIO.removeAll(keepingCapacity: true)
    }
    var closures: [IO<Action>] = []
    swap(&closures, &pendingIO)
    let handler = output(of: number, root: processingRoot)
    while let last = closures.popLast() { last.run(handler) }
    // Gives the storage back for the next action.
    if pendingIO.isEmpty { swap(&closures, &pendingIO) }
  }
}

extension Store {
  /// Runs a job of a store that was idle, and what it enqueues.
  @inlinable
  func runFirst(_ job: Job) {
    drainStart = nextNumber
    run(job)
    if ownership.hasIncoming { acceptIncoming() }
    guard !queue.isEmpty else { return }
    var failure: (any Error)?
    if let stop = drainRest(watching: nil, &failure) { onLateError?(stop) }
  }

  /// Runs a job soon, on the thread that owns the store: at once where that is this one or nobody, else between two actions.
  @usableFromInline
  func later(_ job: Job) {
    if ownership.isMine { return job.run() }
    steps?(.passes)
    ownership.bring(.job(job))
    serveIncoming()
  }

  /// Runs a job that only enqueues, on the thread that owns the store. At once if that is this thread, else at the
  /// present end of the queue.
  @inlinable
  func perform(_ job: Job) {
    isReady() ? job.run() : bring(emission: job)
  }

  /// Leaves a job that only enqueues for the thread that owns the store.
  @inlinable
  func bring(emission job: Job) {
    ownership.bring(.emission(job))
    serveIncoming()
  }

  /// True if this thread owns the store. What other threads brought before is then accepted: it is in the queue, or, where parties
  /// share the store, waits there for its turn.
  @inlinable
  func isReady() -> Bool {
    guard ownership.isMine else { return false }
    if ownership.hasIncoming { acceptIncoming() }
    return true
  }

  /// Runs a job between two actions, behind what is queued; before this returns where the store is idle.
  @inlinable
  func enqueue(_ job: Job) {
    guard ownership.isMine else {
      guard ownership.tryAcquire() else {
        ownership.bring(.job(job))
        return serveIncoming()
      }
      if ownership.hasIncoming, isShared { serveOwnArrivals() }
      if ownership.hasIncoming, !isShared {
        acceptIncoming()
        push(job)
        drainOwned()
      } else {
        runFirst(job)
      }
      return leave()
    }
    if isHeld { return busily { runFirst(job) } }
    // Entries from other threads are not looked at here: this may be called while a task is being cancelled.
    var job = job
    job.root = processing == 0 ? jobRoot : processingRoot
    push(job)
  }
}
