import Platform
import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StoreSchema

extension JSONReport {
  /// The outcome of the dispatch that an entry of the log tells of.
  ///
  /// - Parameters:
  ///   - caused: the entries of the actions that it caused.
  ///   - returned: the statements that it takes back and brings back; nil: it returns to nothing.
  static func dispatch(
    _ entry: LoggedEntry, caused: [LoggedEntry] = [], returning returned: ReturnedStatements? = nil
  ) -> String {
    dispatch(
      id: entry.number, action: entry.action, arguments: returned.map { _ in entry.arguments },
      who: returned.flatMap { _ in entry.source.who }, changes: entry.changes,
      droppedBy: entry.droppedBy,
      dispatchedAs: entry.original.map { ActionText.text($0.action, arguments: $0.arguments) },
      caused: caused.map { entry in
        dispatch(
          id: entry.number, action: entry.action, arguments: entry.arguments, source: entry.source.short,
          changes: entry.changes, droppedBy: entry.droppedBy)
      }, returning: returned?.json ?? ([], [], []))
  }
}

/// The statements that an undo or a redo takes back and brings back, and later actions that have no effect now.
struct ReturnedStatements {
  /// The number of a statement's last action, of its actions that asked for something, and the first of them.
  typealias Statement = (last: Int, count: Int, first: LoggedEntry)
  var takesBack: [Statement] = []
  var bringsBack: [Statement] = []
  var noEffect: [LoggedEntry] = []

  fileprivate var json: (takesBack: [String], bringsBack: [String], noEffect: [String]) {
    (takesBack.map(Self.json), bringsBack.map(Self.json), noEffect.map { Self.json(($0.number, 1, $0)) })
  }

  private static func json(_ statement: Statement) -> String {
    let entry = statement.first
    return JSON.object([
      "id": .number(entry.number), "last": statement.last == entry.number ? nil : .number(statement.last),
      "count": statement.count == 1 ? nil : .number(statement.count), "action": .text(entry.action),
      "args": .value(.given(entry.arguments)), "who": entry.source.who.map { .text($0) },
    ])
  }
}

extension Session {
  /// Has an action of the shell processed, by a command, and prints what it changed.
  func perform(_ action: ShellAction, by command: String) throws -> CommandResult {
    try finish(store.dispatch(action, source(function: command)))
  }

  /// Tells that a projection lets an action go no further (R26).
  func noteDropped(_ name: String, by projection: String) {
    store.live.trace(.dropped(what: name, reason: "projection \(projection)"))
    write(note: "\(name) was not dispatched: the projection \(projection) maps it to nothing")
  }

  /// Has an action of this statement processed, and prints what it changed, or throws what went wrong with it.
  func finish(_ action: HostAction) throws -> CommandResult {
    let answer: DispatchAnswer = givesData ? .entry : options.isQuiet ? .number : .changes
    let report = store.dispatch(action, dispatchSource(), answer: answer)
    guard report.tellsChanges, let number = report.number else { return try finish(report) }
    tellOthers()
    let (call, changes) = (action.call, store.changes)
    let remark = changes.isEmpty ? Self.noChange : nil
    // What is to be told before it was told just now.
    if console.isWritingPlainly {
      append(number, call, changes, remark, to: &console.output)
      console.endWriting()
    } else {
      console.write { append(number, call, changes, remark, to: &$0) }
    }
    return .none
  }

  private static let noChange = "  (changed nothing)"

  /// Appends a plain action and what it changed.
  @inline(never)
  private func append(
    _ number: Int, _ call: ActionCall, _ changes: [Change], _ remark: String?, to out: inout TextBuffer
  ) {
    ActionText.appendBrief(
      call.type.fullName, call.type.layout, call.arguments, numbered: number, remark: remark, to: &out)
    append(changes, of: number, call.type.fullName, indent: "  ", isWhole: false, to: &out)
  }

  /// Prints the answer to an action of this statement, or throws what went wrong with it.
  ///
  /// - Parameters:
  ///   - remark: the text in parentheses behind the action.
  ///   - listsChanges: true if its changes are printed.
  ///   - details: the text printed below, a line each.
  ///   - returned: gives what the action takes back and brings back, for `--json`; nil: it returns to nothing.
  func finish(
    _ report: DispatchReport, quietly isQuiet: Bool = false, remark: String? = nil, listsChanges: Bool = true,
    details: [String] = [], returning returned: (() throws -> ReturnedStatements)? = nil
  ) throws -> CommandResult {
    tellOthers()
    if let failure = report.failure {
      guard failure is StoreError, let number = report.number else { throw ShellError(describing: failure) }
      let errors = [failure] + report.faults
      guard let entry = try? report.entry ?? store.entry(number) else {
        throw AppliedWithFaults(errors: errors, number: number)
      }
      // The action was applied; what it caused was stopped.
      let isSilent = options.isQuiet || isQuiet
      let caused = isSilent && !givesData ? [] : caused(by: report)
      if !answersInJSON, !isSilent { write(entry, causing: caused) }
      throw AppliedWithFaults(errors: errors, entry, caused: caused)
    }
    let isSilent = options.isQuiet || isQuiet
    if let dropped = droppedText(report) {
      outcome.lastDropped = dropped
      if isSilent, !answersInJSON { store.leave(note: dropped) }
    }
    guard givesData || !isSilent || report.hasFaults, let number = report.number else { return .none }
    // What memory has no room for, a file may keep.
    guard let entry = try report.entry ?? store.entry(number) else {
      // The action was too large for the history, or its consequences were.
      guard report.faults.isEmpty else { throw AppliedWithFaults(errors: report.faults, number: number) }
      if let remark, !isSilent, !answersInJSON { console.write("#\(number)  (\(remark))\n") }
      write(note: "#\(number) was applied; the history is too small to keep what it changed (set journal.limit)")
      return .none
    }
    let caused = isSilent && !givesData ? [] : caused(by: report)
    if !answersInJSON, !isSilent {
      let cancelled = report.cancelled
      write(
        entry, remark: remark ?? (cancelled == 0 ? nil : "\(cancelled) \(cancelled == 1 ? "task" : "tasks") cancelled"),
        listsChanges: listsChanges, causing: caused)
      for detail in details { console.write("  \(detail)\n") }
    }
    if !report.faults.isEmpty { throw AppliedWithFaults(errors: report.faults, entry, caused: caused) }
    guard givesData else { return .none }
    return CommandResult(json: JSONReport.dispatch(entry, caused: caused, returning: try returned?()))
  }

  /// Prints what an action would do, or throws what would go wrong with it.
  func finish(_ rehearsal: Rehearsal, quietly isQuiet: Bool) throws -> CommandResult {
    let report = rehearsal.report
    if let failure = report.failure { throw ShellError(describing: failure) }
    guard let entry = report.entry else { return .none }
    if !answersInJSON, !options.isQuiet, !isQuiet {
      write(entry, remark: "dry run", causing: rehearsal.caused, isWhole: true)
      if !rehearsal.tasks.isEmpty { console.write("  would start \(rehearsal.tasks.joined(separator: ", "))\n") }
      if !rehearsal.leftOut.isEmpty { console.write("  left out: \(rehearsal.leftOut.joined(separator: ", "))\n") }
    }
    if let fault = report.faults.first { throw ShellError(describing: fault) }
    guard givesData else { return .none }
    return CommandResult(
      json: JSON.object([
        "dryRun": .json(JSONReport.dispatch(entry, caused: rehearsal.caused)),
        "tasks": rehearsal.tasks.isEmpty ? nil : .texts(rehearsal.tasks),
        "leftOut": rehearsal.leftOut.isEmpty ? nil : .texts(rehearsal.leftOut),
      ]))
  }

  /// The actions that an action of this statement has caused; none if they cannot be read, or the user interrupts that: the answer
  /// then tells of the action alone.
  private func caused(by report: DispatchReport) -> [LoggedEntry] {
    guard let last = report.lastBehind, let number = report.number else { return [] }
    return (try? store.caused(by: number, upTo: last)) ?? []
  }

  /// Has a note tell that an interceptor took an action of which nothing else is printed.
  func leaveNote(ofDropped report: DispatchReport) {
    guard let dropped = droppedText(report) else { return }
    outcome.lastDropped = dropped
    store.leave(note: dropped)
  }

  private func droppedText(_ report: DispatchReport) -> String? {
    guard let interceptor = report.droppedBy, let entry = report.entry, !entry.isThunk else { return nil }
    return "\(entry.action) was dropped by \(interceptor)"
  }

  /// Runs a command of which is said whether it was done: one whose action an interceptor dropped was not.
  func performed(_ command: Statement) throws -> CommandResult {
    outcome.lastDropped = nil
    let result = try commands.run(command, in: self)
    guard let dropped = outcome.lastDropped else { return result }
    var error = ShellError(code: .refused, message: dropped)
    error.data = result.json
    throw error
  }

  /// - Parameter isWhole: true if nothing is left out on a screen either: no command shows it later.
  private func write(
    _ entry: LoggedEntry, remark: String? = nil, listsChanges: Bool = true, causing caused: [LoggedEntry] = [],
    isWhole: Bool = false
  ) {
    let remark = fullRemark(remark, of: entry, listsChanges)
    // In one piece: what is told waits for the disk each time.
    if console.beginWriting() {
      append(entry, remark, listsChanges, caused, isWhole, to: &console.output)
      console.endWriting()
    } else {
      console.write { append(entry, remark, listsChanges, caused, isWhole, to: &$0) }
    }
  }

  /// What stands behind an action; nil: nothing.
  private func fullRemark(_ remark: String?, of entry: LoggedEntry, _ listsChanges: Bool) -> String? {
    if remark == nil, !entry.hasRarities, !entry.changes.isEmpty { return nil }
    var remark = remark.map { "  (\($0))" } ?? ""
    if let original = entry.original {
      remark += "  (dispatched as \(ActionText.brief(original.action, arguments: original.arguments)))"
    }
    if let interceptor = entry.droppedBy, !entry.isThunk {
      remark += "  (dropped by \(interceptor))"
    } else if entry.changes.isEmpty, listsChanges, !entry.isWhole, !entry.isThunk {
      remark += Self.noChange
    }
    return remark
  }

  @inline(never)
  private func append(
    _ entry: LoggedEntry, _ remark: String?, _ listsChanges: Bool, _ caused: [LoggedEntry], _ isWhole: Bool,
    to out: inout TextBuffer
  ) {
    ActionText.appendBrief(
      entry.action, entry.arguments.layout, entry.arguments.values, numbered: entry.number, remark: remark, to: &out)
    if listsChanges { append(entry.changes, of: entry.number, entry.action, indent: "  ", isWhole: isWhole, to: &out) }
    if !caused.isEmpty { append(caused, by: entry.number, isWhole: isWhole, to: &out) }
  }

  /// Appends the changes of an action, on a screen as many as a reader looks at; a file gets all.
  private func append(
    _ changes: [Change], of number: Int, _ action: String, indent: StaticString, isWhole: Bool, to out: inout TextBuffer
  ) {
    // Few are shown to everybody.
    guard isWhole || changes.count > Self.shownOfReturn else {
      return ChangeFormatter.append(linesOf: changes, indent: indent, marks: resultMarks, to: &out)
    }
    let isReturn = action == UndoLine.restoreAction
    var most: Int?
    if console.showsResults {
      most = isReturn ? Self.shownOfReturn : Self.shownChanges
    } else if isReturn, !console.isCapturing {
      most = Self.shownChanges
    }
    let shown = isWhole ? changes.count : min(most ?? .max, changes.count)
    ChangeFormatter.append(linesOf: changes, most: shown, indent: indent, marks: resultMarks, to: &out)
    let left = changes.count - shown
    guard left > 0 else { return }
    let mark = options.isUTF8 ? "…" : "..."
    out.append(indent)
    out.append("\(mark) \(left) more changes; diff \(number - 1) \(number) shows all of them\n")
  }

  /// Appends the actions that one caused, each with its changes; a run of a quiet one is a line.
  private func append(_ caused: [LoggedEntry], by number: Int, isWhole: Bool, to out: inout TextBuffer) {
    let lines = caused.folded()
    let shown = isWhole ? lines.count : Self.shownCaused
    for line in lines.prefix(shown) {
      let entry = line.first
      out.append("  #\(entry.number)")
      if line.count > 1 {
        out.append("-\(line.last.number) \(entry.action) x\(line.count)")
      } else {
        out.append(" " as Unicode.Scalar)
        ActionText.appendBrief(entry.action, arguments: entry.arguments, to: &out)
      }
      out.append(" <- \(entry.source.short)")
      if let failure = entry.failureText {
        out.append("  (failed: \(failure))")
      } else if let interceptor = entry.droppedBy, !entry.isThunk {
        out.append("  (dropped by \(interceptor))")
      } else if entry.changes.isEmpty, !entry.isWhole, !entry.isThunk, !entry.isQuiet {
        out.append("  (changed nothing)")
      }
      out.append("\n" as Unicode.Scalar)
      guard !entry.isQuiet else { continue }
      append(entry.changes, of: entry.number, entry.action, indent: "    ", isWhole: isWhole, to: &out)
    }
    guard lines.count > shown else { return }
    let left = lines.dropFirst(shown).reduce(0) { $0 + $1.count }
    out.append("  \(options.isUTF8 ? "…" : "...") \(left) more, log --cause \(number)\n")
  }

  /// The number of changes that a person is shown of an action.
  private static let shownChanges = 1000
  /// The same of a return to an earlier state, of which the reader knows most: a screen.
  private static let shownOfReturn = 20
  /// The number of lines about what an action has caused.
  private static let shownCaused = 10

  /// The error of a name that no action has.
  func unknownAction(_ name: String, at place: ShellError.Place) -> ShellError {
    if let command = Module.command(dispatching: name) {
      return ShellError(
        code: .unknownAction, message: "'\(name)' is an action of the shell itself: use the command \(command)",
        place: place, hint: "help \(command)")
    }
    if let call = name.firstIndex(of: "("), store.action(named: String(name[..<call])) != nil {
      return ShellError(
        code: .unknownAction, message: "unknown action '\(name)'", place: place,
        hint: "arguments stand behind a space: \(name[..<call]) NAME=VALUE")
    }
    let isModule = store.modules.contains { $0.name == name }
    return ShellError(
      code: .unknownAction, message: "unknown action '\(name)'", place: place,
      hint: isModule
        ? "describe \(name) lists its actions"
        : Suggestion.question(name, among: actionNames) ?? "describe lists the modules, describe MODULE their actions")
  }
}

extension Session {
  /// Lets something outside end the run: a signal, or the end of its time. Nil: nothing does any more.
  public func obey(_ stop: RunStop?) {
    interrupts.stop = stop
    interrupts.descriptor = stop?.descriptor ?? -1
    console.obey(interrupts.descriptor)
    interrupts.take = { stop?.isStopped ?? false }
    publishInterrupts()
  }

  /// Says what Lua there is that a stop would have to interrupt.
  func publishInterrupts() {
    interrupts.published = store.live.pluginChanges
    interrupts.stop?.setInterrupts(interruptHandlers)
    interrupts.publish?(interruptHandlers)
  }

  /// The same, where others have changed the plugins since.
  func publishNewInterrupts() {
    if store.live.pluginChanges != interrupts.published { publishInterrupts() }
  }

  /// The status with which a run ends that was stopped; nil: it goes on. A stop between two commands is told of here.
  public func stoppedStatus() -> Int32? {
    // A call that a signal ended may have been the last of the statement.
    if options.allowsUnsafeLua { interrupts.stop?.awaitSignals() }
    // Unmanaged, as each statement asks.
    guard let asked = interrupts.stop.map({ Unmanaged.passUnretained($0) }),
      asked._withUnsafeGuaranteedRef({ $0.isStopped }), let error = interrupts.stop?.error
    else { return nil }
    if !outcome.hasReportedStop, error.code == .timedOut {
      outcome.hasReportedStop = true
      writeError(error, file: running.origin.file)
    }
    return error.status
  }

  /// Prints what others cause, until something outside ends the run.
  public func serve() {
    guard let stop = interrupts.stop else { return }
    store.rest()
    store.turn { store.onlyServes = true }
    defer {
      store.turn { store.onlyServes = false }
      store.endWait()
    }
    while !stop.isStopped, !hasQuit {
      runDue()
      console.flush()
      inbox.rest()
      clock.rest(for: untilNext ?? .seconds(60), interrupt: stop.descriptor, wake: wakeDescriptors)
    }
  }

  /// Waits until a descriptor can be read.
  ///
  /// - Returns: false: the run is to end instead.
  func waitToRead(_ descriptor: Int32) -> Bool {
    guard let stop = interrupts.stop else { return true }
    while !stop.isStopped {
      var sources = [descriptor, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&sources, 2, -1) > 0, sources[1].revents == 0 { return true }
    }
    return false
  }
}

extension Session {
  /// Ends the trace that is written into a file, if there is one.
  ///
  /// - Returns: 0, or 1 where it could not be written, which is reported.
  public func endTrace() -> Int32 {
    do throws(FileError) {
      try finishTrace()
      return 0
    } catch {
      writeError(ShellError(error))
      return 1
    }
  }

  /// Writes spans into a file from now on.
  func startTrace(_ path: String) throws(FileError) {
    let trace = try ChromeTrace(path)
    settings.chromeTrace = trace
    store.setSpans(trace.receiver)
  }

  /// Prints the times of each action's phases from now on.
  func startTimes() {
    let writer = LogLineWriter(console: console, isJSON: options.isJSON)
    store.setSpans(
      ActionTimes.receiver { [inbox] times in inbox.bring(64 + times.phases.count * 64) { writer.write(times) } })
  }

  /// Ends the trace that is written into a file, or the printing of times.
  ///
  /// - Returns: the trace, where there was one.
  @discardableResult
  func finishTrace() throws(FileError) -> ChromeTrace? {
    store.setSpans(nil)
    guard let trace = settings.chromeTrace else { return nil }
    settings.chromeTrace = nil
    console.prepareTelling()
    try trace.end()
    return trace
  }
}

/// The report of a run.
extension Session {
  /// Takes note of a statement of the run itself that failed outside of all steps, for the report.
  func noteFailure(of statement: Statement) {
    guard let error = outcome.lastError, commands[statement] !== CommandDefinition.checks else { return }
    var rest = statement
    while let prefix = commands[rest], prefix.takesCommand {
      guard prefix.verb != "step" else { return }
      guard let inner = rest.droppingWords(1 + prefix.wordsBeforeCommand) else { break }
      rest = inner
    }
    noteStep("\(running.origin.file):\(statement.line): \(statement.text.prefix { !$0.isNewline })", seconds: 0, error)
  }

  /// Takes note of the result of a step.
  ///
  /// - Parameters:
  ///   - error: why it failed; nil: it did not.
  ///   - isNamed: true if the script gives it its name, so that `--json` tells of it.
  func noteStep(_ name: String, seconds: Double, _ error: ShellError?, isNamed: Bool = false) {
    // What ends the run has the command that runs end as Ctrl-C does.
    let error = error?.code == .interrupted ? interrupts.stop?.error ?? interrupts.reason() : error
    var result = TestResult(name: name, seconds: seconds, error: error)
    result.output = outcome.programOutput ?? ""
    outcome.steps.append(result)
    if isNamed { tell(of: result, line: running.statement?.line ?? 1) }
  }

  /// Adds the steps that a script does not reach to the report.
  func noteUnreachedSteps(of reader: StatementReader, because reason: String = "a line before it failed") {
    guard options.isJSON || options.report != nil || outcome.isReported, !running.isChecking else { return }
    var reader = reader
    while let statement = try? reader.next() {
      var rest = statement
      while let prefix = commands[rest], prefix.takesCommand {
        if prefix === CommandDefinition.step, rest.words.count > 1 {
          let word = rest.words[1]
          let result = TestResult(
            name: word.value?.knownValue?.text ?? word.text, outcome: .skipped(reason))
          outcome.steps.append(result)
          tell(of: result, line: statement.line)
        }
        guard let inner = rest.droppingWords(1 + prefix.wordsBeforeCommand) else { break }
        rest = inner
      }
    }
  }

  private func tell(of step: TestResult, line: Int) {
    if options.isJSON { console.writeEvent(JSONReport.step(step, file: running.origin.file, line: line)) }
  }

  /// Sees to it that the report of the run can be written, where one is wanted, before anything is done.
  ///
  /// - Parameter sources: the files that the run reads.
  /// - Returns: 0, or the status of the error, which is reported.
  public func prepareReport(besides sources: [String]) -> Int32 {
    guard let report = options.report, !running.isChecking else { return 0 }
    do {
      try refuseStore(report.path, at: .command)
      try report.prepare(besides: sources, waiting: interrupts.fileWait)
      return 0
    } catch {
      return writeError(error)
    }
  }

  /// Writes the report of the run, where one is wanted.
  ///
  /// - Parameter status: the status of the run. What ended it is in the report, also where that was no step.
  /// - Returns: the status, or that of the error where the report cannot be written.
  public func writeReport(after status: Int32) -> Int32 {
    guard let report = options.report, !running.isChecking, !outcome.hasLostReport else { return status }
    let suite = outcome.reportedFile ?? options.name
    let hasFailure = outcome.steps.contains { if case .failed = $0.outcome { true } else { false } }
    if status != 0, !hasFailure {
      let error = outcome.lastError ?? ShellError(code: .failed, message: "the run ended with status \(status)")
      noteStep(suite, seconds: 0, error)
    }
    do throws(FileError) {
      try report.write(outcome.steps, suite: suite, to: makeFile(report.path))
      return status
    } catch {
      outcome.hasLostReport = true
      // What ends the run is the reason, and has been told or is told now.
      let stopped = error.code == EINTR ? stoppedStatus() : nil
      let failed = stopped ?? writeError(error)
      return status == 0 ? failed : status
    }
  }
}

/// The statement that runs, and how it does.
struct RunningStatement {
  /// True if more texts of the run follow that the statement belongs to.
  var hasRest = false
  /// The origin of statements.
  var origin = StatementOrigin.prompt { didSet { places = (nil, nil) } }
  /// The origins of what the statements of that origin, and their Lua, dispatch; nil: none has dispatched yet.
  var places: (dispatch: ActionSource.Origin?, lua: ActionSource.Origin?) = (nil, nil)
  /// The statement; nil: none runs.
  var statement: Statement?
  /// True where its result is kept to be drawn on the terminal.
  var drawsOnScreen = false
  /// True where it stands between `checks begin` and `checks end`.
  var isCheck = false
  /// The number of statements around it whose Lua runs it by `command`.
  var depth = 0
  /// True where a `try` excuses it.
  var isExcused = false
  /// True where a failure is not reported, since a `retry` runs the command again.
  var isTriedAgain = false
  /// True if Lua's `command` reported the error of the last attempt within this statement.
  var hasReportedAttempt = false
  /// True where Lua wants the data of its result, beside what it prints.
  var wantsData = false
  /// True where statements are checked instead of being performed.
  var isChecking = false
  /// The names that earlier lines will have given, while lines are looked at that do not run; nil: they run.
  var foreseen: ForeseenNames?
  /// True where one of the checked statements would have made a file.
  var mayHaveWritten = false
}
