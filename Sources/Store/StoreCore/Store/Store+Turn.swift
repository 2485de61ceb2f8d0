import Dispatch

/// The turn of a store that several parties share (R34). A single thread at a time holds it, and meanwhile has the
/// state, the units and all that belongs to the store for itself.
extension Store {
  /// Runs a closure while this thread holds the turn: at once where nobody does, else once whoever does has done its own part.
  /// Actions that the closure dispatches are processed before `dispatch` returns. Actions that came from others
  /// meanwhile are processed no sooner than that, and by somebody else.
  ///
  /// In a store that parties share the wait is for the action in progress and what that caused, however many others are queued.
  /// A thread that comes again at once waits for an action more of as many threads as have some queued. From the beginning of the
  /// closure to its end no action of another party is processed.
  ///
  /// Within the processing of an action, and within itself, the closure is simply run.
  @inlinable
  @inline(__always)
  package func turn<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    if ownership.tryAcquire() { beginTurn() } else { acquireTurn() }
    defer { endTurn() }
    return try body()
  }

  /// The same, where another thread that has the store may run the closure, while this one waits: for what is short, waits for
  /// nobody and gives the turn to nobody. The store then goes on at once, whenever this thread wakes up.
  @inlinable
  @inline(__always)
  package func turnAnywhere<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    if !ownership.tryAcquire() { return try waitToBeServed(body) }
    beginTurn()
    defer { endTurn() }
    return try body()
  }

  /// Begins a turn that takes no wait.
  ///
  /// - Returns: true if ``endTurn()`` is to end it, false if this thread holds the store already; nil: another thread has it.
  @inlinable
  @inline(__always)
  package func beginTurnAtOnce() -> Bool? {
    if ownership.isMine { return false }
    guard ownership.tryAcquire() else { return nil }
    beginTurn()
    return true
  }

  /// Processes what is left of this thread's own part, and gives the store back.
  @inlinable
  package func endTurn() {
    isHeld = false
    if ownPending > 0 || ownership.hasIncoming { drainOwned() }
    if !isDone { noteTurn(of: OwningThread.current) }
    leave()
  }

  /// Notes that a thread has had its turn while others wait.
  @usableFromInline
  func noteTurn(of thread: UInt) { turns.note(turnOf: thread, beside: arrivals.threads) }

  /// Gives the turn that this thread holds away while a closure runs, and has it again afterwards.
  package func withoutTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard ownership.isMine, isHeld else { return try body() }
    endTurn()
    defer { acquireTurn() }
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

  /// Does what processes actions in the turn that this thread holds.
  @inlinable
  func busily<Result>(_ work: () -> Result) -> Result {
    isHeld = false
    defer { isHeld = true }
    return work()
  }

  /// Waits until the turn is this thread's.
  @usableFromInline
  func acquireTurn() {
    if !ownership.tryAcquire() {
      let waiter = TurnWaiter()
      guard hasToWait(waiter) else { return beginTurn() }
      waiter.wait()
      ownership.takeOver()
    }
    beginTurn()
  }

  /// Begins the turn of the thread that owns the store, behind what it brought before.
  @inlinable
  func beginTurn() {
    if isShared, ownership.hasIncoming { serveOwnArrivals() }
    isHeld = true
  }

  /// Leaves a waiter for the thread that owns the store.
  ///
  /// - Returns: false if this thread has the store now.
  private func hasToWait(_ waiter: TurnWaiter) -> Bool {
    ownership.bring(.turn(waiter))
    guard ownership.tryAcquire() else { return true }
    // Whoever was here has left without seeing it: nobody else can have taken it.
    acceptIncoming()
    turns.remove(waiter)
    return false
  }

  /// Waits until another thread has run a closure in the turn, or runs it if the turn is this thread's before.
  @usableFromInline
  func waitToBeServed<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withoutActuallyEscaping(body) { body in
      var result: Swift.Result<Result, any Error>?
      let waiter = TurnWaiter { result = Swift.Result { try body() } }
      let isWaiting = hasToWait(waiter)
      if isWaiting { waiter.wait() }
      if !waiter.isServed {
        if isWaiting { ownership.takeOver() }
        beginTurn()
        waiter.serve()
        endTurn()
      }
      guard let result else { preconditionFailure("the closure has run") }
      return try result.get()
    }
  }

  /// Runs what a thread waits for, in its turn. What that left behind is done before the thread goes on.
  func serve(_ waiter: TurnWaiter) {
    isHeld = true
    waiter.serve()
    isHeld = false
    noteTurn(of: waiter.thread)
    if ownPending > 0 {
      drainStart = firstQueued
      if let stop = drain(self) { onLateError?(stop) }
    }
    waiter.wake()
  }

  /// Gives the store, which this thread owns, to the first thread that waits for its turn, or to the one that the source of order
  /// chooses; false: none does.
  func giveTurn(where isMeant: (TurnWaiter) -> Bool = { _ in true }) -> Bool {
    guard
      let waiter = turns.take(
        behind: arrivals.taken, arrivalsWait: !arrivals.isEmpty, order, where: isMeant)
    else { return false }
    give(to: waiter)
    return true
  }

  /// Gives the store, which this thread owns, to a thread that waits for its turn.
  func give(to waiter: TurnWaiter) {
    ownPending = 0
    ownership.handOn()
    waiter.wake()
  }

  /// Waits until all that threads have brought so far is taken. Others get their turns in between.
  package func settle() {
    let last = turn {
      if ownership.hasIncoming { acceptIncoming() }
      return arrivals.taken + arrivals.count
    }
    while turn({ arrivals.taken < last }) {}
  }

  // MARK: The end

  /// Ends the store: takes what was brought so far with all that it causes, refuses all actions from then on, and runs a closure in
  /// the turn. An action of another thread is either enqueued before that, or refused with ``StoreError/closed``. A second call
  /// only runs its closure.
  ///
  /// - Returns: false where this thread processes an action: the store then closes, and runs the closure, once that is done and
  ///   what was brought before.
  package func close(_ end: @escaping () -> Void) -> Bool {
    if ownership.isMine, !isHeld {
      ownership.shut()
      acceptIncoming()
      let job = Job { [self] in
        refuseAll()
        end()
      }
      if isShared { arrivals.append(.job(job), from: OwningThread.current) } else { push(job) }
      return false
    }
    turn {
      ownership.shut()
      busily {
        acceptIncoming()
        // What it brings from now on are jobs, which may come for ever.
        var count = arrivals.count
        while count > 0 {
          serveArrival()
          count -= 1
        }
        drainPresent()
        ownPending = 0
      }
      refuseAll()
      end()
    }
    return true
  }

  /// Refuses all actions, those of the thread that owns the store too.
  private func refuseAll() {
    isClosed = true
    isPlain = false
  }
}
