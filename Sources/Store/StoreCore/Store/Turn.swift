import DequeModule
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
  @inlinable
  package func withoutTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard ownership.isMine, isHeld else { return try body() }
    endTurn()
    defer { acquireTurn() }
    return try body()
  }

  /// True if this thread has the store, holding the turn or processing an action.
  @inlinable package var isMine: Bool { ownership.isMine }

  /// The number of the present action; 0: none is processed.
  package var currentAction: Int { processing }

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

  /// Has an action from a known source processed by the thread that holds the turn.
  ///
  /// - Parameter statement: the first action of the statement that asks for it; nil: the source tells.
  @inlinable
  @inline(__always)
  package func dispatchInTurn(_ action: Action, source: ActionSource, askedFor statement: Int?) -> DispatchResult {
    // Not held: it is dispatched while another is processed.
    isHeld
      ? takeInTurn(action) { $0.become(source, askedFor: statement) }
      : dispatch(action, source: source.asked(for: statement))
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
      bring(waiter)
      if isFree(for: waiter) { return beginTurn() }
      wait(for: waiter.turn)
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
  private func bring(_ waiter: TurnWaiter) {
    steps?(.passes)
    ownership.bring(.turn(waiter))
    steps?(.passes)
  }

  /// Waits until another thread signals.
  @usableFromInline
  func wait(for signal: DispatchSemaphore) {
    steps?(.waits(signal))
    signal.wait()
    steps?(.isAwake)
  }

  /// Has a thread go on that waits for a signal.
  @usableFromInline
  func wake(_ signal: DispatchSemaphore) {
    steps?(.wakes(signal))
    signal.signal()
  }

  /// Takes the store, if it is free, for a waiter that this thread has left for the owner.
  private func isFree(for waiter: TurnWaiter) -> Bool {
    guard ownership.tryAcquire() else { return false }
    // The owner has left without seeing the waiter, or after serving it. It would have given the store to no other.
    acceptIncoming()
    turns.remove(waiter)
    return true
  }

  /// Waits until another thread has run a closure in the turn, or runs it if the turn is this thread's before.
  @usableFromInline
  func waitToBeServed<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withoutActuallyEscaping(body) { body in
      var result: Swift.Result<Result, any Error>?
      let waiter = TurnWaiter { result = Swift.Result { try body() } }
      bring(waiter)
      awaitService(of: waiter)
      guard let result else { preconditionFailure("the closure has run") }
      return try result.get()
    }
  }

  /// Waits until the closure of a waiter has run, which this thread has left for the owner.
  func awaitService(of waiter: TurnWaiter) {
    let hasStore = isFree(for: waiter)
    if !hasStore { wait(for: waiter.turn) }
    if !waiter.isServed {
      if !hasStore { ownership.takeOver() }
      beginTurn()
      waiter.serve()
      endTurn()
    } else if hasStore {
      // The owner was quicker: the store is given back at once, with what this thread has accepted for others.
      endTurn()
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
    wake(waiter.turn)
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
    countPending()
    ownership.handOn()
    wake(waiter.turn)
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

  /// Refuses the actions that threads bring from now on; the thread that has the store may still take its own. ``close(_:)`` then
  /// waits for no others than those that are here.
  package func refuseIncoming() { ownership.shut() }

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
        dropWatchers()
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
      dropWatchers()
    }
    return true
  }

  /// Refuses all actions, those of the thread that owns the store too.
  private func refuseAll() {
    isClosed = true
    isPlain = false
  }

  /// Lets go of the watchers, as nothing changes any more: streams of states end.
  private func dropWatchers() {
    parts.watchers = []
    recompose()
  }
}

extension Store {
  /// True if nothing is queued, and nobody waits for a turn.
  @inlinable var isDone: Bool { queue.isEmpty && turns.isEmpty && arrivals.isEmpty }

  /// Gives the store back. Actions that others brought meanwhile are theirs to wait for: they are handed on (R2).
  @inlinable
  @inline(__always)
  func leave() {
    guard isDone else { return handOn() }
    ownership.release()
    if ownership.hasIncoming { serveIncoming() }
  }

  /// Processes what this thread brought while the store was busy, unless somebody else does, and what stands before it.
  /// Others' that came too late for this thread's look is handed on.
  @usableFromInline
  func serveIncoming() {
    steps?(.passes)
    guard ownership.hasIncoming, ownership.tryAcquire() else { return }
    drainOwned()
    steps?(.passes)
    guard isDone else { return handOn() }
    ownership.release()
    steps?(.passes)
    if ownership.hasIncoming, ownership.tryAcquire() { handOn() }
  }

  /// Hands the store, which this thread owns, to a thread that waits for its turn, else to the worker thread. The first
  /// time makes the worker. If the system has no thread to give, this one goes on.
  @usableFromInline
  func handOn() {
    // Threads whose visits came with the last look wait for this one.
    if ownPending > 0 {
      drainStart = firstQueued
      if let stop = drain(self) { onLateError?(stop) }
    }
    let hasMore = !arrivals.isEmpty || !queue.isEmpty && isShared
    // To have the worker serve a thread keeps the store from standing still until that is awake.
    if giveTurn(where: { !hasMore || !$0.canBeServed }) { return }
    if worker == nil { worker = try? DrainWorker() }
    guard let worker else { return drainToEnd() }
    // From here on the store is another thread's. The job keeps it, and its keeper, until the queue is empty.
    let keeper = owner.findKeeper?()
    ownership.handOn()
    steps?(.hands)
    worker.hand { [self] in
      steps?(.begins)
      ownership.takeOver()
      withExtendedLifetime(keeper) { drainToEnd() }
      steps?(.ends)
    }
  }

  /// Makes the worker thread, so that the first hand-over does not have to.
  package func startWorker() {
    exclusively { if worker == nil { worker = try? DrainWorker() } }
  }

  /// Processes everything, whoever brought it, and gives the store back; or gives it to a thread that waits for its turn.
  private func drainToEnd() {
    repeat {
      while ownership.hasIncoming || !isDone {
        if isShared {
          if drainTurn() { return }
        } else {
          isServingAll = true
          drainRound()
          isServingAll = false
          if giveTurn() { return }
        }
      }
      steps?(.passes)
      ownership.release()
      steps?(.passes)
    } while ownership.hasIncoming && ownership.tryAcquire()
  }

  /// Processes what is next in a store that parties share: a turn where a thread waits for one, else the next arrival. They go in
  /// rounds, so that neither keeps the other waiting.
  ///
  /// - Returns: true if the store was given to a thread that waits for its turn.
  private func drainTurn() -> Bool {
    acceptIncoming()
    if !queue.isEmpty {
      ownPending = queue.count
      drainStart = firstQueued
      if let stop = drain(self) { onLateError?(stop) }
    }
    if let waiter = turns.take(behind: arrivals.taken, arrivalsWait: !arrivals.isEmpty, order) {
      guard waiter.canBeServed else {
        give(to: waiter)
        return true
      }
      serve(waiter)
    } else {
      serveArrival()
    }
    return false
  }

  /// Processes what stands in the queue now. Under many threads the queue may never be empty. A root with nothing in
  /// the queue by now is at its end as far as the runaway guard is concerned (R30).
  private func drainRound() {
    acceptIncoming()
    drainPresent()
  }

  /// Processes what stands in the queue.
  func drainPresent() {
    let roots = queue.lazy.map(\.root)
    guardrail.keep(Set(roots))
    drainStart = roots.filter { $0 != 0 }.min() ?? nextNumber
    ownPending = queue.count
    if let stop = drain(self) { onLateError?(stop) }
  }
}

extension Store {
  /// Runs a closure while no action is being processed, ahead of the queue (R2). At once if this thread owns the store
  /// or the store is idle; else this thread waits for the action in progress.
  @inlinable
  func visit<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    guard ownership.tryAcquire() else { return try waitForVisit(body) }
    defer {
      // Mostly nothing has come, and the queue has no specialized code to find that out.
      if ownPending > 0 || ownership.hasIncoming { drainOwned() }
      leave()
    }
    return try body()
  }

  /// Has the thread that owns the store run a closure, and waits until it has.
  @usableFromInline
  func waitForVisit<Result>(_ body: () throws -> Result) rethrows -> Result { try wait(for: body) { .visit($0) } }

  /// Reads what belongs to the store between two actions, on whichever thread owns it. Unlike a turn this takes the store from
  /// nobody; it is for what is short, and changes and dispatches nothing.
  @inlinable
  package func look<Result>(_ body: () throws -> Result) rethrows -> Result { try visit(body) }

  /// The same behind what is queued: for what would change the rules for it.
  @usableFromInline
  func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    guard ownership.tryAcquire() else { return try wait(for: body) { .job($0) } }
    defer {
      drainOwned()
      leave()
    }
    // Entries that this thread brought to a store that was busy a moment ago come first: they may wait for its owner's
    // next look.
    if ownership.hasIncoming { drainOwned() }
    return try body()
  }

  /// Runs a job ahead of the queue, soon: at once where this thread owns the store or nobody does.
  @usableFromInline
  func visitLater(_ job: Job) {
    if ownership.isMine { return job.run() }
    ownership.bring(.visit(job))
    serveIncoming()
  }

  /// Leaves a closure for the thread that owns the store, and waits until it has run.
  private func wait<Result>(
    for body: () throws -> Result, as entry: (Job) -> Incoming<Action>
  ) rethrows -> Result {
    try withoutActuallyEscaping(body) { body in
      var result: Swift.Result<Result, any Error>?
      let waiting = WaitingJob { result = Swift.Result { try body() } }
      steps?(.passes)
      let entry = entry(
        Job { [self] in
          waiting.run()
          wake(waiting.done)
        })
      ownership.bring(entry)
      serveIncoming()
      wait(for: waiting.done)
      guard let result else { preconditionFailure("the job has run") }
      return try result.get()
    }
  }
}

private final class WaitingJob {
  let done = DispatchSemaphore(value: 0)
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  // Lets go of the body before the thread that waits goes on: it must not outlive that thread's call.
  func run() {
    body?()
    body = nil
  }
}

/// The threads that wait for their turn, in the order in which they came. They stand beside the queue, since whoever gives the
/// store back looks for the first of them, however much is queued.
///
/// A thread gets its turn after the action in progress and what that caused. Turns and arrivals go in rounds: a thread that had a
/// turn in a round has the next one behind as many arrivals as threads had some waiting when the round began.
@usableFromInline
struct Turns {
  private var waiting: [(waiter: TurnWaiter, place: Int)] = []
  /// The number of them, which every action asks for.
  @usableFromInline private(set) var count = 0
  /// The threads that had a turn in the present round.
  private var served: Set<UInt> = []
  /// The number of arrivals that are left of the round.
  private var arrivalsLeft = 0

  @usableFromInline init() {}

  @inlinable var isEmpty: Bool { count == 0 }

  /// - Parameter place: the number of arrivals that come before it: those that its own thread brought.
  @usableFromInline
  mutating func append(_ waiter: TurnWaiter, behind place: Int) {
    waiting.append((waiter, place))
    count += 1
  }

  /// Takes the first of them whose own arrivals were taken, or the one of these that the source of order chooses; nil: there is none,
  /// or an arrival is next.
  ///
  /// - Parameters:
  ///   - arrivals: the number of arrivals that were taken.
  ///   - arrivalsWait: true if more of them wait.
  ///   - isMeant: false for one that stays.
  mutating func take(
    behind arrivals: Int, arrivalsWait: Bool, _ order: (any StoreOrder)?,
    where isMeant: (TurnWaiter) -> Bool = { _ in true }
  ) -> TurnWaiter? {
    guard count > 0 else { return nil }
    let mayWait = arrivalsWait && arrivalsLeft > 0
    func isDue(_ index: Int) -> Bool {
      waiting[index].place <= arrivals && !(mayWait && served.contains(waiting[index].waiter.thread))
    }
    guard let first = waiting.indices.first(where: isDue) else { return nil }
    let index =
      order.map { order in
        let due = waiting.indices.filter(isDue)
        return due[order.chosen(among: due.count)]
      } ?? first
    guard isMeant(waiting[index].waiter) else { return nil }
    count -= 1
    return waiting.remove(at: index).waiter
  }

  mutating func remove(_ waiter: TurnWaiter) {
    waiting.removeAll { $0.waiter === waiter }
    count = waiting.count
  }

  /// Notes that a thread has had its turn, beside so many threads of which arrivals wait.
  mutating func note(turnOf thread: UInt, beside threads: Int) {
    if arrivalsLeft == 0 || threads == 0 { (served, arrivalsLeft) = ([], threads) }
    if arrivalsLeft > 0 { served.insert(thread) }
  }

  /// Notes that an arrival was taken.
  mutating func noteArrival() {
    if arrivalsLeft > 0 { arrivalsLeft -= 1 }
  }
}

@usableFromInline
final class TurnWaiter: @unchecked Sendable {
  // Safe: the waiting thread writes `body` before it queues the waiter. The serving thread uses neither part after it wakes it.

  let thread = OwningThread.current
  /// Signalled when the thread has its turn, or is served.
  let turn = DispatchSemaphore(value: 0)
  /// What another thread may do in the turn on behalf of the one that waits; nil: that must have the turn itself.
  private var body: (() -> Void)?
  /// True once another thread has done it.
  private(set) var isServed = false

  init(_ body: (() -> Void)? = nil) { self.body = body }

  /// True if another thread may have the turn on its behalf.
  var canBeServed: Bool { body != nil }

  /// Does on behalf of the thread that waits what its turn is for.
  func serve() {
    body?()
    isServed = true
    // It must not outlive the call of the thread that waits.
    body = nil
  }
}

/// A place at which a thread that shares a store may be overtaken by others. Tests stop threads there, to lead them into every order.
package enum HandOverStep: Sendable {
  /// The thread is about to leave something for the one that owns the store, has left it, or is about to give the store back.
  case passes
  /// The thread is about to wait for a signal, has got it, or is about to give it.
  case waits(DispatchSemaphore), isAwake, wakes(DispatchSemaphore)
  /// The thread has given the store to the worker thread, which begins and ends.
  case hands, begins, ends
}
