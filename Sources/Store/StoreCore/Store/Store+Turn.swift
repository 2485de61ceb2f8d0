import Dispatch

/// The turn of a store that several parties share (R34). A single thread at a time holds it, and meanwhile has the
/// state, the units and all that belongs to the store for itself.
extension Store {
  /// Runs a closure while this thread holds the turn: at once where nobody does, else once whoever does has done its own part.
  /// Actions that the closure dispatches are processed before `dispatch` returns. Actions that came from others
  /// meanwhile are processed no sooner than that, and by somebody else.
  ///
  /// Within the processing of an action, and within itself, the closure is simply run.
  @inlinable
  @inline(__always)
  package func turn<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    if !ownership.tryAcquire() { waitForTurn() }
    isHeld = true
    defer { endTurn() }
    return try body()
  }

  /// Processes what is left of this thread's own part, and gives the store back.
  @inlinable
  func endTurn() {
    isHeld = false
    if ownPending > 0 || ownership.hasIncoming { drainOwned() }
    leave()
  }

  /// Gives the turn that this thread holds away while a closure runs, and has it again afterwards.
  package func withoutTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard ownership.isMine, isHeld else { return try body() }
    endTurn()
    defer {
      if !ownership.tryAcquire() { waitForTurn() }
      isHeld = true
    }
    return try body()
  }

  /// True if this thread has the store, holding the turn or processing an action.
  @inlinable package var isMine: Bool { ownership.isMine }

  /// The root that the present action counts for (R30); 0: none is processed.
  package var currentRoot: Int { processing == 0 ? jobRoot : processingRoot }

  /// The action that caused the present one; nil: none did, or none is processed.
  package var currentCause: Int? { processing == 0 ? nil : contextStorage.source.cause }

  /// Processes an action that the holder of the turn dispatches. The caller's module inlines this, since it knows the types.
  @inlinable
  func takeInTurn(_ action: Action, _ describe: (inout ActionSource) -> Void) -> DispatchResult {
    busily {
      ActionContextStorage.refill(&contextStorage, describe)
      return processFully(action)
    }
  }

  /// Processes what others brought so far, for a thread that holds the turn and is about to make an action from the state: the
  /// action then meets the state that it was made from; see ``dispatchNext(_:source:)``.
  package func catchUp() {
    guard ownership.isMine, isHeld else { return }
    if ownership.hasIncoming { acceptIncoming() }
    guard !queue.isEmpty else { return }
    busily {
      // What comes meanwhile waits: else it might never end.
      isAccepting = true
      drainPresent()
      isAccepting = false
      ownPending = 0
    }
  }

  /// Processes an action of the holder of the turn before all that others bring from now on.
  package func dispatchNext(_ action: Action, source: ActionSource) -> DispatchResult {
    guard ownership.isMine, isHeld, queue.isEmpty else { return dispatch(action, source: source) }
    return busily {
      ActionContextStorage.refill(&contextStorage) { $0 = source }
      let number = nextNumber
      nextNumber = number + 1
      if trace.isOn { trace.enqueued(number, action, cause: source.cause) }
      return finish(process(action, number: number, root: number), of: number)
    }
  }

  /// Does what processes actions in the turn that this thread holds.
  @inlinable
  func busily<Result>(_ work: () -> Result) -> Result {
    isHeld = false
    defer { isHeld = true }
    return work()
  }

  /// Waits until the store is this thread's.
  @usableFromInline
  func waitForTurn() {
    let waiter = TurnWaiter()
    ownership.bring(.turn(waiter))
    if ownership.tryAcquire() {
      // Whoever was here has left without seeing it: nobody else can have taken it.
      acceptIncoming()
      return turns.remove(waiter)
    }
    waiter.wait()
    ownership.takeOver()
  }

  /// Gives the store, which this thread owns, to the first thread that waits for its turn, or to the one that the source of order
  /// chooses; false: none does.
  func giveTurn() -> Bool {
    guard !turns.isEmpty else { return false }
    let waiter = turns.take(order?.chosen(among: turns.count) ?? 0)
    ownPending = 0
    ownership.handOn()
    waiter.wake()
    return true
  }
}
