import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

/// A conversation with a store: takes statements, runs commands, prints results. The prompt, scripts, `-c` and standard
/// input all come here, so that the same text means the same everywhere.
///
/// Its state stands in parts, each a type of its own. Its methods stand in extensions, each in a file about one of the parts
/// or one way of using a session. It has 19 properties, of which four are no parts: the open journal, its own
/// Lua, the origins of its latest actions, and the lease of those that may outlive it.
public final class Session {
  // The variables that every statement looks at or changes are not checked for exclusive access. A session is used on
  // one thread, and no command runs while one of these is being changed.
  /// The options that the session was started with.
  @exclusivity(unchecked) public var options: SessionOptions {
    didSet { mayDispatch = options.rights.allow(.dispatch) }
  }
  /// True if it may dispatch at least some actions.
  @exclusivity(unchecked) private(set) var mayDispatch: Bool
  /// The console that results and errors go to.
  public let console: Console
  var person = Person()

  /// The session's hold on the store that it speaks to.
  let store: StoreClient
  // Parts of it that every statement asks: what is reached by way of another object is counted.
  private let live: LiveStore
  private let activity: ClientActivity
  /// True if a person gives the statements, as ``store`` was told last.
  @exclusivity(unchecked) private var isPersons = false
  let clock: SessionClock
  /// The messages that others cause for it.
  let inbox: SessionInbox
  let looks: SessionLooks
  let application: SessionApplication
  @exclusivity(unchecked) var running = RunningStatement()
  @exclusivity(unchecked) var outcome = SessionOutcome()
  /// The names of the session's own.
  @exclusivity(unchecked) var names = SessionNames()
  @exclusivity(unchecked) var watches = WatchList() { didSet { activity.watches = watches.list.count } }
  /// The values above the line at the prompt.
  var pins = PinList()
  var settings = SessionSettings()
  @exclusivity(unchecked) var plugins = KnownPlugins()
  @exclusivity(unchecked) var interrupts = Interrupts()
  /// The journal that is open to be read.
  var archive: JournalArchive?
  /// Who its actions are by. The system is asked for the user when the first of them is made.
  package private(set) lazy var author = options.author
  /// What the lines of the latest forms dispatch.
  @exclusivity(unchecked) var knownDispatches = KnownDispatches()
  /// The places that its latest actions came from.
  @exclusivity(unchecked) var origins = ActionSource.RecentOrigins()
  private var luaState: SessionLua?
  /// Leads to it those that may outlive it.
  let lease = Lease<Session>()
  let printer: LogLineWriter

  init(
    _ live: LiveStore, _ application: SessionApplication, _ clock: SessionClock, options: SessionOptions,
    console: Console
  ) {
    let store = StoreClient(of: live)
    self.options = options
    mayDispatch = options.rights.allow(.dispatch)
    self.console = console
    self.clock = clock
    self.store = store
    (self.live, activity) = (live, store.activity)
    self.application = application
    let inbox = SessionInbox(of: activity, wake: clock.wakeUp)
    self.inbox = inbox
    looks = SessionLooks(clock, patience: options.watchPatience)
    // The maker of the session has it for its own, until somebody else gives it a statement.
    inbox.take { _ in }
    if options.format != .auto { settings.origins["output"] = "--as" }
    let writer = LogLineWriter(console: console, isJSON: options.isJSON)
    printer = writer
    writer.tellsNames = { [live] in live.turnAnywhere { live.names.areSeveral } }
    writer.clock = { [live, lease] in live.showsTimesOfDay ? lease.object?.person.clock : nil }
    lease.begin(self)
    looks.session = lease
    store.interruption.isRequested = { [lease] in lease.object?.isInterrupted ?? false }
    if !options.rights.isAll {
      store.refusal = { [rights = options.rights] in Self.refusal(ofDispatching: $0, rights) }
    }
    console.tellsNotesAsEvents = { [lease] in lease.object?.options.isJSON ?? false }
    console.pause = options.outputPause
    console.beforeWriting = { [lease, inbox] in if inbox.hasMessages { lease.object?.tellOthers() } }
    store.turn {
      store.speaker = { options.author }
      store.rights = options.rights.text
      store.isNameChosen = options.who != nil && options.isWhoChosen
      store.hearing.logger = { line in inbox.bring(line.roughSize, by: line.number) { writer.write(line) } }
      store.hearing.plugins = { line in inbox.bring(64 + line.text.utf8.count) { writer.write(line) } }
      store.hearing.words = inbox.noteWords
      store.hearing.wait = { [lease] in lease.object?.write(note: $0) }
      if application.hearsEnd { store.hearing.end = inbox.closeStore }
    }
  }

  /// Asks the person at the terminal a question; nil: there is nobody to ask.
  public var ask: ((_ question: String) -> String?)? {
    get { person.ask }
    set { person.ask = newValue }
  }

  /// Takes another name, which its actions have from now on.
  package func rename(_ name: String, isChosen: Bool) {
    (options.who, options.isWhoChosen) = (name, isChosen)
    author = options.author
    origins.author = author
    running.places = (nil, nil)
    store.turn { [options] in store.speaker = { options.author } }
    store.isNameChosen = isChosen
  }

  /// True if the name that it was given is that of a middleware.
  package var hasNameOfUnit: Bool { options.who.map(store.live.isNameOfUnit) ?? false }

  /// True if a statement asked to leave.
  public var hasQuit: Bool { outcome.hasQuit }

  /// The commands that lines may give.
  var commands: CommandTable { application.commands }

  deinit {
    lease.end()
    // While what they read is still there.
    if application.endsStore { store.live.cancelEffects() }
  }

  /// Ends the trace, and, where nobody shares the store, the journal and the effects.
  ///
  /// - Returns: 0, or 1 where something could not be written, which is reported.
  public func end() -> Int32 {
    defer { if application.endsStore { store.live.cancelEffects() } }
    abandonRun()
    watches.flush()
    tellOthers()
    return max(endTrace(), application.endsStore ? endJournal() : 0)
  }

  // MARK: Lua

  /// The session's Lua, made when it is first needed.
  func lua() throws -> SessionLua {
    if let luaState { return luaState }
    try require(LuaFunctions.need(of: "state"), for: "Lua")
    let made = try SessionLua(
      view: store.view, host: { [lease] in lease.object }, isSandboxed: !options.allowsUnsafeLua)
    made.memory = options.luaMemory
    luaState = made
    publishInterrupts()
    return made
  }

  /// Leaves the session to whichever thread uses it next, perhaps after long, and frees what may be much until then: what its Lua
  /// no longer reaches, and long texts of errors.
  package func rest() {
    luaState?.collectMuchGarbage()
    outcome.shortenErrors()
    inbox.rest()
    activity.rest()
  }

  /// The grammar of statements: the commands of a session stay the same.
  private(set) lazy var grammar = {
    let unfinished = UnfinishedLua(session: lease)
    return commands.grammar { unfinished.session.object?.isUnfinishedLua($0) ?? false }
  }()

  /// Returns true if a Lua text lacks only its end.
  func isUnfinishedLua(_ text: String) -> Bool {
    guard let lua = try? lua() else { return false }
    return lua.isUnfinished(text)
  }

  /// The name of the statement in errors of Lua.
  var chunkName: String { "\(running.origin.file):\(running.statement?.line ?? 1)" }

  // MARK: Running

  /// Runs one statement, printing its result or its error.
  ///
  /// - Returns: 0, or the status of the error.
  @discardableResult
  func run(_ statement: Statement) -> Int32 {
    // Swapped: a copy of a statement counts references to all that is in it.
    var outer: (statement: Statement?, isExcused: Bool, wantsData: Bool, hasReportedAttempt: Bool) =
      (statement, running.isExcused, running.wantsData, running.hasReportedAttempt)
    swap(&outer.statement, &running.statement)
    running.wantsData = false
    let isOutermost = outer.statement == nil
    // Of several results none waits for the others.
    if isOutermost {
      console.delivery.start()
      activity.note(running: statement.content)
      noteWhose()
      console.flushDue(before: statement.line, hasMore: !outcome.steps.isEmpty) { !commands.isBrief(statement) }
    } else if console.isHolding {
      console.flush()
    }
    (running.isExcused, running.hasReportedAttempt) = (false, false)
    var mayHaveNotes = true
    defer {
      if mayHaveNotes { writeNotes() } else { writeJournalNotes() }
      swap(&outer.statement, &running.statement)
      (running.isExcused, running.wantsData) = (outer.isExcused, outer.wantsData)
      running.hasReportedAttempt = outer.hasReportedAttempt
      if isOutermost {
        if !watches.list.isEmpty { watches.tellSums() }
        activity.noteEnd()
      }
    }
    outcome.tally.reached += 1
    outcome.number += 1
    let line = running.origin.isTypedAtDoor ? outcome.number : statement.line
    console.transcribe(statement, program: options.name)
    let (before, failedSteps) = (outcome.tally, outcome.returnedFailures)
    runDueTasks()
    tellOthers()
    if plugins.watch != nil { reloadSavedPlugins() }
    let around = store.beginStatement()
    var status = execute(statement)
    store.endStatement(around)
    tellOthers()
    mayHaveNotes = store.hasFollowUps
    if mayHaveNotes || plugins.watch != nil {
      mayHaveNotes = true
      followPlugins()
      let late = store.takeFaults()
      reportEach(late.map { ShellError(describing: $0) }, in: statement)
      if status == 0, !late.isEmpty {
        fail(1)
        status = 1
      }
    }
    if running.isExcused {
      status = excused(status, before)
      if status != 0, isOutermost { cancelRun(after: line) }
      countCheck(status)
      return status
    }
    if status != 0, isOutermost { cancelRun(after: line) }
    countCheck(status)
    if options.report != nil || outcome.isReported, isOutermost {
      outcome.reportedFile = outcome.reportedFile ?? running.origin.file
      // A step that failed in its Lua is a result of its own.
      if status != 0, outcome.returnedFailures == failedSteps { noteFailure(of: statement) }
    }
    return status
  }

  /// Takes note of whether the statements are a person's. One who comes is told what others took back meanwhile.
  private func noteWhose() {
    guard isPersons != (running.origin.kind == .repl) else { return }
    isPersons.toggle()
    store.turn { store.isPersons = isPersons }
    if isPersons { try? store.hearOfAbsence() }
  }

  /// Tells a person who comes what others took back meanwhile.
  func greet() {
    noteWhose()
    writeNotes()
  }

  /// The status of a `try`, from the status of its command: failures do not count.
  private func excused(_ status: Int32, _ before: SessionOutcome.Tally) -> Int32 {
    // Ctrl-C is meant for the whole script.
    guard status != ShellError.interrupted.status, interrupts.stop?.isStopped != true, !hasQuit else { return status }
    outcome.lastAttempt = status == 0 ? Attempt() : Attempt(outcome.lastError)
    outcome.tally.excuse(to: before)
    return 0
  }

  /// Runs one statement, printing its result or its error.
  ///
  /// - Returns: 0, or the status of the error.
  private func execute(_ statement: Statement) -> Int32 {
    let head = console.isHolding ? store.live.head : nil
    do {
      let result = try commands.run(statement, in: self)
      // A result that nobody has seen yet is not shown any more, unless it tells of what was done.
      if console.isHolding, store.live.head == head, isInterrupted {
        console.dropHeld()
        throw ShellError.interrupted
      }
      reportCheck(statement, hasFailed: false)
      // A task that failed meanwhile fails the command.
      if options.isJSON, store.hasFaults { return 0 }
      if options.isJSON {
        console.writeReport(
          JSONReport.success(line: statement.line, data: result.json, notes: result.notes + store.takeNotes()))
      } else if result.hasNotes {
        for note in result.notes { console.write(note: note) }
      }
      return 0
    } catch {
      reportCheck(statement, hasFailed: !running.isExcused)
      return failed(error, in: statement)
    }
  }

  /// Prints what the store did by itself, and what became of the file that it is kept in.
  func writeNotes() {
    writeJournalNotes()
    if store.hasFollowUps {
      tellOfSavedPlugins()
      for note in store.takeNotes() { write(note: note) }
    }
    tellOthers()
  }

  /// Prints what is to be known beside results and errors; with `--json` an event says it.
  func write(note: String) {
    if options.isJSON {
      console.writeEvent(JSONReport.noted(note))
    } else {
      console.write(note: note)
    }
  }

  func writeJournalNotes() {
    console.writeAhead(live.takeJournalNotes(for: store))
  }

  /// The functions that stop the Lua that may be running, from any thread.
  var interruptHandlers: [@Sendable () -> Void] {
    store.interrupts + [interrupts.relay.interrupt] + (luaState.map { [$0.interrupt] } ?? [])
  }
}

/// Lets a grammar ask its session.
private final class UnfinishedLua: @unchecked Sendable {
  // Safe: a session and the readers of its statements live on one thread.
  let session: Lease<Session>

  init(session: Lease<Session>) { self.session = session }
}

extension Session: SessionLuaHost {
  /// Refuses a function of the session's Lua that the door does not allow.
  public func require(function name: String) throws {
    guard !options.rights.isAll else { return }
    try require(LuaFunctions.need(of: name, atClient: person.files != nil), for: "\(name) in Lua")
  }

  /// The number of changes to the actions that there are.
  public var actionChanges: Int { live.actionChanges }

  /// The action whose full name has those bytes.
  ///
  /// - Throws: ``ShellError`` where there is none.
  public func action(named name: UnsafeRawBufferPointer) throws -> ActionType {
    if let type = store.actions[name] { return type }
    throw unknownAction(String(decoding: name, as: UTF8.self), at: .command)
  }

  /// The action of a call whose arguments were checked, as the store processes it.
  func action(_ call: consuming ActionCall) throws(SchemaError) -> HostAction {
    try live.action(call)
  }

  /// Has an action that the session's Lua dispatches processed.
  public func dispatch(_ call: consuming ActionCall) throws -> String? {
    let report = store.dispatch(try action(call), dispatchSource(byLua: true), answer: .number)
    try finishOne(report)
    handOnDue()
    return report.droppedBy
  }

  /// Makes all that has happened as durable as was asked, and hands on what was printed.
  public func settle() {
    // In the turn nobody waits for a reader.
    if store.isInTurn { store.live.settleJournal() } else { console.flush() }
  }

  /// Hands on what was printed, now and then: a chunk may take long, and somebody may wait for a line of it.
  private func handOnDue() { if !console.isHolding { console.flushDue(before: nil) { false } } }

  /// The value of a name that Lua does not know: a variable of the shell, a projection or a binding of the session.
  public func variable(_ name: String) throws -> Value? {
    try ownVariable(name) ?? namedValue(of: name)
  }

  /// The value at a path or of a projection.
  public func project(_ path: String) throws -> Reading { try read(Path(parsing: path)) }

  /// Prints a line; with `--json` an event says it, unless it goes to a file or into a command.
  public func print(_ text: String) {
    // A plugin's command runs within the turn, in which nobody waits for a reader.
    guard store.isInTurn else {
      printer.print(text, asEvent: answersInJSON)
      return handOnDue()
    }
    inbox.bring { [printer, answersInJSON] in printer.print(text, asEvent: answersInJSON) }
  }
}

extension Session {
  /// Loads the plugins that the session was started with; journaled, but nothing is printed.
  ///
  /// - Returns: 0, or the status of the first that cannot be loaded. Each of them is reported, and the others are loaded.
  public func loadPlugins() -> Int32 {
    running.origin = StatementOrigin(file: "-p", kind: .batch, isStart: true, isAttended: true)
    defer { running.origin = .prompt }
    var status: Int32 = 0
    for folder in options.pluginFolders {
      do {
        _ = try loadPlugin(PluginLocator(options).word(for: folder), silently: true)
      } catch {
        let failure = stoppedStatus() ?? writeError(error)
        if status == 0 { status = failure }
      }
    }
    return status
  }
}
