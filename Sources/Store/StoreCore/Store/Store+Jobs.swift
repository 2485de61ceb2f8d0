import DequeModule

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
    ownership.bring(.job(job))
    serveIncoming()
  }

  /// Runs a job that only enqueues, on the thread that owns the store. At once if that is this thread, else at the
  /// present end of the queue.
  @inlinable
  func perform(_ job: Job) {
    if isReady() { return job.run() }
    ownership.bring(.emission(job))
    serveIncoming()
  }

  /// True if this thread owns the store. Actions that other threads emitted before then precede its next ones.
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
