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
    dispatch(action, source: ActionSource(file: file, function: function, line: line, info: info))
  }

  /// Has an action from a known source processed, or enqueued where the store is busy.
  @inlinable
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult {
    if ownership.tryAcquire() {
      if ownership.hasIncoming.load(ordering: .relaxed) { acceptIncoming() }
      let queued = number(action, source)
      let result: DispatchResult
      if queue.isEmpty {
        result = finish(process(queued), of: queued)
      } else {
        queue.append(queued)
        result = DispatchResult(number: queued.number, outcome: drain(untilDone: queued.number))
      }
      ownership.release()
      if ownership.hasIncoming.load(ordering: .sequentiallyConsistent) { drainIncoming() }
      return result
    }
    if ownership.isMine {
      if ownership.hasIncoming.load(ordering: .relaxed) { acceptIncoming() }
      let queued = number(action, source)
      queue.append(queued)
      return DispatchResult(number: queued.number, outcome: .queued)
    }
    ownership.bring(.action(action, source))
    drainIncoming()
    return DispatchResult(number: nil, outcome: .queued)
  }

  /// Has an action with its source processed, or enqueued where the store is busy.
  @inlinable
  @discardableResult
  public func dispatch(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    dispatch(dispatched.action, source: dispatched.source)
  }

  /// Gives an action its number and, where it is dispatched while another is processed, its cause.
  @inlinable
  func number(_ action: Action, _ source: ActionSource) -> QueuedAction<Action> {
    let number = nextNumber
    nextNumber += 1
    guard let cause = processing, source.cause == nil || source.cause == cause.number else {
      if trace.isOn { trace.report(.enqueued(number: number, action: action, cause: source.cause)) }
      return QueuedAction(action: action, source: source, number: number, root: number)
    }
    var source = source
    source.cause = cause.number
    guardrail.note(number, causedBy: cause.number, root: cause.root)
    if trace.isOn { trace.report(.enqueued(number: number, action: action, cause: cause.number)) }
    return QueuedAction(action: action, source: source, number: number, root: cause.root)
  }

  /// Processes what the first action of a drain caused, and gives the outcome of that first action.
  @inlinable
  func finish(_ failure: (any Error)?, of first: QueuedAction<Action>) -> DispatchResult {
    var stop: StoreError?
    if !queue.isEmpty { stop = drainQueue() }
    guardrail.reset()
    if let stop { return DispatchResult(number: first.number, outcome: .stopped(stop)) }
    if let failure { return DispatchResult(number: first.number, outcome: .failed(failure)) }
    return DispatchResult(number: first.number, outcome: .done)
  }

  /// Processes the queue to its end, watching for one action's outcome.
  @usableFromInline
  func drain(untilDone number: Int) -> DispatchResult.Outcome {
    var outcome = DispatchResult.Outcome.done
    let stop = drainQueue { done, failure in
      if done == number, let failure { outcome = .failed(failure) }
    }
    guardrail.reset()
    return stop.map { .stopped($0) } ?? outcome
  }

  /// Processes the queue to its end.
  ///
  /// - Returns: why it stopped early, if it did; the rest of the queue is then gone.
  @usableFromInline
  func drainQueue(_ onDone: (Int, (any Error)?) -> Void = { _, _ in }) -> StoreError? {
    while let next = queue.popFirst() {
      if next.root != next.number, guardrail.isExceeded(by: next.root) {
        queue.removeAll()
        return .runaway(
          limit: guardrail.limit, next: "\(next.action)", source: next.source, chain: guardrail.chain(of: next.number))
      }
      onDone(next.number, process(next))
      if ownership.hasIncoming.load(ordering: .relaxed) { acceptIncoming() }
    }
    return nil
  }

  /// Moves what other threads brought into the queue.
  @usableFromInline
  func acceptIncoming() {
    let cause = processing
    processing = nil
    defer { processing = cause }
    for entry in ownership.take() {
      switch entry {
      case .action(let action, let source): queue.append(number(action, source))
      case .job(let job): job.run()
      }
    }
  }

  /// Processes what other threads brought while the store was busy, unless somebody else does.
  @usableFromInline
  func drainIncoming() {
    while ownership.hasIncoming.load(ordering: .sequentiallyConsistent), ownership.tryAcquire() {
      acceptIncoming()
      if let stop = drainQueue() { onLateError?(stop) }
      guardrail.reset()
      ownership.release()
    }
  }
}
