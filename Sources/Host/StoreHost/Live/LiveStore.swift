import Dispatch
import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema
import StoreUnits
import Synchronization

/// An application's store in the shell's root: its modules beside those of plugins, every middleware gated, every action
/// logged.
///
/// Its extensions stand in one file a subject: here what the way of an action calls, in the folders above what changes or
/// reads the whole of it, as history, recovery, recordings and replay do.
package final class LiveStore: @unchecked Sendable {
  // Safe: what changes is read and changed only by the thread that holds the store's turn, by which everything that others
  // call goes. What changes with every action is changed by nothing that such a change calls, so checks of exclusive access
  // would find nothing.
  package typealias Action = HostAction
  package typealias State = HostState

  package let store: Store<Action, State>
  /// Leads to it those that may outlive it.
  package let lease = Lease<LiveStore>()
  /// The clock that stamps actions.
  package let clock: any StoreClock
  /// Tells the time of day, in milliseconds since 1970 (UTC); nil: time is virtual, and actions have none.
  @exclusivity(unchecked) package var wallTime: (@Sendable () -> Int)? { didSet { isWallTimeSystems = false } }
  // A call of the closure would be counted.
  @exclusivity(unchecked) private var isWallTimeSystems = false
  /// The names that have acted.
  @exclusivity(unchecked) package var names = ActedNames()
  /// The first actions of the runs of statements that are open.
  @exclusivity(unchecked) var openRuns: Set<Int> = []
  /// The number of the last action at which two conversations, or one and the owner's code, had been at the store; 0: none.
  @exclusivity(unchecked) package var lastCompany = 0
  /// A text that tells the store from all others: that of its file or its log, also where another process opens those; the process's
  /// own where it has none.
  package let identity = Lock(StableHash.text(of: .random(in: 0 ... .max)))
  /// Set once there was a door to the store.
  package let hasDoor = SharedFlag()
  package let application: HostedApplication
  /// What the program is called.
  package let program: String
  /// What the program is called that hints tell to run, with the options of `stsh` that open a store; nil: it has none.
  package let hintedProgram: String?
  private let logger: HostUnit
  @exclusivity(unchecked) package var plugins: [HostedPlugin] = [] {
    didSet { changesOfPlugins.wrappingAdd(1, ordering: .relaxed) }
  }
  /// The number of changes to ``plugins`` so far.
  package var pluginChanges: Int { changesOfPlugins.load(ordering: .relaxed) }
  private let changesOfPlugins = Atomic<Int>(0)
  /// Set while plugins that were saved are reloaded; what the state says, asked before every statement.
  let isWatchingPlugins = SharedFlag()
  /// Whether somebody reloads saved plugins for all sessions.
  private let isKeepingPlugins = SharedFlag()
  @exclusivity(unchecked) package var actionsByName = ActionTable() {
    didSet { changesOfActions.wrappingAdd(1, ordering: .releasing) }
  }
  /// The number of changes to ``actionsByName`` so far.
  package var actionChanges: Int { changesOfActions.load(ordering: .acquiring) }
  private let changesOfActions = Atomic<Int>(0)
  /// The places of the latest actions: entries of a place share one object, also where each action brings its own.
  @exclusivity(unchecked) var origins = ActionSource.RecentOrigins()
  /// What happened so far.
  @exclusivity(unchecked) package var history: History<State>
  /// The states that were asked for last.
  @exclusivity(unchecked) var knownPoints: [History<State>.Point] = []
  /// Which plugins were loaded when.
  package var timeline = PluginTimeline()
  /// The number before which nothing is the user's own.
  package var firstPoint = 0
  /// Where what happens is kept; nil: nowhere but in memory.
  @exclusivity(unchecked) package var journal: HostJournal? {
    didSet {
      keepsJournal.set(journal != nil)
      journalTrouble.set(true)
    }
  }
  /// The store's part in a shared one; nil: it is not shared.
  @exclusivity(unchecked) package var node: (any SharedNode)?
  /// Notes the tasks that would start; nil: they do start.
  var rehearsal: RehearsedTasks?
  /// Whether what happens is kept somewhere, for those who do not hold the turn.
  private let keepsJournal = SharedFlag()
  /// Set while there may be something to tell of that.
  let journalTrouble = SharedFlag()
  /// Tells of the next action.
  package let actionSignal = ActionSignal()
  /// The application's state after the last commit, for readers that must not wait.
  let lastCommitted: CommittedState
  /// Who uses the store, and what is kept for them.
  package let attendance = Attendance()
  /// How plugins are kept.
  @exclusivity(unchecked) package var upkeep = PluginUpkeep()
  /// How states are told apart.
  package let comparing = StateComparing()
  /// The number of the last action, for the reducer of the shell's actions.
  let recordedHead = RecordedHead()
  // Parts of the two before, which every action asks: what is reached by way of another object is counted.
  private let waiters: ActionWaiters
  private let watchers: ValueWatchers

  /// Hosts an application.
  ///
  /// - Parameters:
  ///   - program: what the program is called, as its journals and hints say.
  ///   - hasStoreOption: whether it has the options of `stsh` that open a store.
  ///   - queueLimit: how many actions from other threads may wait; nil: any number.
  ///   - order: decides what comes first where nothing else does (R39).
  /// - Throws: ``StoreError`` where two of its middlewares or of its generic types share a name.
  package init(
    _ application: HostedApplication, program: String, hasStoreOption: Bool, clock: any StoreClock,
    queueLimit: Int? = nil, order: (any StoreOrder)? = nil
  ) throws(StoreError) {
    if let name = application.duplicateType { throw .duplicateType(name: name) }
    self.application = application
    self.program = program
    hintedProgram = hasStoreOption ? program : nil
    self.clock = clock
    isWallTimeSystems = !(clock is VirtualClock)
    wallTime = isWallTimeSystems ? TimeOfDay.now : nil
    lastCommitted = CommittedState(application.initial)
    (waiters, watchers) = (attendance.waiters, comparing.watchers)
    let (sink, head) = (attendance.logSink, recordedHead)
    logger = HostUnit(
      "logger", origin: .swift, gate: Gate(isOpen: false),
      Middleware<Action, Never, State>.logger("logger", difference: State.changes) { entry in
        sink.write(
          LoggedLine(
            number: entry.context.number, call: entry.action.call, source: entry.context.source, changes: entry.changes,
            wallTime: head.number == entry.context.number ? head.wallTime : nil))
      }.lift(input: { $0 }, to: Action.self, state: { $0 }))
    var initial = HostState(app: application.initial)
    if let emission = application.emission { initial.shell.emission = emission.name }
    initial.shell.gates = ([logger] + application.units).map { ShellState.Gate(name: $0.name, isOpen: $0.startsOpen) }
    history = History(of: initial, endedBy: attendance.interruption)
    store = try Store(
      initial: initial, reducer: Self.reducer(application, [], recordedHead),
      middleware: .init(units: ([logger] + application.units).flatMap(\.middleware.units)),
      interceptors: application.interceptors, emission: Self.policy(initial.shell.emission, application, comparing),
      clock: clock, areEqual: State.areEqual, queueLimit: queueLimit, order: order)
    store.setKinds { $0.taken }
    store.setKeeper { [lease] in lease.object }
    lease.begin(self)
    collectActions()
    comparing.sequences = HostState.Sequences(application.sequences)
    store.setCheck { [comparing] action, before, after in
      // What the shell does goes back or takes over a state, and looks after sequences itself.
      guard action.kind != .shell else { return }
      try Unmanaged.passUnretained(comparing.sequences)._withUnsafeGuaranteedRef {
        try HostState.check($0.all, from: before, to: after)
      }
    }
    store.setFormers(LentSlices())
    // Safe: the store calls it while it processes an action, and with that somebody who keeps the host.
    store.setRecorder(ofParts: { [host = Unmanaged.passUnretained(self)] action, context, before, after, exception in
      host._withUnsafeGuaranteedRef { $0.record(action, context, from: before, to: after, exception) }
    })
    attend()
    store.setEndListener { [unowned self] effect, hasEnded in journal?.note(effect, hasEnded ? .ended : .mayStart) }
    attendance.setters.tell = { [unowned self] in journal?.note($0, .stated(by: $1)) }
    store.setErrorHandler { [faults = attendance.faults] error in
      let stop = error as? StoreError
      if stop != nil { faults.noteLoss() }
      // What no dispatch is answered with must not pass in silence all the same. Of the store's own errors that is the
      // runaway guard's: the others are told where they arise.
      switch stop {
      case nil, .runaway: faults.note(error)
      default: break
      }
    }
  }

  // Whoever lets go of it last may not be who held the turn last: what was done there is done before its parts go.
  deinit {
    lease.end()
    store.turn {}
    guard let journal else { return }
    do throws(JournalError) {
      try journal.end(store.state, clock: clock)
    } catch {
      attendance.onFault?(HostError(describing: error, program: hintedProgram))
    }
  }

  static func reducer(
    _ application: HostedApplication, _ plugins: [HostedPlugin], _ head: RecordedHead
  ) -> Reducer<Action, State> {
    let guarded = IdlePlugins.refusing(plugins).appending(application.reducers)
    let reducers = HostedPlugin.reducers(plugins.map { ($0.plugin, $0.strikes) }, behind: guarded)
    return reducers.appending(
      Reducer<BasedShellAction, State>.throwing("shell", canFail: { $0.action.canFail }) { action, state, context in
        try action.reduce(&state, behind: head.number, from: context.source)
      }
      .lift(action: { BasedShellAction($0) }, state: \State.self).taking(kinds: { $0.kind == .shell }))
  }

  /// The emission policy of a name: one of the shell's, or the application's own.
  private static func policy(
    _ name: String, _ application: HostedApplication, _ comparing: StateComparing
  ) -> EmissionPolicy<State> {
    if let own = application.emission, own.name == name { return own }
    return switch name {
    case "always": .always
    case "never": .never
    default: .when { comparing.differ($0, $1) }
    }
  }

  /// The emission policy of a name or, where that is a Lua expression, of the steps for which it holds. Where it fails,
  /// watchers are told.
  package func policy(_ name: String) -> EmissionPolicy<State> {
    guard name != application.emission?.name, !Self.policies.contains(name),
      let predicate = try? StatePredicate(name)
    else { return Self.policy(name, application, comparing) }
    return .when { [unowned self] before, state in
      let names = modules.map(\.name)
      do throws(SessionLuaError) {
        return try predicate.holds(
          in: StateSnapshot(state: state, moduleNames: names), after: StateSnapshot(state: before, moduleNames: names))
      } catch {
        attendance.faults.note(
          HostError(
            code: .luaError, message: "the setting emit, \(name): \(error.message)",
            hint: "set emit whenDifferent tells of every change, without the expression"))
        return true
      }
    }
  }

  /// The names of the shell's own emission policies.
  package static let policies = ["always", "whenDifferent", "never"]

  /// Runs a closure while this thread holds the turn (R34): whatever changes or reads what belongs to the store does so there,
  /// whoever asks.
  @inline(__always)
  package func turn<Result>(_ body: () throws -> Result) rethrows -> Result { try store.turn(body) }

  /// The same for what is short and waits for nobody: another thread that has the turn may run it.
  package func turnAnywhere<Result>(_ body: () throws -> Result) rethrows -> Result {
    // In a shared store a dispatch waits for the log.
    try node == nil ? store.turnAnywhere(body) : store.turn(body)
  }

  /// What went wrong with keeping what happens, since somebody asked.
  ///
  /// - Parameter client: tells of it; all others hear it as well.
  package func takeJournalNotes(for client: StoreClient?) -> [String] {
    guard keepsJournal.isSet, journalTrouble.isSet else { return [] }
    let notes = store.look { journal?.takeNotes() ?? [] }
    guard !notes.isEmpty else { return [] }
    turn {
      for other in clients where other !== client { for note in notes { other.hear(note: note) } }
    }
    return notes
  }

  /// Makes all that an answer tells of as durable as was asked. All sessions read a note where that failed.
  ///
  /// - Returns: a sentence with the reason why the file lacks something of the answer; nil: it lacks nothing.
  @discardableResult
  package func settleBeforeTelling() -> String? {
    let isKept = settleJournal()
    _ = takeJournalNotes(for: nil)
    guard !isKept, let failure = store.look({ journal?.journal })?.failure else { return nil }
    return "\(failure); what this answer tells of is kept in memory only"
  }

  /// Waits until what was recorded is as durable as was asked, without the turn.
  ///
  /// - Returns: false if the file could not be written.
  @discardableResult
  package func settleJournal() -> Bool {
    guard keepsJournal.isSet, let open = store.look({ journal?.journal }) else { return true }
    open.settle()
    return open.failure == nil
  }

  /// Ends keeping what happens.
  ///
  /// - Returns: where it was kept, and the state after the last action that is kept there; nil: it was not kept.
  package func takeJournal() -> (journal: HostJournal, state: State)? {
    turn { replaceJournal(nil).map { ($0, journaledState) } }
  }

  /// Keeps what happens from now on somewhere else; nil: nowhere.
  ///
  /// - Returns: where it was kept so far.
  @discardableResult
  package func replaceJournal(_ next: HostJournal?) -> HostJournal? {
    turn {
      defer { journal = next }
      // Not at once: the thread that finds the leap may be writing, and may have the turn.
      next?.onLeap = { [lease] in DispatchQueue.global().async { lease.object?.wakeClients() } }
      return journal
    }
  }

  /// Wakes all clients, which look for notes.
  private func wakeClients() { turn { for client in clients { client.hearing.words?() } } }

  // MARK: What there is

  /// The modules in order: Swift ones as hosted, then plugins as loaded.
  package var modules: [Module] { modules(in: present) }

  /// The modules of a state.
  package func modules(in shown: ShownPoint) -> [Module] {
    let (state, plugins) = (shown.state, shown.plugins)
    let added = plugins.flatMap(\.plugin.addedActions)
    let own = (application.modules + plugins.map(\.plugin.module)).map { $0.adding(added) }
    // Plugins of which nothing is left but their state.
    let lost = state.plugins.filter { slice in !plugins.contains { $0.plugin.module.name == slice.name } }.map {
      slice in
      Module(name: slice.name, origin: .lua, schema: slice.schema, actions: [])
    }
    return own + lost
      + state.substates.map { slice in
        let declared = application.substates.first { $0.name == slice.name }
        return Module(name: slice.name, origin: .swift, schema: slice.schema, actions: declared?.actions ?? [])
      }
  }

  /// How often plugins are looked at for state of their own.
  package var purity: Purity { turn { store.withState { $0.shell.purity } ?? upkeep.defaultPurity } }
  /// The state at present, as plugins see it.
  package var view: any StateView { LiveView(of: self) }

  package var hostUnits: [HostUnit] { [logger] + application.units + plugins.flatMap(\.units) }

  /// The middlewares of the application and of plugins, in composition order, as their gates stand in a state.
  package func units(in shown: ShownPoint) -> [UnitListing] {
    let running = Dictionary(grouping: store.effects, by: \.unit)
    return ([logger] + application.units + shown.plugins.flatMap(\.units)).map { unit in
      let position = shown.state.shell.gates.first { $0.name == unit.name }
      return UnitListing(
        name: unit.name, isOpen: shown.state.shell.isOpen(unit.name), gate: shown.state.shell.gate(unit.name),
        byRule: position?.rule, isOpenByRule: position?.isOpenByRule(in: shown.state) ?? true, seen: unit.counters.seen,
        held: unit.losses.held,
        dropped: unit.losses.dropped, tasks: running[unit.name]?.count ?? 0, origin: unit.origin)
    }
  }

  /// The action of that full name.
  package func action(named name: String) -> ActionType? { turnAnywhere { actionsByName[name] } }

  /// The plugin of that name.
  package func plugin(named name: String) -> Plugin? {
    turnAnywhere { plugins.first { $0.plugin.module.name == name }?.plugin }
  }

  /// Reports something that happened before an action reached the store.
  package func trace(_ event: TraceEvent) { turn { attendance.traceSink?(event) } }

  /// The same with an event that is made where somebody hears of it.
  func trace(_ event: () -> TraceEvent) { turn { attendance.traceSink?(event()) } }

  package var state: State { store.withState { $0 } }

  /// Tells of every action that goes through the reducers, with the states around it.
  package func observe(_ tell: @escaping (PurityProof.Recorded) -> Void) { turn { attendance.observer = tell } }

  /// True if plugins that were saved are reloaded.
  package var watchesPlugins: Bool { isWatchingPlugins.isSet }

  /// True if somebody reloads saved plugins for all sessions.
  package var hasPluginKeeper: Bool { isKeepingPlugins.isSet }

  /// Has a function called, in the turn, whenever there may be other plugins to watch; nil: no longer.
  ///
  /// - Returns: false, and does not, where another one is.
  @discardableResult
  package func keepPlugins(_ look: (@Sendable () -> Void)?) -> Bool {
    turn {
      guard look == nil || attendance.onPluginChange == nil else { return false }
      attendance.onPluginChange = look
      _ = isKeepingPlugins.set(look != nil)
      return true
    }
  }

  // MARK: Dispatching

  /// The action of a call whose arguments were checked, as the store processes it.
  package func action(_ call: consuming ActionCall) throws(SchemaError) -> Action {
    try application.hostAction(call, isChecked: true)
  }

  /// Has an action processed, with all that it causes, for the client on whose behalf the turn is held.
  package func dispatch(_ action: Action, _ source: ActionSource) -> DispatchReport {
    turn { dispatchInTurn(action, source, for: attendance.acting) }
  }

  /// The same for a thread that holds the turn.
  ///
  /// - Parameter answer: what the caller asks for; its changes only where there is a client.
  func dispatchInTurn(
    _ action: Action, _ source: ActionSource, for client: StoreClient?, answer: DispatchAnswer = .entry
  ) -> DispatchReport {
    guard isOpen else { return DispatchReport(number: nil, failure: StoreError.closed, faults: []) }
    // Whatever a client does to the store comes by here. Most have no refusal: to take out a closure would be counted.
    if let client, client.refusal != nil, let refused = client.refusal?(action.call.type.fullName) {
      return DispatchReport(number: nil, failure: refused, faults: [])
    }
    if let client, client.run != nil, let refused = client.refusalInRun(of: action) {
      return DispatchReport(number: nil, failure: refused, faults: [])
    }
    if action.kind == .plugin, action.call.type.isSuperseded, let present = actionsByName[action.call.type.fullName],
      !present.isSuperseded
    {
      return dispatchRenewed(action, source, for: client, answer: answer)
    }
    let earlier = attendance.faults.collect()
    let statement = client?.statement(of: source)
    let outer = recordedHead.answer
    recordedHead.answer = answer
    defer { recordedHead.answer = outer }
    if answer == .changes, let client { comparing.giveBack(client.takeChanges()) }
    // Compared, not taken out: that would be counted, and most stores are not shared.
    let result =
      node == nil
      ? store.dispatchInTurn(action, source: source, askedFor: statement)
      : dispatchShared(action, source.asked(for: statement), for: client)
    if let number = result.number { client?.note(dispatched: number) }
    if case .stopped = result.outcome { attendance.faults.noteLoss() }
    let report = report(of: result, faults: attendance.faults.take(behind: earlier, ofRoot: result.number))
    stopFaulty()
    if report.tellsChanges { client?.note(&recordedHead.changes) }
    return report
  }

  /// Has an action processed as it is declared now.
  @inline(never)
  private func dispatchRenewed(
    _ action: Action, _ source: ActionSource, for client: StoreClient?, answer: DispatchAnswer
  ) -> DispatchReport {
    do throws(SchemaError) {
      return dispatchInTurn(try renewed(action), source, for: client, answer: answer)
    } catch {
      return DispatchReport(number: nil, failure: error, faults: [])
    }
  }

  @inline(never)
  private func dispatchShared(_ action: Action, _ source: ActionSource, for client: StoreClient?) -> DispatchResult {
    node?.dispatch(action, source, for: client) ?? store.dispatch(action, source: source)
  }

  /// The report of an action that was processed.
  @inline(__always)
  func report(of result: DispatchResult, faults: [any Error]) -> DispatchReport {
    if case .done = result.outcome, faults.isEmpty, let number = result.number, !recordedHead.hasMore(than: number) {
      return DispatchReport(number: number, tellsChanges: recordedHead.answer == .changes)
    }
    var entry: LoggedEntry?
    if let number = result.number { entry = processed(number) }
    var report = DispatchReport(number: result.number, entry: entry, failure: result.failure, faults: faults)
    if let number = result.number, case let last = recordedHead.number, last > number { report.lastBehind = last }
    // What it caused instead may have been stopped.
    if case .dropped(let interceptor) = result.outcome {
      report.droppedBy = interceptor
    } else if let interceptor = report.entry?.droppedBy {
      report.droppedBy = interceptor
    }
    return report
  }

  /// Has an action of the shell processed.
  package func dispatch(_ action: ShellAction, _ source: ActionSource) -> DispatchReport {
    turn { dispatch(Action(action), source) }
  }

  /// Has an action of the shell processed that is made from the state. In a shared store it is made anew, in the turn, if actions of
  /// other nodes have come before it.
  func dispatch(_ source: ActionSource, _ make: @escaping () throws -> ShellAction) throws -> DispatchReport {
    try turn {
      let action = try make()
      return dispatch(Action(action, basis: history.head, by: node.map { _ in ShellActionMaker(make: make) }), source)
    }
  }

  /// Sets how often reducers are checked for state of their own, where nobody sets it by an action.
  package func setDefaultPurity(_ purity: Purity) {
    turn {
      upkeep.defaultPurity = purity
      applyPurity()
    }
  }

  package func applyPurity() {
    for hosted in plugins { hosted.plugin.purity = purity }
  }

  /// The entry of an action that has just been processed; nil: memory had no room for it.
  private func processed(_ number: Int) -> LoggedEntry? {
    if let last = recordedHead.entry, last.number == number { return last }
    return history.recent(number)
  }

  private func record(
    _ action: Action, _ context: ActionContext, from before: State, to after: State,
    _ exception: ActionRecord<Action, State>.Exception?
  ) {
    if comparing.packed != nil, comparing.entry == nil { return recordPacked(action, context, from: before, to: after) }
    // What an action of the shell is, is large: only those are asked.
    let (isFailed, isDropped) = (exception?.failure != nil, exception?.droppedBy != nil)
    let isApplied = !isFailed && !isDropped
    let isOfShell = action.kind == .shell
    if isApplied, isOfShell, let shell = action.shell { follow(shell, from: before, to: after) }
    if attendance.observer != nil {
      attendance.observer?(PurityProof.Recorded(action, context, from: before, to: after, exception))
    }
    if action.kind != .app {
      for fault in application.substateFaults(of: action, in: before) { attendance.faults.note(fault) }
    }
    let (source, wallTime) = (context.source, timeOfDay)
    let beginsRun = source.statement == ActionSource.firstOfRun
    let isPlain = isApplied && !isOfShell && exception == nil
    // The caller does not ask for its entry as an object.
    var isPacked = isPlain && recordedHead.answer != .entry && !beginsRun && comparing.entry == nil
    var edit: Unmanaged<PlainEdit>?
    if isPacked, recordedHead.answer == .number, comparing.known == nil, !watchers.areOfParts,
      journal == nil || !action.call.type.isQuiet && node == nil && journalsPlain
    {
      edit = comparing.findEdit(from: before, to: after)
    }
    if journal != nil {
      let (call, number, time) = (action.call, context.number, context.time)
      if let found = edit, !journal(plain: call, number, time, wallTime, source, found, to: after) { edit = nil }
      isPacked = edit != nil
    }
    let changes = isFailed || edit != nil ? [] : comparing.takeChanges(from: before, to: after)
    if let edit {
      edit._withUnsafeGuaranteedRef { edit in
        comparing.hasChanged = edit.count > 0
        comparing.versions.note(edit)
      }
    } else {
      comparing.hasChanged = !changes.isEmpty
      comparing.versions.note(changes)
    }
    watchers.note(changes)
    if !isFailed { publish(after) }
    // What loads, takes away or restores says so by an action of the shell.
    if isOfShell { noteAll(after) }
    if beginsRun { note(run: context.number, isOpen: true) }
    noteSource(source, of: context.number)
    recordedHead.number = context.number
    recordedHead.wallTime = wallTime
    var (isKept, journaled): (Bool, LoggedEntry?) = (true, nil)
    if isPacked {
      recordedHead.forgetEntry()
      isKept = pack(action.call, context.number, context.time, source, changes, edit, before)
    } else {
      recordedHead.forgetChanges()
      var made =
        (isPlain ? knownEntry(of: source) : exception == nil ? nil : comparing.entry)
        ?? self.entry(of: action, context, changes, exception, wallTime)
      if beginsRun { made = made.first }
      recordedHead.entry = keep(made, before) ? made : nil
      if journal != nil { journaled = made }
    }
    if isApplied, isOfShell { timeline.note(loaded(in: after), after: context.number, oldest: history.oldest) }
    if upkeep.hasControlGates { followRules(action, context, after.shell, exception) }
    if let journaled { keep(journaled, from: before, to: after) }
    if isApplied {
      waiters.tell(action)
    } else {
      (exception?.original ?? action).fate?.isRejected = true
    }
    if isDropped { noteDropped(action.call.type.fullName, source, exception) }
    actionSignal.send()
    stopFaulty()
    guard isPacked else { return }
    if recordedHead.answer == .changes, isKept {
      recordedHead.changes = changes
    } else {
      comparing.giveBack(changes)
    }
  }

  /// True if a journal, an observer or a watcher of parts needs the entry or the changes of each plain action.
  var needsEntries: Bool { journal != nil || attendance.observer != nil || watchers.areOfParts }

  /// Records a plain action of a shared store, whose entry is packed. What it changed is noted.
  private func recordPacked(_ action: Action, _ context: ActionContext, from before: State, to after: State) {
    guard let packed = comparing.packed else { return }
    if action.kind != .app {
      for fault in application.substateFaults(of: action, in: before) { attendance.faults.note(fault) }
    }
    publish(after)
    noteSource(context.source, of: context.number)
    (recordedHead.number, recordedHead.wallTime) = (context.number, timeOfDay)
    recordedHead.forgetEntry()
    recordedHead.forgetChanges()
    if !comparing.lacksStateBefore, history.needsState(before: context.number) {
      history.keepState(shared(before), before: context.number)
    }
    _ = history.append(packed, number: context.number)
    if upkeep.hasControlGates { followRules(action, context, after.shell, nil) }
    waiters.tell(action)
    actionSignal.send()
    stopFaulty()
  }

  /// Keeps the entry of a plain action as bytes.
  ///
  /// - Returns: false where there is no room for it.
  // A function of its own: the parts of an argument are not counted.
  @inline(never)
  private func pack(
    _ call: ActionCall, _ number: Int, _ time: Duration, _ source: ActionSource, _ changes: [Change],
    _ edit: Unmanaged<PlainEdit>?, _ before: State
  ) -> Bool {
    if history.needsState(before: number) { history.keepState(shared(before), before: number) }
    return history.append(
      applied: number, time: time, wallTime: recordedHead.wallTime, source: source, action: call.type.fullName,
      call.type.layout, call.arguments, isQuiet: call.type.isQuiet, changes: changes, edit)
  }

  /// Keeps an entry in memory.
  ///
  /// - Returns: false where there is no room for it.
  private func keep(_ entry: LoggedEntry, _ before: State) -> Bool {
    let packed = entry === comparing.entry ? comparing.packed : nil
    guard packed != nil || comparing.lacksStateBefore, !entry.isWhole else {
      // To ask the history for it would copy that.
      return history.append(entry, before: shared(before))
    }
    // A node of a shared store has the states before the first actions of its messages.
    if !comparing.lacksStateBefore, history.needsState(before: entry.number) {
      history.keepState(shared(before), before: entry.number)
    }
    return history.append(entry, packedAs: packed)
  }

  /// Leaves a note that an interceptor dropped an action, where no caller gets an answer that says so.
  @inline(never)
  private func noteDropped(_ name: String, _ source: ActionSource, _ exception: ActionRecord<Action, State>.Exception?)
  {
    guard let droppedBy = exception?.droppedBy, source.plugin != nil || source.cause != nil,
      !name.hasPrefix(LoggedEntry.thunkPrefix)
    else { return }
    leave(note: "\(name) was dropped by \(droppedBy)", startedBy: source.cause)
  }

  // A function of its own: the parts of an argument are not counted.
  private func noteSource(_ source: ActionSource, of number: Int) {
    names.note(source)
    if source.isOfOwner { lastCompany = number }
  }

  /// The time of day in milliseconds since 1970 (UTC); nil: time is virtual.
  @inline(__always)
  var timeOfDay: Int? { isWallTimeSystems ? TimeOfDay.now() : wallTime?() }

  /// The entry that was made of an action already, if it shares its origin with others, or is packed and needs not.
  @inline(__always)
  private func knownEntry(of source: ActionSource) -> LoggedEntry? {
    guard let entry = comparing.entry else { return nil }
    if comparing.packed != nil { return entry }
    return origins.sharing(source).origin === entry.source.origin ? entry : nil
  }

  /// The entry of an action.
  @inline(__always)
  func entry(
    of action: Action, _ context: ActionContext, _ changes: [Change],
    _ exception: ActionRecord<Action, State>.Exception?, _ wallTime: Int?
  ) -> LoggedEntry {
    guard exception == nil, action.kind != .shell else {
      return rareEntry(of: action, context, changes, exception, wallTime)
    }
    return LoggedEntry(
      applied: context.number, time: context.time, wallTime: wallTime, source: origins.sharing(context.source),
      action: action.call.type.fullName, arguments: action.call.record, isQuiet: action.call.type.isQuiet,
      changes: changes)
  }

  /// The entry of an action of the shell, or of one that was not applied as it came.
  private func rareEntry(
    of action: Action, _ context: ActionContext, _ changes: [Change],
    _ exception: ActionRecord<Action, State>.Exception?, _ wallTime: Int?
  ) -> LoggedEntry {
    LoggedEntry(
      number: context.number, time: context.time, source: context.source, action: action.call.type.fullName,
      arguments: action.call.record, isQuiet: action.call.type.isQuiet, changes: changes,
      failure: exception?.failure.map { ErrorCode.of($0).rawValue },
      reason: exception?.failure.flatMap(HostError.ownText(of:)), digest: action.shell?.digest,
      original: exception?.original.map {
        LoggedEntry.Original(action: $0.call.type.fullName, arguments: $0.call.record)
      },
      droppedBy: exception?.droppedBy, wallTime: wallTime)
  }

  /// Shows a state to readers that do not wait.
  package func publish(_ state: State) { lastCommitted.show(state.app) }

  /// True if a watcher, a task, a trace, a file or an observer looks at the state behind each action at its commit.
  var showsEachState: Bool { store.showsEachState || journal != nil || attendance.observer != nil }

  /// A state that is kept, with what few actions change kept once.
  private func shared(_ state: State) -> State {
    var state = state
    state.share(&comparing.switches)
    return state
  }

  /// The plugins that are loaded in a state: one that is being loaded or unloaded may be here without being there.
  private func loaded(in state: State) -> [HostedPlugin] {
    plugins.filter { hosted in state.shell.plugins.contains { $0.name == hosted.plugin.module.name } }
  }
}

extension DispatchResult {
  fileprivate var failure: (any Error)? {
    switch outcome {
    case .done, .queued, .dropped: nil
    case .failed(let error): error
    case .stopped(let error): error
    }
  }
}

/// What the store runs: the units, reducers and interceptors of the application and of its plugins.
extension LiveStore {
  /// Has the store run the units that there are now.
  ///
  /// - Parameter reconciling: whether the tasks follow the state at once, and not with the action under way or the next one.
  package func recompose(reconciling: Bool = true) throws {
    try store.replaceMiddleware(
      Middleware(units: hostUnits.flatMap(\.middleware.units)), reconciling: reconciling)
    try store.replaceReducer(Self.reducer(application, plugins, recordedHead))
    comparing.sequences = HostState.Sequences(
      HostState.sequences(application.sequences, of: plugins.map { $0.plugin }))
    try replaceInterceptors()
  }

  /// Has the store run the units that there are now, while an action is committed.
  package func recomposeInCommit() {
    do {
      // The action ends with the tasks following the state where there were units that want it to.
      try recompose(reconciling: !store.supervises)
    } catch {
      attendance.faults.note(error)
    }
  }
}

/// What the clients of a live store hear of it.
extension LiveStore {
  /// Has what units, plugins and tasks say and do wrong told to those whom it concerns.
  func attend() {
    attendance.interruption.isRequested = { [unowned self] in attendance.acting?.interruption.isRequested() ?? false }
    store.setInterruption { [unowned self] in attendance.acting?.interruption.isRequested() ?? false }
    attendance.logSink.write = { [unowned self] line in
      for client in clients { client.hearing.logger?(line) }
    }
    attendance.faults.root = { [unowned self] in store.currentRoot }
    attendance.faults.handOn = { [unowned self] error, action in
      if let client = client(ofFaultStartedBy: action) { client.hear(error) } else { attendance.onFault?(error) }
    }
  }

  /// Has a note told to the client that a fault would concern.
  func leave(note: String, startedBy action: Int?) { client(ofFaultStartedBy: action)?.hear(note: note) }

  /// Has the clients told whose actions started effects that another client has cancelled, in one note each.
  func tell(ofCancelled effects: [EffectListing], by number: Int, _ source: ActionSource, except canceller: StoreClient)
  {
    var theirs: [(client: StoreClient, ids: [String])] = []
    for effect in effects {
      guard let start = effect.startedBy, let client = client(ofFaultStartedBy: start), client !== canceller else {
        continue
      }
      if let index = theirs.firstIndex(where: { $0.client === client }) {
        theirs[index].ids.append(effect.id)
      } else {
        theirs.append((client, [effect.id]))
      }
    }
    for (client, ids) in theirs {
      let what = ids.count == 1 ? ids[0] : "\(ids.count) tasks, \(ids[0]) among them"
      client.hear(note: "\(source.short) cancelled \(what) (#\(number))")
    }
  }

  /// The clients that are there, in the order in which they came.
  var clients: [StoreClient] { attendance.clients.compactMap(\.client) }

  /// The client that a fault concerns: the one that dispatched what led to it, or, of what no action led to, the one on whose
  /// behalf the turn is held, or, where nobody did and no owner hears of it, the first.
  private func client(ofFaultStartedBy action: Int?) -> StoreClient? {
    // The node where the action is from tells of it.
    if node?.isFollowing ?? false { return nil }
    let clients = clients
    var number = action ?? store.currentRoot
    if let cause = store.currentCause, action == nil { number = cause }
    while number > 0 {
      if let client = clients.first(where: { $0.dispatched.contains(number) }) { return client }
      number = history.recent(number)?.source.cause ?? 0
    }
    if action == nil, store.currentRoot == 0, let acting = attendance.acting { return acting }
    return attendance.onFault == nil ? clients.first : nil
  }

  /// Has the phases of actions reported to the clients that want that.
  func spreadTrace() {
    let sinks = clients.compactMap(\.hearing.trace)
    attendance.traceSink = sinks.isEmpty ? nil : { event in for sink in sinks { sink(event) } }
    store.setTrace(attendance.traceSink)
  }

  /// Has the phases of actions timed for the clients that want that, all by one clock. It begins with the first of them.
  func spreadSpans() {
    let sinks = clients.compactMap(\.hearing.spans)
    guard !sinks.isEmpty else {
      attendance.spansBegan = nil
      return store.setSpans(nil)
    }
    let began = attendance.spansBegan ?? .now
    attendance.spansBegan = began
    store.setSpans(
      SpanListener(clock: { began.duration(to: .now) }) { event in
        for sink in sinks { sink(event) }
      })
  }
}
