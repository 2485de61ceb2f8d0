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
        let error = process(next.action, number: next.number, root: next.root)
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
    defer { ownPending = 0 }
    var jobs = 0
    var others: [Queued<Action>] = []
    defer { for other in others { queue.append(other) } }
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
