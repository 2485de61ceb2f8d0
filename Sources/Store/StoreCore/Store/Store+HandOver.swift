import DequeModule

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
    guard ownership.hasIncoming, ownership.tryAcquire() else { return }
    drainOwned()
    guard isDone else { return handOn() }
    ownership.release()
    if ownership.hasIncoming, ownership.tryAcquire() { handOn() }
  }

  /// Hands the store, which this thread owns, to a thread that waits for its turn, else to the worker thread. The first
  /// time makes the worker. If the system has no thread to give, this one goes on.
  @usableFromInline
  func handOn() {
    let hasMore = !arrivals.isEmpty || !queue.isEmpty && isShared
    // To have the worker serve a thread keeps the store from standing still until that is awake.
    if giveTurn(where: { !hasMore || !$0.canBeServed }) { return }
    if worker == nil { worker = try? DrainWorker() }
    guard let worker else { return drainToEnd() }
    // From here on the store is another thread's. The job keeps it, and its keeper, until the queue is empty.
    let keeper = owner.findKeeper?()
    ownership.handOn()
    worker.hand { [self] in
      ownership.takeOver()
      withExtendedLifetime(keeper) { drainToEnd() }
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
      ownership.release()
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
