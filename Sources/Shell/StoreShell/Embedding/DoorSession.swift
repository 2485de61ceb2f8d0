import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreSchema

/// The services of a session for a door: those who come in give its statements, from one thread at a time.
extension Session {
  /// Starts a session for somebody who comes in by a door.
  ///
  /// - Parameters:
  ///   - width: the width of their screen; nil: they have none.
  ///   - wake: has the session attended to soon; called on any thread.
  ///   - output: gets what is printed, on the thread of the session.
  package convenience init<Action: SchematicUnion, State: SchematicRecord>(
    throughDoorOf host: StoreHost<Action, State>, options: SessionOptions, width: @escaping @Sendable () -> Int?,
    wake: @escaping @Sendable () -> Void, output: DoorOutput
  ) throws {
    let console = Console(
      width: width, marks: output.marks, output.text, takeLine: output.line, handOn: output.handOn)
    try self.init(host, options: options, console: console, wake: wake)
    person.pastLines = { [lease] in lease.object?.person.pastAndTyped ?? [] }
  }

  /// Has an interruption end what runs.
  ///
  /// - Parameters:
  ///   - stop: ends all that runs and would run.
  ///   - isRequested: tells whether one waits to be taken.
  ///   - take: the same, and takes it.
  ///   - reason: gives the error of what was interrupted; nil: the usual one.
  ///   - publish: gets the functions that stop the Lua that may be running, whenever there are others.
  ///   - watch: gives a descriptor that is readable while an interruption waits to be taken.
  ///   - hasClientLeft: tells whether the client has left, as far as the door has heard.
  ///   - isClientGone: the same by the system's word, which is asked.
  ///   - waits: is told when a wait begins (true) and when it has ended; gives the reason where it may not begin.
  ///   - shows: sends the client the results so far, while a statement waits.
  package func obey(
    _ stop: RunStop, isRequested: @escaping () -> Bool, take: @escaping () -> Bool,
    reason: @escaping () -> ShellError?, publish: @escaping ([@Sendable () -> Void]) -> Void,
    watch: @escaping () -> Int32, hasClientLeft: @escaping () -> Bool, isClientGone: @escaping () -> Bool,
    waits: @escaping (_ begins: Bool) -> String?, shows: @escaping () -> Void
  ) {
    interrupts.stop = stop
    interrupts.isRequested = isRequested
    interrupts.reason = { reason() ?? .interrupted }
    interrupts.take = take
    interrupts.publish = publish
    interrupts.watch = watch
    interrupts.patience = { if hasClientLeft() { throw ShellError.interrupted } }
    (interrupts.hasClientLeft, interrupts.isClientGone) = (hasClientLeft, isClientGone)
    interrupts.waits = waits
    interrupts.shows = shows
    publishInterrupts()
  }

  /// Gives the screen of the client; nil: it has none that it draws on.
  package func show(on screen: ClientScreen?) {
    person.screen = screen
    pins.hasLine = screen != nil
  }

  /// Lets statements read and write the files of the client; nil: they name files of the program.
  package func serve(_ files: ClientFiles?) { person.files = files }

  package var standingStatements: [StandingStatement] {
    watches.list.map { StandingStatement(text: $0.statement, watch: $0.id) }
      + pins.list.map { StandingStatement(text: "pin \($0.operand)", watch: nil) }
  }

  /// The line of the `atomic begin` of the run that the conversation is in; nil: it is in none.
  package var runLine: Int? { outcome.run?.line }

  /// True once a statement has asked to leave, also where the conversation goes on up to the end of a run.
  package var isToLeave: Bool { hasQuit || outcome.quitsBehindRun }

  /// True between `checks begin` and `checks end`: a line that fails does not end its script.
  package var isWithinChecks: Bool { outcome.checks != nil }

  /// The line of the statement of the client's text that runs, or ran last.
  package var lineUnderWay: Int? { console.lineUnderWay }

  /// Has a wait look whether it is to end.
  package var wakeWait: @Sendable () -> Void { { [bell = clock.bell] in bell?.ring() } }

  /// Prints what others caused.
  package func attend() { runDue() }

  /// True if what others caused may take long to print: the session looks at what it watches itself.
  package var hasLook: Bool { inbox.hasLook }

  /// Runs what a text completes.
  ///
  /// - Parameters:
  ///   - open: the text that a statement was left open in; it is changed to what is open then.
  /// - Returns: 0, or the status of the first failure.
  package func take(_ given: GivenText, open: inout StatementReader?) -> Int32 {
    defer {
      outcome.letGoOfLargeValue()
      if outcome.quitsBehindRun, outcome.run == nil { outcome.hasQuit = true }
    }
    options.keepsGoing = given.keepsGoing
    options.isQuiet = given.isQuiet
    options.isUTF8 = given.isUTF8
    options.usesColor = given.usesStyles
    person.take(given.pastLines, from: given.firstPastLine)
    if let zone = given.zone { person.clock = LocalTime(zone) }
    let isTyped = given.goesOn && given.file == nil
    person.typed = isTyped ? (given.isAnew || open == nil ? "" : person.typed) + given.text : ""
    if let format = given.format { options.format = format }
    outcome.isReported = given.isReported
    options.isJSON = given.isJSON
    printer.isJSON = given.isJSON
    if let file = given.file {
      running.origin = StatementOrigin(file: file, kind: .batch, arguments: given.arguments, isThroughDoor: true)
    } else if !running.origin.isTypedAtDoor {
      running.origin = .door
    }
    if isTyped, given.isAnew, given.text.isEmpty {
      greet()
      for note in store.live.notesOnEditedCode { write(note: note) }
    }
    if let id = given.watchID { watches.goOn(at: id) }
    if let line = given.lostRun { goOn(inLostRun: line) }
    publishNewInterrupts()
    if !running.hasRest { outcome.tally = SessionOutcome.Tally() }
    running.hasRest = given.goesOn || given.hasRest
    let before = outcome.tally.firstStatus
    outcome.tally.firstStatus = 0
    defer { if before != 0 { outcome.tally.firstStatus = before } }
    // It may have been interrupted before it began.
    if interrupts.isRequested?() == true, interrupts.take() {
      open = nil
      let status = writeError(interrupts.reason())
      fail(status)
      return status
    }
    guard !given.isStart else {
      runStart(Array(given.text.utf8), of: running.origin.file, isThroughDoor: true)
      return 0
    }
    guard !given.isScript else {
      return allOrNothing(given.isAtomic, isHeld: given.isHeld) {
        (try? runScript(Array(given.text.utf8), file: running.origin.file, arguments: given.arguments)) ?? 1
      }
    }
    var statements: StatementReader
    if let unfinished = open, !given.isAnew {
      statements = unfinished
      statements.append(given.text.utf8)
      if !given.goesOn { statements.finish() }
    } else {
      statements = StatementReader(
        Array(given.text.utf8), grammar: grammar, firstLine: given.line, isWhole: !given.goesOn)
    }
    open = nil
    // Those of one -c have its number.
    let ended = runStatements(of: &statements, allNumbered: given.file == "-c" ? given.line : nil)
    let status = ended ?? outcome.tally.firstStatus
    if given.goesOn {
      // At a prompt every statement starts anew.
      if ended == nil, given.file != nil || statements.continuation != nil { open = statements }
      return status
    }
    return given.file == nil || given.hasRest ? status : endText(status)
  }

  /// The results of steps, and of statements that failed outside of them, since they were last taken.
  package func takeSteps() -> [TestResult] {
    defer { outcome.steps = [] }
    return outcome.steps
  }

  /// The value at a path.
  ///
  /// - Parameter number: after which action; nil: as it is shown.
  package func value(at path: String, after number: Int?) throws -> Value {
    try require(.read, for: "reading")
    let path = try Path(parsing: path)
    func read() throws -> Value { path.steps.isEmpty ? try wholeState().value : try self.read(path).value }
    guard let number else { return try read() }
    return try store.viewing(number) { try read() }
  }

  /// The text that may stand at the cursor.
  package func completion(of line: String, cursor: Int, openLines: [String]) -> LineCompletion {
    guard options.rights.allow(.read) else { return LineCompletion(replaceFrom: cursor) }
    return Completer(self).complete(line: line, cursor: cursor, openLines: openLines)
  }

  /// The look of a line that is being typed.
  package func decoration(of line: String, cursor: Int, openLines: [String]) -> LineDecoration {
    guard options.rights.allow(.read) else { return LineDecoration() }
    return LineDecorator(self).decoration(of: line, cursor: cursor, openLines: openLines)
  }

  /// True where the prompt shows what may come next, and where it shows the line in colours.
  package var typing: (showsHints: Bool, highlights: Bool) { (settings.showsHints, settings.highlights) }

  /// The entries of the log in a range, oldest first unless it says otherwise.
  ///
  /// - Returns: as many as fit, and the number to go on from; nil: there are no more. Few may match where many were looked at.
  package func entries(in range: LogRange) throws -> (entries: [LoggedEntry], next: Int?) {
    try require(.read, for: "log")
    let concerned = try range.changed.map { concern(try Path(parsing: $0)) }
    var (low, high) = (max(range.first, store.live.oldestEntry + 1), min(range.last ?? .max, store.live.head))
    var found: [LoggedEntry] = []
    var (size, looked) = (0, 0)
    while low <= high {
      let numbers = range.isNewestFirst ? max(low, high - 255)...high : low...min(high, low + 255)
      if looked >= LogRange.mostLookedAt { return (found, range.isNewestFirst ? high : low) }
      let part = try store.entries(numbers)
      for entry in range.isNewestFirst ? part.reversed() : part {
        guard range.mayHold(entry) else { continue }
        if let concerned, try concerned(entry).isEmpty { continue }
        size += entry.footprint
        if found.count >= range.count || (size > LogRange.mostBytes && !found.isEmpty) { return (found, entry.number) }
        found.append(entry)
      }
      looked += numbers.count
      if range.isNewestFirst { high = numbers.lowerBound - 1 } else { low = numbers.upperBound + 1 }
    }
    return (found, nil)
  }

  /// The parts of the value at a path.
  ///
  /// - Parameter number: after which action; nil: as it is shown.
  package func parts(at path: String, after number: Int?, _ choice: ValueParts.Choice) throws -> ValueParts {
    try require(.read, for: "reading")
    let path = try Path(parsing: path)
    func read() throws -> Reading { path.steps.isEmpty ? try wholeState() : try self.read(path) }
    let reading = try number.map { try store.viewing($0, read) } ?? read()
    return ValueParts(of: reading, at: path, choice)
  }

  /// Throws where the session may not look at the store.
  package func requireReading(for what: String) throws { try require(.read, for: what) }

  /// The point in time, and the first and last action that the history holds.
  package var now: (time: Duration, oldest: Int, head: Int) {
    store.turn { (store.live.clock.now, store.live.history.oldest, store.live.head) }
  }
}

/// Whoever takes what a session of a door prints.
package struct DoorOutput {
  package let marks: StyleMarks
  /// Takes text, as UTF-8.
  package let text: (UnsafeBufferPointer<UInt8>, OutputTarget) -> Void
  /// Takes a line of JSON: the report of a command, or an event.
  package let line: (_ line: String, _ isEvent: Bool) -> Void
  /// Hands on what was taken so far, before the statement of a line; nil: while a statement runs.
  package let handOn: (_ nextLine: Int?) -> Void

  package init(
    marks: StyleMarks, text: @escaping (UnsafeBufferPointer<UInt8>, OutputTarget) -> Void,
    line: @escaping (_ line: String, _ isEvent: Bool) -> Void, handOn: @escaping (_ nextLine: Int?) -> Void
  ) {
    (self.marks, self.text, self.line, self.handOn) = (marks, text, line, handOn)
  }
}

/// A statement whose outcome stands: a watch or a pin, which another session may go on with.
package struct StandingStatement: Equatable, Sendable {
  package let text: String
  /// The id of the watch; nil: it is a pin.
  package let watch: Int?

  package init(text: String, watch: Int?) { (self.text, self.watch) = (text, watch) }
}

/// A text with statements that a door was sent: a property for each member of such a request.
package struct GivenText: Sendable {
  package let text: String
  /// The name of the file that it stands in; nil: somebody typed it.
  package var file: String?
  /// The number of its first line.
  package var line = 1
  package var arguments: [String] = []
  /// True if its end may be in the middle of a statement, and more of it comes.
  package var goesOn = false
  /// True if it does not go on with what was left open.
  package var isAnew = false
  /// True if all of its syntax is checked before anything runs.
  package var isScript = false
  /// True if a prompt starts with it: it only reads, and may make aliases.
  package var isStart = false
  /// True if all that it dispatches is taken back unless it comes to its end without an error.
  package var isAtomic = false
  /// True if its run stays open at an end without an error, until `atomic end` or `atomic cancel` comes.
  package var isHeld = false
  /// True if other texts of the same run follow.
  package var hasRest = false
  package var keepsGoing = false
  package var isQuiet = false
  /// True if the results of its steps are wanted.
  package var isReported = false
  package var isUTF8 = false
  /// True if text has styles.
  package var usesStyles = false
  /// The id of the watch that it begins; nil: the next one.
  package var watchID: Int?
  /// The line of the `atomic begin` of a run that was lost with an earlier conversation; nil: none was.
  package var lostRun: Int?
  /// True if the client serves the files that its statements name.
  package var servesFiles = false
  /// The lines that were given since the text before, as `history` lists them.
  package var pastLines: [PastLine] = []
  /// The number of the first of them; nil: they go on where the last ones ended.
  package var firstPastLine: Int?
  package var isJSON = false
  package var format: Format?
  package var width: Int?
  /// The rows of a screen on which the client draws what it is sent; nil: it draws nothing.
  package var rows: Int?
  /// The reader's clock; nil: it stays as it was.
  package var zone: ReaderClock?

  package init(_ text: String) { self.text = text }
}

/// A range of the log, and the entries of it that are asked for.
package struct LogRange: Sendable {
  package var first: Int
  package var last: Int?
  package var count = LogRange.most
  /// The pattern of names of actions; nil: any.
  package var action: String?
  /// The path that something was changed at; nil: any.
  package var changed: String?
  /// The pattern of what the source says: its short form, the name, its kind or the plugin; nil: any.
  package var source: String?
  /// A text in lower case that the name of an action, an argument or a value that changed holds, capital letters or not; nil:
  /// any.
  package var text: String?
  /// The pattern of names under which actions were dispatched; nil: any.
  package var who: String?
  /// True if only actions that failed or were dropped are meant.
  package var isOfFailures = false
  /// True if the newest come first.
  package var isNewestFirst = false

  package init(first: Int) { self.first = first }

  /// The most entries in one answer.
  package static let most = 1000
  /// Entries of about so many bytes end an answer.
  static let mostBytes = 1 << 20
  /// So many entries are looked at for one answer, so that a door's other requests do not wait for a search.
  static let mostLookedAt = 20_000

  /// Whether an entry is meant, the places of its changes aside.
  fileprivate func mayHold(_ entry: LoggedEntry) -> Bool {
    if let action, !Glob.matches(action, entry.action) { return false }
    if isOfFailures, entry.failure == nil, entry.droppedBy == nil { return false }
    if let text, !entry.action.lowercased().contains(text), !ValueParts.holds(.record(entry.arguments), text),
      !entry.changes.contains(where: { $0.holds(text) })
    {
      return false
    }
    if let who, !entry.source.isBy(who) { return false }
    guard let pattern = source else { return true }
    let source = entry.source
    return [source.short, source.kind.rawValue, source.who, source.plugin].contains { text in
      text.map { Glob.matches(pattern, $0) } ?? false
    }
  }
}

extension Change {
  /// True if the value before or after it holds a text.
  fileprivate func holds(_ text: String) -> Bool {
    switch kind {
    case .replace(let old, let new): ValueParts.holds(old, text) || ValueParts.holds(new, text)
    case .add(let value), .remove(let value): ValueParts.holds(value, text)
    case .move: false
    }
  }
}
