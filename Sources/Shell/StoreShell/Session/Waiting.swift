import Platform
import ShellLanguage
import StoreCore
import StoreHost

/// The stand of a virtual clock that others share, while a session waits for it.
private struct Standing {
  private var place: (time: Duration, since: Duration)?
  private var isTold = false

  /// True, once, where the clock has stood for a second by the clock on the wall.
  mutating func isToBeTold(at time: Duration, _ wallTime: Duration) -> Bool {
    guard !isTold else { return false }
    guard let place, place.time == time else {
      place = (time, wallTime)
      return false
    }
    isTold = wallTime - place.since >= .seconds(1)
    return isTold
  }
}

extension Session {
  /// What may bring about that a condition holds.
  enum WaitCause {
    /// Time alone.
    case time
    /// An action; the condition is also looked at every second.
    case actions
    /// Whatever happens, of which nothing may tell.
    case anything
  }

  /// The ways in which a wait ends.
  enum WaitEnd {
    /// The condition holds.
    case done
    /// The time is over.
    case timeOver
    /// Nothing will ever happen any more.
    case stuck
    /// The virtual clock has moved very often, and what runs goes on.
    case endless
  }

  /// So often a virtual clock moves for a wait without a limit while the same tasks run: a task that never ends is no
  /// endless wait.
  static let mostMoves = 20_000

  /// Lets tasks run until a condition holds.
  ///
  /// - Parameters:
  ///   - duration: for how long at most.
  ///   - cause: what the condition depends on.
  ///   - isDone: the condition; asked at first, and after everything that fell due.
  /// - Throws: ``ShellError/interrupted``, `not-at-head` where the store shows the past, in which no time passes, and what the
  ///   condition throws.
  func wait(
    atMost duration: Duration?, for cause: WaitCause = .anything, until isDone: () throws -> Bool
  ) throws -> WaitEnd {
    try store.requirePresent()
    if let reason = interrupts.waits?(true) {
      throw ShellError(code: .failed, message: reason, hint: "try again when others have ended")
    }
    defer { _ = interrupts.waits?(false) }
    let limit = duration.map { clock.clock.now + $0 }
    var isEnd = false
    var patience = WaitPatience()
    var hasSettled = false
    var standing = Standing()
    var lastHead: Int?
    defer { store.endWait() }
    runDueTasks()
    while true {
      clock.bell?.clear()
      try interrupts.patience?()
      if isInterrupted, clock.bell != nil { throw ShellError.interrupted }
      tellOthers()
      if hasQuit { throw ShellError(describing: StoreError.closed) }
      try console.requireReader()
      let head = store.turn { store.live.head }
      if try isDone() { return .done }
      if isEnd { return .timeOver }
      if limit == nil {
        if nothingCanHappen {
          guard !isInterrupted else { throw ShellError.interrupted }
          if hasMoved(behind: head) { continue }
          return .stuck
        }
        if !clock.passesByItself, !store.hasCompany, patience.isOver(running: { store.live.effects.map(\.id) }) {
          return .endless
        }
      }
      // A virtual clock moves only behind the actions that threads have brought.
      hasSettled = clock.virtual != nil && !hasSettled && hasMoved(behind: head)
      if hasSettled { continue }
      // Whoever looks on sees what was said before the wait.
      if clock.passesByItself { show() }
      // While others act, a look every 20 ms is enough.
      let isQuiet = cause == .time || cause == .actions && lastHead == head
      lastHead = head
      guard
        try passTime(
          until: limit, isSoon: !isQuiet, behind: cause == .actions ? head : nil, &standing)
      else { return .stuck }
      if plugins.watch != nil { reloadSavedPlugins(after: PluginWatch.pause) }
      if isInterrupted { throw ShellError.interrupted }
      // The work that is due at the very end has still to run.
      if let limit { isEnd = clock.clock.now >= limit && clock.nextDeadline.map { $0 > limit } ?? true }
    }
  }

  /// Shows the results so far.
  private func show() {
    console.flush()
    interrupts.shows?()
  }

  /// Waits for the actions that threads have brought so far; true if an action was processed behind the given one.
  private func hasMoved(behind head: Int) -> Bool {
    store.live.store.settle()
    return store.turn { store.live.head } != head
  }

  /// Lets time pass to what is due next or to a limit, whichever comes first.
  ///
  /// - Parameters:
  ///   - isSoon: true if the session looks again soon, whatever happens.
  ///   - head: the last action, if it looks again at another one.
  /// - Returns: false: nothing will ever happen.
  /// - Throws: `out-of-range` where a virtual clock would go past its end.
  private func passTime(until limit: Duration?, isSoon: Bool, behind head: Int?, _ standing: inout Standing) throws
    -> Bool
  {
    if clock.virtual != nil, [clock.nextDeadline, limit].compactMap(\.self).min() ?? .zero > SessionClock.end {
      throw ShellError(code: .outOfRange, message: "the virtual clock goes no further than 292 years")
    }
    if let shared = clock.virtual, store.hasCompany {
      guard store.wait(for: shared, until: limit) else { return false }
      if limit.map({ shared.now < $0 }) ?? true { clock.rest(interrupt: interrupts.descriptor, wake: wakeDescriptors) }
      if standing.isToBeTold(at: shared.now, clock.wallTime()), case let count = store.othersAtWork, count > 0 {
        let others = count == 1 ? "1 other session does" : "\(count) other sessions do"
        write(note: "the virtual clock stands still at \(EffectListing.limit(shared.now)), since \(others) not wait")
        show()
      }
      return true
    }
    var glance = SessionClock.glance
    if !isSoon, let bell = clock.bell {
      glance = .seconds(1)
      if head != nil { bell.arm(by: store.live.actionSignal) }
      // It may have come before the bell was armed.
      if let head, store.live.head != head { bell.ring() }
    }
    if store.live.node != nil, clock.bell == nil {
      // What other nodes do wakes the session.
      let seen = head ?? store.live.head
      store.live.actionSignal.next(clock.wakeUp)
      if store.live.head != seen { return true }
    }
    func pass() -> Bool {
      clock.pass(
        until: limit, interrupt: interrupts.descriptor, wake: wakeDescriptors, atMost: plugins.watch?.untilReady,
        glance: glance)
    }
    // What runs meanwhile runs on this thread where the clock is the session's own, else for others.
    return clock.isShared ? pass() : store.acting(pass)
  }

  /// Runs what fell due by the session's clock, however much that is after a store was closed for long; Ctrl-C ends it.
  func runDueTasks() { if clock.clearWake() { store.acting { clock.runDue { !isInterrupted } } } }

  /// True if nothing is left that could bring about what a script waits for on the real clock. At the prompt somebody is
  /// there to end the wait. Whoever shares the store, Lua that may read files, and middlewares of the application may bring
  /// something about.
  private var nothingCanHappen: Bool {
    running.origin.kind != .repl && !options.allowsUnsafeLua && plugins.watch == nil && clock.nextDeadline == nil
      && !clock.isShared && !store.hasCompany && store.live.node == nil && !store.live.mayHearOfOthers
      && store.live.effects.isEmpty
  }

  /// True if Ctrl-C waits to be taken.
  var isInterrupted: Bool {
    if let isRequested = interrupts.isRequested { return isRequested() }
    guard interrupts.descriptor >= 0 else { return false }
    var source = pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&source, 1, 0) > 0
  }

  /// Runs what fell due while nothing else was to do, and reports what went wrong in it.
  package func runDue() {
    runDueTasks()
    tellOthers()
    if plugins.watch != nil { reloadSavedPlugins(after: PluginWatch.pause) }
    guard store.hasWords else { return writeJournalNotes() }
    for error in store.takeFaults() { writeError(error) }
    writeNotes()
  }
}

/// Tells when a wait on a virtual clock is endless, as far as can be told: the clock has moved very often.
struct WaitPatience {
  /// So often the tasks that run are looked at.
  private static let pace = 1000
  /// So often the clock moves at most, whatever runs.
  private static let mostInAll = 1_000_000

  private var moves = 0
  private var sinceChange = 0
  private var running: [String] = []

  /// Takes note of a move of the clock.
  ///
  /// - Parameter running: the tasks that run; as long as others end or begin, the wait may come to its end.
  mutating func isOver(running tasks: () -> [String]) -> Bool {
    moves += 1
    sinceChange += 1
    if sinceChange.isMultiple(of: Self.pace) {
      let tasks = tasks()
      if tasks != running { (running, sinceChange) = (tasks, 0) }
    }
    return sinceChange > Session.mostMoves || moves > Self.mostInAll
  }
}
