import Dispatch

extension Store {
  /// Runs a closure while no action is being processed, ahead of the queue (R2). At once if this thread owns the store
  /// or the store is idle; else this thread waits for the action in progress.
  @inlinable
  func visit<Result>(_ body: () throws -> Result) rethrows -> Result {
    if ownership.isMine { return try body() }
    guard ownership.tryAcquire() else { return try waitForVisit(body) }
    defer {
      drainOwned()
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
      ownership.bring(entry(Job { waiting.run() }))
      serveIncoming()
      waiting.done.wait()
      guard let result else { preconditionFailure("the job has run") }
      return try result.get()
    }
  }
}

/// A job that a thread waits for.
private final class WaitingJob {
  let done = DispatchSemaphore(value: 0)
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  func run() {
    perform()
    done.signal()
  }

  // Lets go of the body before the thread that waits goes on: it must not outlive that thread's call.
  private func perform() {
    body?()
    body = nil
  }
}
