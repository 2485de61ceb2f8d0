import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// A client of a live store: one of the parties that share it. It has what it looks at, and what it is to hear, for itself;
/// the store, its plugins and its history are everybody's.
///
/// Its extensions stand in one file a subject, here and in the folders above: reading, the past, undo, skipping, recordings.
package final class StoreClient: @unchecked Sendable {
  // Safe: what it looks at is its own thread's; the rest is read and changed only by the thread that holds the store's turn.

  /// The store that it shares with others.
  package let live: LiveStore
  // A part of that: what is reached by way of another object is counted.
  private let root: Store<HostAction, HostState>
  /// Leads to it those that may outlive it.
  package let lease = Lease<StoreClient>()
  /// What is shown to it instead of the present.
  @exclusivity(unchecked) var past: PastView?
  /// The moment whose history it looks at; nil: the present one.
  @exclusivity(unchecked) var moment: Moment?
  /// The modules that it has read since somebody wanted to know.
  @exclusivity(unchecked) var readModules: Set<String>?
  /// What it hears of what others cause.
  @exclusivity(unchecked) package var hearing = Hearing()
  /// The actions of the store, as its own thread saw them last, and the number of the changes to them by then.
  @exclusivity(unchecked) private var knownActions = (table: ActionTable(), changes: 0)
  /// The plugins as it runs them.
  private let ownPlugins = ClientPlugins()
  /// The time until which it waits at most, for a clock that moves only while everybody waits; nil: it does not wait.
  private var wait: Wait?
  /// Whether its command is to stop.
  package let interruption = Interruption()
  /// Tells who acts by it.
  @exclusivity(unchecked) package var speaker: @Sendable () -> ActionAuthor? = { nil }
  /// True if a person chose its name, so that an earlier conversation of that name was the same person's.
  @exclusivity(unchecked) package var isNameChosen = false
  /// The rights that it has, in words.
  @exclusivity(unchecked) package var rights = "all"
  /// True if it only keeps a store open for others.
  @exclusivity(unchecked) package var onlyServes = false
  /// True if a person gives it statements, rather than a script.
  @exclusivity(unchecked) package var isPersons = false
  /// What others may know of it while it goes on.
  package let activity = ClientActivity()
  /// The number of the last action before it joined.
  @exclusivity(unchecked) package var joined: Int
  /// How often the history was replaced by another one since then.
  @exclusivity(unchecked) private(set) var joins = 0
  /// The numbers of the actions that it dispatched.
  @exclusivity(unchecked) package private(set) var dispatched = ActionNumbers()
  /// The statement that runs, and those within it.
  @exclusivity(unchecked) private(set) var statement = StatementActions()
  /// The refusal of an action of a full name that the client may not dispatch, or nil; not set: it may dispatch all.
  @exclusivity(unchecked) package var refusal: ((String) -> (any Error)?)?
  /// The stage of the run of statements that the client is in; nil: it is in none.
  @exclusivity(unchecked) package var run: StatementRunState?
  /// The last action that a plan of its takes in; nil: it makes none.
  @exclusivity(unchecked) private var planned: Int?
  private let isActing = SharedFlag()
  @exclusivity(unchecked) private var told: [Change] = []
  @exclusivity(unchecked) private var faults: [any Error] = [] { didSet { noteWords() } }
  @exclusivity(unchecked) private var notes: [String] = [] { didSet { noteWords() } }
  @exclusivity(unchecked) private var saved: [SavedPlugin] = [] { didSet { noteWords() } }
  /// Set while there is something to be told of: faults or notes of its own, a plugin to stop, lines of plugins that were dropped.
  /// They are asked without the turn.
  private let words: (own: SharedFlag, pluginToStop: SharedFlag, droppedLines: SharedFlag)

  /// Joins the store.
  package init(of live: LiveStore) {
    self.live = live
    root = live.store
    joined = live.head
    words = live.turn { (SharedFlag(), live.attendance.faults.hasPluginToStop, live.attendance.hasDroppedLogLines) }
    lease.begin(self)
    live.turn {
      live.attendance.clients.append(AttachedClient(self))
      live.noteCompany()
      for note in live.attendance.advice { hear(note: note) }
      live.attendance.advice = []
    }
  }

  deinit {
    lease.end()
    // By its name, and no reference to another: that might be the last, and the other then leave in the middle of this.
    let id = ObjectIdentifier(self)
    live.turn {
      // Until now there were several.
      if live.clients.contains(where: { !$0.onlyServes }) { live.lastCompany = live.history.head }
      live.attendance.clients.removeAll { $0.id == id }
      if isPersons, let person = speaker() { live.attendance.seen[person] = live.history.head }
      if hearing.trace != nil { live.spreadTrace() }
      if hearing.spans != nil { live.spreadSpans() }
    }
  }

  // MARK: The turn

  /// Runs a closure while this thread holds the store's turn (R34) on behalf of the client.
  @inline(__always)
  package func turn<Result>(_ body: () throws -> Result) rethrows -> Result {
    try live.turn { try onBehalf(body) }
  }

  /// The same for what is short and waits for nobody: another thread that has the turn may run it.
  @inline(__always)
  package func turnAnywhere<Result>(_ body: () throws -> Result) rethrows -> Result {
    try live.turnAnywhere { try onBehalf(body) }
  }

  @inline(__always)
  private func onBehalf<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (outer, own) = (live.attendance.holder, Unmanaged.passUnretained(self))
    if outer?.toOpaque() == own.toOpaque() { return try body() }
    live.attendance.holder = own
    defer { live.attendance.holder = outer }
    return try acting(body)
  }

  /// Whether this thread holds the turn.
  package var isInTurn: Bool { live.store.isMine }

  /// Gives the turn away while a closure waits for others.
  package func withoutTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard isInTurn else { return try body() }
    let outer = live.attendance.holder
    live.attendance.holder = nil
    defer { live.attendance.holder = outer }
    return try live.store.withoutTurn(body)
  }

  /// Runs a closure in which Lua that runs does so for the client, so that its ``interrupts`` end that.
  @inline(__always)
  package func acting<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = isActing.set(true)
    defer { _ = isActing.set(outer) }
    return try body()
  }

  /// What stops the Lua of each plugin, from any thread, while it runs for the client.
  package var interrupts: [@Sendable () -> Void] {
    let running = live.turnAnywhere { live.plugins.map(\.plugin.interrupt) }
    let theirs = running.map { interrupt -> @Sendable () -> Void in
      { [isActing] in if isActing.isSet { interrupt() } }
    }
    return theirs + [ownPlugins.interrupt]
  }

  /// The plugins whose Lua ran when it was to be stopped, since it was last asked.
  package func takeInterrupted() -> [String] {
    turnAnywhere { live.plugins.filter { $0.plugin.takeInterruption() }.map(\.plugin.module.name) }
      + ownPlugins.takeInterrupted()
  }

  /// The plugins that run some versions, as the client runs them.
  func plugins(_ versions: [PluginVersion]) throws -> [HostedPlugin] { try ownPlugins.ready(versions, of: live) }

  /// Plugins of some versions, for their types alone: those of the store, where they are ready, else the client's own.
  func plugins(toReadBy versions: [PluginVersion]) throws -> [HostedPlugin] {
    if versions.isEmpty { return [] }
    let hosted = live.turnAnywhere {
      versions.allSatisfy { $0.hosted != nil || $0.isMissing } ? versions.compactMap(\.hosted) : nil
    }
    return try hosted ?? plugins(versions)
  }

  /// Has memory keep what comes behind an action, for a plan that takes in all up to there, while there is room for it; nil: no longer.
  func awaitActions(behind number: Int?) {
    turnAnywhere {
      planned = number
      live.history.firstAwaited = live.clients.compactMap(\.planned).min().map { $0 + 1 }
    }
  }

  // MARK: Waiting

  private struct Wait {
    let end: Duration?
  }

  /// Waits for a virtual clock, which moves once every client does.
  ///
  /// - Returns: false: nothing will ever happen.
  package func wait(for clock: VirtualClock, until end: Duration?) -> Bool {
    turn {
      wait = Wait(end: end)
      let waits = live.clients.map(\.wait)
      guard waits.allSatisfy({ $0 != nil }) else { return true }
      guard let next = ([clock.nextDeadline] + waits.map { $0?.end }).compactMap({ $0 }).min() else { return false }
      clock.advance(by: next - clock.now)
      return true
    }
  }

  /// Waits, as far as a virtual clock is concerned, until ``endWait()``: it dispatches nothing by itself.
  package func rest() { turn { wait = Wait(end: nil) } }

  /// The number of others that a virtual clock stands still for, since they do not wait.
  package var othersAtWork: Int { turn { live.clients.count { $0 !== self && $0.wait == nil } } }

  /// Whether others are there, for whom time passes too.
  package var hasCompany: Bool { live.turnAnywhere { live.clients.count > 1 } }

  /// Waits no longer.
  package func endWait() { live.turn { wait = nil } }

  // MARK: Dispatching

  /// Has an action processed, with all that it causes.
  package func dispatch(_ call: ActionCall, source: ActionSource) -> DispatchReport {
    do throws(SchemaError) {
      return dispatch(try action(call), source)
    } catch {
      return DispatchReport(number: nil, failure: error, faults: [])
    }
  }

  /// Has a typed action processed, with all that it causes.
  ///
  /// - Parameter answer: what is asked for of a plain action.
  package func dispatch(_ action: HostAction, _ source: ActionSource, answer: DispatchAnswer = .entry) -> DispatchReport
  {
    // No closure, whose context would be counted, where nobody has the store.
    guard let isBegun = root.beginTurnAtOnce() else {
      return live.turnAnywhere { dispatchInTurn(action, source, answer) }
    }
    let report = dispatchInTurn(action, source, answer)
    if isBegun { root.endTurn() }
    return report
  }

  @inline(never)
  private func dispatchInTurn(_ action: HostAction, _ source: ActionSource, _ answer: DispatchAnswer) -> DispatchReport
  {
    if past != nil, let viewed { return DispatchReport(number: nil, failure: viewed.refusal, faults: []) }
    return onBehalf { live.dispatchInTurn(action, source, for: self, answer: answer) }
  }

  /// What the last plain action changed whose report ``DispatchReport/tellsChanges``, for the thread that dispatched it.
  package var changes: [Change] { told }

  /// Takes over what a plain action changed.
  func note(_ changes: inout [Change]?) { if let changes = changes.take() { told = changes } }

  /// Lets go of what the last plain action changed.
  func takeChanges() -> [Change] {
    var taken: [Change] = []
    swap(&taken, &told)
    return taken
  }

  /// True if the order of the store's actions is that of a log which others share.
  package var isShared: Bool { live.turnAnywhere { live.node != nil } }

  /// The action of that full name.
  package func action(named name: String) -> ActionType? { actions[name] }

  /// The actions that there are.
  package var actions: ActionTable {
    refreshActions()
    return knownActions.table
  }

  // The names seldom change, and each statement looks one up.
  @inline(__always)
  private func refreshActions() {
    guard knownActions.changes != live.actionChanges else { return }
    knownActions = live.turnAnywhere { (live.actionsByName, live.actionChanges) }
  }

  /// Has a closure make an action by those that there are, none of which is counted.
  package func action(by make: (ActionTable) -> HostAction?) -> HostAction? {
    refreshActions()
    return Unmanaged.passUnretained(knownActions.table)._withUnsafeGuaranteedRef(make)
  }

  /// The action of a call, as the store processes it.
  package func action(_ call: consuming ActionCall) throws(SchemaError) -> HostAction { try live.action(call) }

  /// Has an action of the shell processed.
  package func dispatch(_ action: ShellAction, _ source: ActionSource) -> DispatchReport {
    turnAnywhere {
      if let viewed { return DispatchReport(number: nil, failure: viewed.refusal, faults: []) }
      return live.dispatch(action, source)
    }
  }

  /// Moves a gate, by a recorded action.
  package func setGate(_ name: String, isOpen: Bool, source: ActionSource) -> DispatchReport {
    turn {
      let running = live.effectCount(of: name)
      var report = dispatch(.setGate(name: name, isOpen: isOpen), source)
      if !isOpen { report.cancelled = running - live.effectCount(of: name) }
      return report
    }
  }

  /// Cancels the effects of an id, or all, by a recorded action. The sessions whose actions started them are told.
  ///
  /// - Returns: nil: there are none, and nothing was done.
  package func cancelEffects(_ id: String?, source: ActionSource) throws -> DispatchReport? {
    try change { live in
      let meant = live.effects.filter { id == nil || $0.id == id }
      guard !meant.isEmpty else { return nil }
      var report = dispatch(.cancelEffects(id: id), source)
      guard report.failure == nil, report.droppedBy == nil, let number = report.number else { return report }
      report.cancelled = meant.count
      live.tell(ofCancelled: meant, by: number, source, except: self)
      return report
    }
  }

  /// Has the store changed in another way, from the present alone (R27): what the closure finds is so until it ends.
  package func change<Result>(_ body: (LiveStore) throws -> Result) throws -> Result {
    try turn {
      try requirePresent()
      guard live.isOpen else { throw StoreError.closed }
      return try body(live)
    }
  }

  /// Begins a statement: what it dispatches is taken back as a whole.
  ///
  /// - Returns: the number of parts of the statement around it, for ``endStatement(_:)``; nil: there is none around it.
  // Its own thread alone has it dispatch.
  package func beginStatement() -> Int? { statement.begin() }

  /// Ends it.
  package func endStatement(_ outer: Int?) { statement.end(outer) }

  /// The first action of the statement that asks for an action from a source; nil: the source tells.
  func statement(of source: ActionSource) -> Int? {
    if source.cause != nil { return nil }
    return statement.first ?? (statement.isRun ? ActionSource.firstOfRun : nil)
  }

  /// Begins a run of statements, which are taken back together.
  func beginStatementRun() { statement.beginRun() }

  /// Ends it.
  ///
  /// - Returns: the first action that it dispatched; nil: it dispatched none.
  func endStatementRun() -> Int? {
    defer { statement.endRun() }
    return statement.first
  }

  /// Takes note of an action that it dispatched.
  func note(dispatched number: Int) {
    statement.note(number)
    dispatched.insert(number)
  }

  /// Takes note that the history is another one now, whose last action has that number.
  func joinAnew(behind number: Int) {
    (joined, dispatched) = (number, ActionNumbers())
    statement.forget()
    joins += 1
  }

  // MARK: Hearing

  /// Takes note of something that went wrong beside its actions, in tasks and in what they caused.
  func hear(_ error: any Error) { faults.appendOnce(error) }

  /// Takes note of what the store did by itself.
  func hear(note: String) { if !notes.contains(note) { notes.append(note) } }

  /// Takes note of what became of a plugin that was saved; of one that nobody asks about, the last.
  func hear(_ plugin: SavedPlugin) {
    saved.removeAll { $0.name == plugin.name && saved.count >= Self.mostSaved }
    saved.append(plugin)
  }

  /// From so many on, of a plugin that is saved the last save alone is told of.
  private static let mostSaved = 16

  /// What became of plugins that were saved since it was last asked.
  package func takeSavedPlugins() -> [SavedPlugin] {
    turnAnywhere {
      if saved.isEmpty { return [] }
      defer { saved = [] }
      return saved
    }
  }

  /// Has ``takeNotes()`` tell of what became of a dispatch that was one of several in a statement.
  package func leave(note: String) { live.turnAnywhere { hear(note: note) } }

  private func noteWords() {
    let hasSome = !faults.isEmpty || !notes.isEmpty || !saved.isEmpty
    if !words.own.set(hasSome), hasSome { hearing.words?() }
  }

  /// Whether there may be anything to be told of by ``takeFaults()`` and ``takeNotes()``. Asks without the turn: a thousand
  /// sessions that are woken wait for nobody.
  package var hasWords: Bool {
    words.own.isSet || words.pluginToStop.isSet || words.droppedLines.isSet
  }

  /// Whether anything may be left to do behind a statement: something to tell, or plugins to look after.
  package var hasFollowUps: Bool { hasWords || live.watchesPlugins }

  /// Whether there is anything to be told of by ``takeFaults()``.
  package var hasFaults: Bool { live.turnAnywhere { !faults.isEmpty } }

  /// What went wrong since it was last asked, where no dispatch told of it: in tasks, and in what they caused.
  package func takeFaults() -> [any Error] {
    turnAnywhere {
      live.stopFaulty()
      if faults.isEmpty { return [] }
      defer { faults = [] }
      return faults
    }
  }

  /// Has ``takeFaults()`` tell of what went wrong in a dispatch that was one of several in a statement.
  package func leaveFaults(of report: DispatchReport) {
    if !report.faults.isEmpty { live.turnAnywhere { faults += report.faults } }
  }

  /// What the store did by itself since it was last asked, in a sentence each.
  package func takeNotes() -> [String] {
    live.turnAnywhere {
      if live.attendance.hasDroppedLogLines.set(false) {
        for hosted in live.plugins { hosted.plugin.sayDroppedLogLines() }
      }
      guard !notes.isEmpty else { return [] }
      defer { notes = [] }
      return notes
    }
  }

  /// Has every phase of every action reported; nil: no longer.
  package func setTrace(_ sink: ((TraceEvent) -> Void)?) {
    live.turn {
      hearing.trace = sink
      live.spreadTrace()
    }
  }

  /// Has every phase of every action timed; nil: no longer.
  ///
  /// - Parameter receive: gets both ends of every span, on the thread that processes actions.
  package func setSpans(_ receive: ((SpanEvent) -> Void)?) {
    live.turn {
      guard receive != nil || hearing.spans != nil else { return }
      hearing.spans = receive
      live.spreadSpans()
    }
  }
}

/// What a client hears of what others cause.
package struct Hearing {
  /// Gets what the logger middleware says.
  package var logger: ((LoggedLine) -> Void)?
  /// Gets what plugins say.
  package var plugins: ((PluginLogLine) -> Void)?
  /// Told when there is something to be told of by ``StoreClient/takeFaults()`` and ``StoreClient/takeNotes()``.
  package var words: (() -> Void)?
  /// Told when the store is closed.
  package var end: (() -> Void)?
  /// Gets a sentence, on the client's own thread, when a statement takes long.
  package var wait: ((String) -> Void)?
  /// Gets every phase of every action.
  var trace: ((TraceEvent) -> Void)?
  /// Gets both ends of every span.
  var spans: ((SpanEvent) -> Void)?
}
