import Platform
import StoreCore
import StoreHistory
import StoreSchema

/// A live store that its program, any number of sessions and plugins share: made from an application, with a history, gates and
/// plugins around it.
///
/// The program speaks to it by ``store``, a session by `Session(host)`; each from any thread. Whatever changes or reads what
/// belongs to the store holds the store's turn, whoever asks (R34).
public final class StoreHost<Action: SchematicUnion, State: SchematicRecord>: Sendable {
  /// The store for the program that owns it.
  public let store: HostedStore<Action, State>
  /// The clock that stamps actions and wakes effects.
  public let clock: any StoreClock
  /// What a program should say at its start, a sentence each: of the journal that was opened, such as that the last run ended
  /// unexpectedly, and of modules whose actions reach no reducer and no middleware, since a lift is missing. The first session says
  /// the latter, too.
  public let notes: [String]
  package let application: Application<Action, State>
  package let live: LiveStore

  /// Hosts an application, and has the program ignore SIGPIPE.
  ///
  /// - Parameters:
  ///   - application: the store to host.
  ///   - clock: stamps actions with the time, and wakes effects. A virtual clock moves only while every session waits.
  ///   - program: what the program is called, as journals and hints say; by default its executable's name.
  ///   - queueLimit: how many actions from other threads may wait while the store is busy: more are refused with
  ///     `StoreError.queueFull`, so that threads which dispatch faster than the store can follow hold nobody up. Nil: any number may
  ///     wait.
  ///   - memory: how much of the history memory holds from now on, as `set journal.limit` says it. Nil: as much as before, in a new
  ///     store 100,000 actions in 64 MiB, and 10,000 where a file has all of them.
  ///   - order: decides what comes first of what several threads brought while the store was busy (R39); give the same one to a
  ///     virtual clock. Nil: what came first.
  ///   - onFault: hears of what goes wrong where no `dispatch` tells of it and no session has caused it, such as in an effect that
  ///     the program's own action started; on the thread that processes actions. Nil: the first session hears of it.
  /// - Throws: `StoreError` where two middlewares or interceptors share a name.
  public convenience init(
    _ application: Application<Action, State>, clock: any StoreClock = RealClock(), program: String? = nil,
    queueLimit: Int? = 10_000, memory: HistoryLimits? = nil, order: (any StoreOrder)? = nil,
    onFault: (@Sendable (any Error) -> Void)? = nil
  ) throws(StoreError) {
    BrokenPipes.ignore()
    try self.init(
      alone: application, clock: clock, program: program ?? Self.executable, queueLimit: queueLimit, order: order,
      onFault: onFault)
    live.hold(memory)
  }

  /// Hosts an application whose actions are kept in a file: the store goes on from what the file holds, with its plugins and
  /// unfinished tasks. ``close()`` ends the file in order, and so does letting go of the host; after a crash the next start restores all that was written.
  ///
  /// ```swift
  /// let host = try StoreHost(shop, program: "shop", journal: JournalPlan(path: "shop.db"))
  /// ```
  ///
  /// Writing does not hold up a dispatch: ``settle()`` waits for it. When the file cannot be written, `onFault` and the sessions
  /// are told.
  ///
  /// - Parameters:
  ///   - application: the store to host.
  ///   - clock: as without a journal.
  ///   - program: as without a journal; the file keeps it.
  ///   - queueLimit: as without a journal.
  ///   - memory: as without a journal. The file keeps all.
  ///   - order: as without a journal.
  ///   - journal: the file, and the promise about it.
  ///   - grants: the plugins in the file that get the permissions that they ask for.
  ///   - onFault: as without a journal.
  /// - Throws: ``HostError``: the file is in use, is damaged, or does not fit the types; a plugin in it is not granted; two units
  ///   share a name. The file is then as it was.
  public convenience init(
    _ application: Application<Action, State>, clock: any StoreClock = RealClock(), program: String? = nil,
    queueLimit: Int? = 10_000, memory: HistoryLimits? = nil, order: (any StoreOrder)? = nil, journal: JournalPlan,
    grants: Set<String> = [], onFault: (@Sendable (any Error) -> Void)? = nil
  ) throws(HostError) {
    BrokenPipes.ignore()
    let program = program ?? Self.executable
    do {
      let (live, table) = try Self.live(application, clock, program, queueLimit, order, onFault)
      self.init(application, clock, live, table, notes: try live.openJournal(ofOwner: journal, grants: grants))
      live.hold(memory)
    } catch {
      throw HostError(describing: error)
    }
  }

  /// Hosts an application for one session, whose reader's end is the program's.
  ///
  /// - Parameter hasStoreOption: whether the program has the options of `stsh` that open a store.
  package convenience init(
    alone application: Application<Action, State>, clock: any StoreClock, program: String, hasStoreOption: Bool = false,
    queueLimit: Int? = nil, order: (any StoreOrder)? = nil, onFault: (@Sendable (any Error) -> Void)? = nil
  ) throws(StoreError) {
    let (live, table) = try Self.live(application, clock, program, queueLimit, order, onFault, hasStoreOption)
    self.init(application, clock, live, table, notes: [])
  }

  private init(
    _ application: Application<Action, State>, _ clock: any StoreClock, _ live: LiveStore,
    _ table: ModuleTable<Action, State>, notes: [String]
  ) {
    self.application = application
    self.clock = clock
    self.live = live
    let advice = table.notes(on: application)
    live.turn { live.attendance.advice = advice }
    self.notes = notes + advice
    store = HostedStore(live, application, table)
  }

  private static func live(
    _ application: Application<Action, State>, _ clock: any StoreClock, _ program: String, _ queueLimit: Int?,
    _ order: (any StoreOrder)?, _ onFault: (@Sendable (any Error) -> Void)?, _ hasStoreOption: Bool = false
  ) throws(StoreError) -> (LiveStore, ModuleTable<Action, State>) {
    let table = ModuleTable(application)
    let live = try LiveStore(
      HostedApplication(application, table), program: program, hasStoreOption: hasStoreOption, clock: clock,
      queueLimit: queueLimit, order: order)
    live.attendance.onFault = onFault
    return (live, table)
  }

  /// Gives the store a thread of its own at once, for queued actions, timers and effects. Without, it works from whoever calls, and makes
  /// the thread when a caller has done its own part and others' actions wait (R2). An idle store processes an action on the thread
  /// that dispatches it in any case.
  public func start() { live.store.startWorker() }

  /// Waits until what was processed so far is in the journal, as durable as ``JournalPlan/durability`` says. Without a journal
  /// there is nothing to wait for.
  ///
  /// ```swift
  /// guard host.settle() else { return "kept in memory only" }
  /// ```
  ///
  /// - Returns: false if the file lacks actions, since it could not be written: `onFault` got the reason, and the store goes on in
  ///   memory. It is true again once all of them are written.
  @discardableResult
  public func settle() -> Bool { live.settle() }

  /// Ends the store: actions that were enqueued are processed and kept, effects are cancelled, sessions are told and end. Each
  /// action of another thread is either enqueued before that, or refused with `StoreError.closed`; afterwards nothing changes.
  /// Within the processing of an action the store ends behind what is queued, and this returns at once.
  ///
  /// It takes as long as the action in progress, those that were enqueued, which are `queueLimit` at most, and the write of what the
  /// file lacks. A store that threads keep full ends sooner with a lower limit. Statements of clients are interrupted meanwhile, and
  /// watches tell no value of these actions but the last.
  ///
  /// - Throws: ``HostError`` with what could not be written.
  public func close() throws(HostError) { try live.close() }

  /// The name of the running executable.
  private static var executable: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "store"
  }
}

extension LiveStore {
  /// Has memory hold so much of the history from now on; nil: as much as before.
  fileprivate func hold(_ limits: HistoryLimits?) {
    guard let limits, limits != historyLimits else { return }
    turn { _ = dispatch(.setHistoryLimits(limits), .here()) }
  }
}

extension LiveStore {
  /// False once the store was closed.
  package var isOpen: Bool { !attendance.isClosed.isSet }

  /// Takes what was brought so far, refuses all that comes later, ends effects and journal, and tells the clients; again: nothing,
  /// once the first call has done so, but for the error of what could not be written.
  ///
  /// Within the processing of an action the store closes behind what was brought to it before, and this returns at once. What could
  /// not be written then goes where faults go that no client has caused.
  package func close() throws(HostError) {
    let end = closeInOrder()
    // Whoever has the turn waits for nobody.
    guard !store.isMine else { return try end.get() }
    attendance.closing.wait()
    try end.get()
    if let failure = attendance.endFailure.withLock({ $0 }) { throw failure }
  }

  /// True if the file has all actions that were processed. While the store closes, this waits for its end.
  package func settle() -> Bool {
    let isSettled = settleJournal()
    // A journal that has just gone may not have written all.
    if attendance.isClosed.isSet, !store.isMine { attendance.closing.wait() }
    return isSettled && attendance.endFailure.withLock { $0 == nil }
  }

  private func closeInOrder() -> Result<Void, HostError> {
    var journal: HostJournal?
    var (isFirst, isLater) = (false, false)
    _ = attendance.isEnding.set(true)
    // Before the wait for the turn: what comes meanwhile would have to be waited for, too.
    store.refuseIncoming()
    for ending in attendance.endings.withLock({ $0 }) { ending.begin() }
    let isDone = store.close { [self] in
      guard isOpen else { return }
      isFirst = true
      journal = beginEnd()
      guard isLater else { return }
      // Not in the turn: others may have to have it before they end.
      let finish: @Sendable () -> Void = { [self, end = Ending(journal: journal)] in
        if case .failure(let error) = self.end(end.journal) { turn { attendance.faults.note(error) } }
      }
      do throws(WorkerThread.Refusal) { try WorkerThread(finish).detach() } catch { finish() }
    }
    isLater = !isDone
    return isDone && isFirst ? end(journal) : .success(())
  }

  private struct Ending: @unchecked Sendable {
    // Safe: the thread that made it uses it no more.
    let journal: HostJournal?
  }

  /// Ends what holds the turn.
  ///
  /// - Returns: the journal, to be ended.
  private func beginEnd() -> HostJournal? {
    attendance.closing.enter()
    _ = attendance.isClosed.set(true)
    store.cancelEffects()
    tellWatchersAtTheEnd()
    for client in clients { client.hearing.end?() }
    return replaceJournal(nil)
  }

  /// Ends the rest, without the turn.
  private func end(_ journal: HostJournal?) -> Result<Void, HostError> {
    defer { attendance.closing.leave() }
    let endings = attendance.endings.withLock { endings in
      defer { endings = [] }
      return endings
    }
    for ending in endings { ending.end() }
    do throws(JournalError) {
      // Nothing changes any more.
      try journal?.end(journaledState, clock: clock)
      return .success(())
    } catch {
      let failure = HostError(describing: error, program: hintedProgram)
      attendance.endFailure.withLock { $0 = failure }
      return .failure(failure)
    }
  }
}
