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
    take(action) { ActionSource(file: file, function: function, line: line, info: info) }
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
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult { take(action) { source } }

  /// - Parameter source: made only where somebody may ask for it.
  @inlinable
  @inline(__always)
  func take(_ action: Action, _ source: () -> ActionSource) -> DispatchResult {
    guard ownership.tryAcquire() else { return enqueue(action, source()) }
    let result: DispatchResult
    if isPlain, !ownership.hasIncoming {
      result = processPlainly(action)
    } else {
      result = processFully(action, source())
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

  /// Takes an action, and what it caused, through all phases. The queue of an idle store is empty.
  @inlinable
  func processFully(_ action: Action, _ source: ActionSource) -> DispatchResult {
    if ownership.hasIncoming { acceptIncoming() }
    if parked != nil { return answerWhileParked(action, source) }
    let number = nextNumber
    nextNumber = number + 1
    if trace.isOn { trace.report(.enqueued(number: number, action: action, cause: source.cause)) }
    guard queue.isEmpty else {
      queue.append(.action(QueuedAction(action: action, source: source, number: number, root: number)))
      return finish(nil, of: number)
    }
    let failure = process(action, source, number: number, root: number)
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
      return DispatchResult(number: number, outcome: .stopped(stop))
    }
    return DispatchResult(number: number, outcome: outcome(failure))
  }

  private func outcome(_ failure: (any Error)?) -> DispatchResult.Outcome {
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
    guard ownership.isMine else {
      ownership.bring(.action(action, source))
      drainIncoming()
      return DispatchResult(number: nil, outcome: .queued)
    }
    if ownership.hasIncoming { acceptIncoming() }
    return DispatchResult(number: append(action, source), outcome: .queued)
  }

  /// Has an action processed behind what is queued, and waits until it is done: committed, failed or dropped. What it
  /// caused may still wait in the queue. This never blocks the thread.
  @discardableResult
  public func dispatchAndWait(_ dispatched: DispatchedAction<Action>) async -> DispatchResult {
    await withCheckedContinuation { continuation in
      later(
        Job { [self] in
          _ = append(dispatched.action, dispatched.source) { continuation.resume(returning: $0) }
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
  private func append(
    _ action: Action, _ source: ActionSource, onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) -> Int {
    let number = nextNumber
    nextNumber += 1
    var source = source
    if processing != 0, source.cause == nil { source.cause = processing }
    trace.report(.enqueued(number: number, action: action, cause: source.cause))
    let root = processing == 0 ? number : processingRoot
    queue.append(.action(QueuedAction(action: action, source: source, number: number, root: root, onDone: onDone)))
    return number
  }

  /// Processes the queue, and what other threads bring meanwhile, to its end.
  ///
  /// - Parameters:
  ///   - number: the action whose failure goes to `failure`; those of others go to the error handler.
  /// - Returns: why it stopped early, if it did; the rest of the queue is then gone.
  private func drainQueue(watching number: Int?, _ failure: inout (any Error)?) -> StoreError? {
    defer { guardrail.reset() }
    if ownership.hasIncoming { acceptIncoming() }
    while let next = queue.popFirst() {
      switch next {
      case .job(let job): job.run()
      case .action(let next):
        if parked != nil {
          holdWhileParked(next)
          continue
        }
        if next.root != next.number,
          !guardrail.admit(next.number, causedBy: next.source.cause ?? next.root, root: next.root)
        {
          return stop(before: next)
        }
        let error = process(next.action, next.source, number: next.number, root: next.root)
        next.onDone?(DispatchResult(number: next.number, outcome: outcome(error)))
        if let error, next.onDone == nil {
          if next.number == number { failure = error } else if !(error is ActionDropped) { onLateError?(error) }
        }
      }
      if ownership.hasIncoming { acceptIncoming() }
    }
    return nil
  }

  /// Drops the actions of the queue; the jobs in it are run, since threads wait for them.
  private func stop(before next: QueuedAction<Action>) -> StoreError {
    let dropped = queue
    queue.removeAll()
    let error = StoreError.runaway(
      limit: guardrail.limit, next: "\(next.action)", source: next.source,
      chain: guardrail.chain(from: next.source.cause ?? next.root))
    let stopped = [.action(next)] + dropped
    for entry in stopped {
      switch entry {
      case .job(let job): job.run()
      case .action(let action): action.onDone?(DispatchResult(number: action.number, outcome: .stopped(error)))
      }
    }
    return error
  }

  /// Moves what other threads brought into the queue.
  @usableFromInline
  func acceptIncoming() {
    // Not caused by what is processed at this moment.
    let (number, root) = (processing, processingRoot)
    processing = 0
    defer { (processing, processingRoot) = (number, root) }
    for entry in ownership.take() {
      switch entry {
      case .action(let action, let source): _ = append(action, source)
      case .job(let job): queue.append(.job(job))
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
  func drainOwned() {
    var failure: (any Error)?
    if let stop = drainQueue(watching: nil, &failure) { onLateError?(stop) }
  }

  /// Runs a job soon, on the thread that owns the store: at once where that is this one or nobody, else between two actions.
  @usableFromInline
  func later(_ job: Job) {
    if ownership.isMine { return job.run() }
    ownership.bring(.job(job))
    drainIncoming()
  }
}
