import DequeModule
import Dispatch

extension Store {
  /// Has an action processed, or enqueued where the store is busy.
  ///
  /// While the store is idle the action, and all that it causes, is processed before this returns. While the store is busy,
  /// on this thread or another, the action waits its turn and this returns at once. Actions that other threads bring
  /// meanwhile are processed here only as far as they stand before the last action that this one caused. The rest is
  /// handed on to a thread of the store's own (R2).
  ///
  /// - Returns: among others ``StoreError/queueFull(limit:)``, where the store is busy on another thread and its queue full.
  @inlinable
  @inline(__always)
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult {
    take(action) { $0.describe(file: file, function: function, line: line, info: info, &$1) }
  }

  /// Has an action with its source processed, or enqueued where the store is busy.
  @inlinable
  @discardableResult
  public func dispatch(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    dispatch(dispatched.action, source: dispatched.source)
  }

  /// Has an action from a known source processed, or enqueued where the store is busy.
  @inlinable
  @inline(__always)
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult {
    take(action) { (place, _) in place = source }
  }

  /// - Parameter describe: writes the source, with the origin that the latest actions had where it is the same; called only where a
  ///   unit may ask for it.
  @inlinable
  @inline(__always)
  func take(
    _ action: Action, _ describe: (inout ActionSource, inout ActionSource.RecentOrigins) -> Void
  ) -> DispatchResult {
    guard ownership.tryAcquire() || ownership.acquireSoon() else {
      if ownership.isMine, isHeld { return takeInTurn(action) { describe(&$0, &recentOrigins) } }
      var (source, origins) = (ActionSource.nowhere, ActionSource.RecentOrigins())
      describe(&source, &origins)
      return enqueue(action, source)
    }
    return takeOwned(action, describe)
  }

  /// Takes an action in a store that this thread has just come to own, and gives the store back.
  @inlinable
  @inline(__always)
  func takeOwned(
    _ action: Action, _ describe: (inout ActionSource, inout ActionSource.RecentOrigins) -> Void
  ) -> DispatchResult {
    let result: DispatchResult
    if isPlain, !ownership.hasIncoming {
      result = processPlainly(action)
    } else {
      if isShared, ownership.hasIncoming { serveOwnArrivals() }
      ActionContextStorage.refill(&contextStorage) { describe(&$0, &recentOrigins) }
      result = processFully(action)
    }
    leave()
    return result
  }

  /// Processes an action that nobody asks about: no middlewares, no watchers, no recorder, no trace.
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
    if isClosed { return .closed }
    if let shared { return shared.take(action, contextStorage.source, in: self) }
    if ownership.hasIncoming { acceptIncoming() }
    let number = nextNumber
    nextNumber = number + 1
    if trace.isOn { trace.enqueued(number, action, cause: contextStorage.source.cause) }
    guard queue.isEmpty else {
      let source = contextStorage.source
      push(QueuedAction(action: action, source: source, number: number, root: number))
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
    guard !ownership.isMine else {
      if isReducing { return DispatchResult(number: nil, outcome: .stopped(.busy)) }
      return isClosed ? .closed : DispatchResult(number: emit(action, source, root: 0), outcome: .queued)
    }
    let takesRoom = room != nil
    if takesRoom, let refusal = refusalForWantOfRoom() { return refusal }
    guard bring(action, source, root: 0, takesRoom: takesRoom) else { return .closed }
    return DispatchResult(number: nil, outcome: .queued)
  }

  /// Leaves an action for the thread that owns the store.
  ///
  /// - Returns: false where the store takes none any more.
  @usableFromInline
  func bring(_ action: Action, _ source: ActionSource, root: Int, takesRoom: Bool) -> Bool {
    steps?(.passes)
    guard ownership.bring(.action(action, source, root: root, since: trace.now, takesRoom: takesRoom)) else {
      if takesRoom { room?.leave() }
      return false
    }
    serveIncoming()
    return true
  }

  /// Enqueues what a unit emits, on whatever thread.
  ///
  /// - Parameters:
  ///   - cause: the action because of which it does so, where its source names none; 0: none.
  ///   - root: the root that it counts for while that root's drain is on (R30); 0: none.
  /// - Returns: its number; nil where it waits for the thread that owns the store, or the store is closed.
  @inlinable
  @discardableResult
  func emit(_ action: Action, _ source: consuming ActionSource, cause: Int = 0, root: Int) -> Int? {
    if cause != 0, source.cause == nil { source.cause = cause }
    guard ownership.isMine else {
      _ = bring(action, source, root: root, takesRoom: false)
      return nil
    }
    if isClosed { return nil }
    if ownership.hasIncoming { acceptIncoming() }
    let number = append(action, source, root: root)
    return number == SharedOrder<Action, State>.noNumber ? nil : number
  }

  /// Has an action processed behind what is queued, and waits until it is done: committed, failed or dropped. Actions
  /// that it caused may still wait in the queue. This never blocks the thread.
  @discardableResult
  public func dispatchAndWait(_ dispatched: DispatchedAction<Action>) async -> DispatchResult {
    await dispatchAndWait(dispatched, root: 0)
  }

  /// - Parameter root: the root that the action counts for while that root's drain is on (R30); 0: none.
  func dispatchAndWait(_ dispatched: DispatchedAction<Action>, root: Int) async -> DispatchResult {
    let takesRoom = room != nil && root == 0 && !ownership.isMine
    if takesRoom, let refusal = refusalForWantOfRoom() { return refusal }
    return await withCheckedContinuation { continuation in
      later(
        Job { [self] in
          _ = append(dispatched.action, dispatched.source, root: root, takesRoom: takesRoom) {
            continuation.resume(returning: $0)
          }
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

  /// Has an action processed behind what is queued, and blocks the thread until it is done: committed, failed or dropped. Actions
  /// that it caused may still wait in the queue.
  ///
  /// - Returns: among others ``StoreError/busy`` on the thread that processes actions, such as in a watcher or an effect: it would
  ///   wait for itself.
  @available(*, noasync, message: "await dispatchAndWait, which blocks no thread")
  @inlinable
  @discardableResult
  public func dispatchAndBlock(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    guard ownership.tryAcquire() else { return blockUntilDone(dispatched) }
    return takeOwned(dispatched.action) { (place, _) in place = dispatched.source }
  }

  /// Leaves an action for the thread that owns the store, and blocks this one until it is done.
  @usableFromInline
  func blockUntilDone(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    if ownership.isMine {
      guard isHeld else { return DispatchResult(number: nil, outcome: .stopped(.busy)) }
      return dispatch(dispatched)
    }
    let takesRoom = room != nil
    if takesRoom, let refusal = refusalForWantOfRoom() { return refusal }
    let answer = Lock<DispatchResult?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    later(
      Job { [self] in
        _ = append(dispatched.action, dispatched.source, takesRoom: takesRoom) { [self] result in
          answer.withLock { $0 = result }
          wake(isDone)
        }
      })
    wait(for: isDone)
    return answer.withLock { $0 } ?? .cancelled
  }

  /// Takes room for one action of a bounded queue.
  ///
  /// - Returns: what its caller is told where there is none.
  @usableFromInline
  func refusalForWantOfRoom() -> DispatchResult? {
    guard let room, !room.enter() else { return nil }
    return DispatchResult(number: nil, outcome: .stopped(.queueFull(limit: room.limit)))
  }
}

/// The result of a dispatch.
public struct DispatchResult: Sendable {
  /// The action's sequence number; nil while it waits in the queue of a store that is busy on another thread.
  public let number: Int?
  /// The outcome of the dispatch.
  public let outcome: Outcome

  @inlinable
  init(number: Int?, outcome: Outcome) {
    self.number = number
    self.outcome = outcome
  }

  /// The result for an action that is not processed, because nobody is left who would.
  package static var cancelled: DispatchResult { DispatchResult(number: nil, outcome: .stopped(.cancelled)) }

  /// The result for an action that comes when the program has closed its store.
  @usableFromInline package static var closed: DispatchResult {
    DispatchResult(number: nil, outcome: .stopped(.closed))
  }

  /// The ways in which a dispatch ends.
  public enum Outcome: Sendable {
    /// The action, and what it caused, was processed.
    case done
    /// The store is busy: the action waits behind what is already queued (R2).
    case queued
    /// A reducer failed: the state is as before, nobody was told, no IO ran (R7); what the queue held besides was
    /// processed.
    case failed(any Error)
    /// An interceptor took the action: nothing was reduced (R5).
    case dropped(by: String)
    /// Not all was done: the actions that it caused were stopped (R30), or an interceptor misbehaved (R5).
    indirect case stopped(StoreError)
  }

  /// Throws the error that the dispatch met, if any; to be dropped by an interceptor is none.
  public func get() throws {
    switch outcome {
    case .done, .queued, .dropped: return
    case .failed(let error): throw error
    case .stopped(let error): throw error
    }
  }
}
