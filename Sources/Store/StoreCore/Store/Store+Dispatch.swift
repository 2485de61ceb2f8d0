import DequeModule
import Synchronization

extension Store {
  /// Has an action processed, or enqueued where the store is busy.
  ///
  /// While the store is idle the action, and all that it causes, is processed before this returns. While the store is busy,
  /// on this thread or another, the action waits its turn and this returns at once (R2).
  @inlinable
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult {
    take(action) { $0.describe(file: file, function: function, line: line, info: info) }
  }

  /// Has an action with its source processed, or enqueued where the store is busy.
  @inlinable
  @discardableResult
  public func dispatch(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    dispatch(dispatched.action, source: dispatched.source)
  }

  /// Has an action from a known source processed, or enqueued where the store is busy.
  @inlinable
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult { take(action) { $0 = source } }

  /// - Parameter describe: writes the source; called only where somebody may ask for it.
  @inlinable
  @inline(__always)
  func take(_ action: Action, _ describe: (inout ActionSource) -> Void) -> DispatchResult {
    guard ownership.tryAcquire() else {
      var source = ActionSource.nowhere
      describe(&source)
      return enqueue(action, source)
    }
    let result: DispatchResult
    if isPlain, !ownership.hasIncoming {
      result = processPlainly(action)
    } else {
      // Written where units and watchers will read it: a source is too large to be handed on from call to call.
      ActionContextStorage.refill(&contextStorage, describe)
      result = processFully(action)
    }
    ownership.release()
    if ownership.hasIncoming { drainIncoming() }
    return result
  }

  /// Processes an action of which nobody wants to know anything: no middlewares, no watchers, no recorder, no trace.
  @inlinable
  func processPlainly(_ action: Action) -> DispatchResult {
    let number = nextNumber
    nextNumber = number + 1
    processing = number
    processingRoot = number
    isReducing = true
    composition._withUnsafeGuaranteedRef { $0.reducePlainly(action, &current) }
    isReducing = false
    processing = 0
    if keptCompositions.count > 1 { dropOldCompositions() }
    guard queue.isEmpty else { return finish(nil, of: number) }
    return DispatchResult(number: number, outcome: .done)
  }

  /// Takes an action, whose source is in the storage of the context, and what it caused, through all phases. The queue of an
  /// idle store is empty.
  @inlinable
  func processFully(_ action: Action) -> DispatchResult {
    if ownership.hasIncoming { acceptIncoming() }
    if parked != nil { return answerWhileParked(action, contextStorage.source) }
    let number = nextNumber
    nextNumber = number + 1
    if trace.isOn { trace.enqueued(number, action, cause: contextStorage.source.cause) }
    guard queue.isEmpty else {
      let source = contextStorage.source
      queue.append(.action(QueuedAction(action: action, source: source, number: number, root: number)))
      return finish(nil, of: number)
    }
    let failure = process(action, number: number, root: number)
    guard failure != nil || !queue.isEmpty || ownership.hasIncoming else {
      return DispatchResult(number: number, outcome: .done)
    }
    return finish(failure, of: number)
  }

  /// Processes what is queued, and gives the outcome of one action.
  @usableFromInline
  func finish(_ failure: (any Error)?, of number: Int) -> DispatchResult {
    var failure = failure
    if let stop = drainQueue(watching: number, &failure) {
      // The result has room for one of the two.
      if let failure, !(failure is ActionDropped) { onLateError?(failure) }
      return DispatchResult(number: number, outcome: .stopped(stop))
    }
    return DispatchResult(number: number, outcome: outcome(failure))
  }

  @usableFromInline
  func outcome(_ failure: (any Error)?) -> DispatchResult.Outcome {
    switch failure {
    case nil: .done
    case let dropped as ActionDropped: .dropped(by: dropped.interceptor)
    case let error as StoreError: .stopped(error)
    case let error?: .failed(error)
    }
  }

  /// Enqueues an action of a store that is busy.
  @usableFromInline
  func enqueue(_ action: Action, _ source: ActionSource) -> DispatchResult {
    if ownership.isMine, let refusal = chain.build?.refuseDispatch() {
      return DispatchResult(number: nil, outcome: .stopped(refusal))
    }
    return DispatchResult(number: emit(action, source, root: 0), outcome: .queued)
  }

  /// Enqueues what a unit emits, on whatever thread.
  ///
  /// - Parameters:
  ///   - cause: the action because of which it does so, where its source names none; 0: none.
  ///   - root: what it counts for while that root's drain is on (R30); 0: nothing.
  /// - Returns: its number; nil where it waits for the thread that owns the store.
  @inlinable
  @discardableResult
  func emit(_ action: Action, _ source: consuming ActionSource, cause: Int = 0, root: Int) -> Int? {
    if cause != 0, source.cause == nil { source.cause = cause }
    guard ownership.isMine else {
      ownership.bring(.action(action, source, root: root, since: trace.now))
      drainIncoming()
      return nil
    }
    if ownership.hasIncoming { acceptIncoming() }
    return append(action, source, root: root)
  }

  /// Has an action processed behind what is queued, and waits until it is done: committed, failed or dropped. What it
  /// caused may still wait in the queue. This never blocks the thread.
  @discardableResult
  public func dispatchAndWait(_ dispatched: DispatchedAction<Action>) async -> DispatchResult {
    await dispatchAndWait(dispatched, root: 0)
  }

  /// - Parameter root: what the action counts for while that root's drain is on (R30); 0: nothing.
  func dispatchAndWait(_ dispatched: DispatchedAction<Action>, root: Int) async -> DispatchResult {
    await withCheckedContinuation { continuation in
      later(
        Job { [self] in
          _ = append(dispatched.action, dispatched.source, root: root) { continuation.resume(returning: $0) }
        })
    }
  }

  /// Has an action processed behind what is queued, and waits until it is done.
  @discardableResult
  public func dispatchAndWait(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) async -> DispatchResult {
    let source = ActionSource.here(info: info, file: file, function: function, line: line)
    return await dispatchAndWait(DispatchedAction(action, source: source))
  }

  /// Appends an action to the queue, with its number and, where it is dispatched while another is processed, its cause.
  @inlinable
  func append(
    _ action: Action, _ source: consuming ActionSource, root emitted: Int = 0, since: Duration? = nil,
    onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) -> Int {
    let number = nextNumber
    let root: Int
    if processing != 0 {
      root = processingRoot
    } else if emitted >= drainStart, emitted != 0 {
      root = emitted
    } else {
      root = jobRoot == 0 ? number : jobRoot
    }
    // What the runaway guard would not let through takes no room; who waits is answered.
    if queue.count > guardrail.limit, root != number, onDone == nil, !guardrail.mayEnqueue(root: root) { return number }
    nextNumber += 1
    if processing != 0, source.cause == nil { source.cause = processing }
    if trace.isOn { trace.enqueued(number, action, cause: source.cause, since: since) }
    queue.append(.action(QueuedAction(action: action, source: source, number: number, root: root, onDone: onDone)))
    return number
  }

  /// Processes the queue, and what other threads bring meanwhile, to its end.
  ///
  /// - Parameters:
  ///   - number: the action whose failure goes to `failure`; those of others go to the error handler.
  /// - Returns: why it stopped early, if it did; the rest of the queue is then gone.
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
    defer { guardrail.reset() }
    while let next = queue.popFirst() {
      switch next {
      case .job(let job): run(job)
      case .action(let next):
        if parked != nil {
          holdWhileParked(next)
          continue
        }
        if next.root != next.number, let error = refusal(of: next) { return stop(before: next, error) }
        contextStorage = next.storage
        let error = process(next.action, number: next.number, root: next.root)
        if let onDone = next.onDone {
          // Who waits goes on as a job, and what it enqueues counts for the same root.
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

  /// Why the drain ends before an action that another one caused; nil: it does not.
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

  /// Drops the actions of the queue, and what the jobs in it add; those are run, since threads wait for them. The next action
  /// has the number that the first of them would have had: no number is nobody's.
  @usableFromInline
  func stop(before next: QueuedAction<Action>, _ error: StoreError) -> StoreError {
    trace.end(.queue, number: next.number)
    next.onDone?(DispatchResult(number: next.number, outcome: .stopped(error)))
    var jobs = 0
    var numbers: Set = [next.number]
    while let dropped = queue.popFirst() {
      switch dropped {
      case .action(let action):
        numbers.insert(action.number)
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
  @usableFromInline
  func acceptIncoming() {
    // What an emission enqueues takes its place here; what came after it must not overtake it. And it may read the state,
    // which nobody may while it is reduced.
    guard !isAccepting, !isReducing else { return }
    isAccepting = true
    // Not caused by what is processed at this moment.
    let outer = (processing, processingRoot, jobRoot)
    (processing, jobRoot) = (0, 0)
    defer {
      (processing, processingRoot, jobRoot) = outer
      isAccepting = false
    }
    for entry in ownership.take() {
      switch entry {
      case .action(let action, let source, let root, let since):
        _ = append(action, source, root: root, since: since)
      case .job(let job): queue.append(.job(job))
      case .emission(let job): job.run()
      }
    }
  }

  /// Processes what other threads brought while the store was busy, unless somebody else does.
  @usableFromInline
  func drainIncoming() {
    while ownership.hasIncoming, ownership.tryAcquire() {
      drainOwned()
      ownership.release()
    }
  }

  /// Processes the queue where no caller waits for an outcome.
  @usableFromInline
  func drainOwned() {
    var failure: (any Error)?
    if let stop = drainQueue(watching: nil, &failure) { onLateError?(stop) }
  }

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
    ownership.bring(.job(job))
    drainIncoming()
  }

  /// Runs a job that only enqueues, on the thread that owns the store: at once where that is this one, else where the queue
  /// stands now.
  @inlinable
  func perform(_ job: Job) {
    if isReady() { return job.run() }
    ownership.bring(.emission(job))
    drainIncoming()
  }

  /// Whether this thread owns the store. What other threads emitted before then comes before what it does next.
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
        return drainIncoming()
      }
      if ownership.hasIncoming {
        queue.append(.job(job))
        drainOwned()
      } else {
        runFirst(job)
      }
      ownership.release()
      return drainIncoming()
    }
    // What other threads brought is not looked at here: this may be called while a task is being cancelled.
    var job = job
    job.root = processing == 0 ? jobRoot : processingRoot
    queue.append(.job(job))
  }
}
