import Platform
import ShellLanguage
import StoreHost
import StoreSchema
import StoreShell

/// A shell whose store is elsewhere: it gives texts to a door and prints the answers.
public final class AttachedShell {
  /// The options of a run, as the program's own.
  public struct Options: Sendable {
    /// True if scripts go on after an error.
    public var keepsGoing = false
    /// True if every command answers with one JSON object a line.
    public var isJSON = false
    /// True if dispatches print nothing.
    public var isQuiet = false
    /// The form of results where a command does not say so itself.
    public var format = Format.auto
    /// True if text has styles where it goes to a terminal.
    public var usesColor = false
    /// True if drawings may use more than ASCII.
    public var isUTF8 = true
    /// True if programs may run here.
    public var runsPrograms = true
    /// True if all that a script dispatches is taken back unless it comes to its end without an error.
    public var isAllOrNothing = false
    /// The file here with the statements that a prompt starts with; nil: it starts with none.
    public var initFile: String?
    /// The report that is written here once the run is over; nil: none is wanted.
    public var report: RunReport?

    /// The usual ones.
    public init() {}
  }

  struct Outcome {
    var status: Int32 = 0
    /// The prompt of the line that goes on with a statement; nil: none is open.
    var open: String?
    /// The status that was asked to leave with; nil: nobody asked.
    var quit: Int32?
    /// True between `checks begin` and `checks end`: a line that fails does not end its script.
    var isWithinChecks = false
  }

  private(set) var client: DoorClient
  let console: Console
  let options: Options
  /// The results of the steps of the run, where somebody wants a report.
  var steps: [TestResult] = []
  private(set) var lastError: ShellError?
  /// True if statements were given over there.
  private(set) var hasRun = false
  /// The name, in a report, of the statement whose answer never came; nil: all were answered.
  private var unanswered: String?
  /// The status of the report once it was written; nil: it was not.
  private var reportStatus: Int32?
  /// True while results go to standard error: what they are of failed.
  private var tellsOfFailure = false
  /// True if a statement has told why the run ends early.
  private(set) var hasToldOfStop = false
  private(set) var prompt: String
  /// True if a statement asked to leave.
  public private(set) var hasQuit = false
  private var number = 0
  private var hasToldClock = false
  /// The number of the last action that the door told of.
  private var head: Int
  /// The line of the `atomic begin` of the run that is open over there; nil: none is.
  private(set) var openRun: Int?
  /// The statements that begin the watches and the pins over there.
  private var standing: [StandingStatement] = []
  /// The look of the line that is being typed.
  private var look = AttachedLook()
  /// True if more is known of it than was shown.
  private var hasNewLook = false
  /// The values that are kept above the line.
  private(set) var pinned = ""
  /// The rows of the terminal, where a prompt can draw on it; nil: there is none.
  var screenRows: (() -> Int)?
  /// The keys of the terminal while any of them ends what runs; nil: none does.
  private var keys: TerminalKeys?
  /// What is drawn in its place again and again.
  private var drawn = DrawnText()
  /// The files that the store's end reads and writes here.
  var files = AttachedFiles()
  private var openText = ""
  /// What arrived while something else was waited for.
  private var events: [DoorMessage] = []
  /// Readable while what runs is to stop; -1: nothing says so.
  var interruptDescriptor: Int32 = -1
  /// The interruption of what runs, which the door was told of; nil: it was not interrupted.
  var interruption: AttachedInterruption?
  /// Tells whether what runs is to stop, and takes that.
  var takeInterrupt: () -> Bool = { false }

  /// The end of the run from outside; nil: nothing ends it.
  var stop: RunStop?

  /// A shell that speaks by a client.
  public init(_ client: DoorClient, console: Console, options: Options = Options()) {
    self.client = client
    self.console = console
    self.options = options
    files.runsPrograms = options.runsPrograms
    head = client.greeting.number("head") ?? 0
    prompt = SafeText.line(client.greeting.text("prompt") ?? "> ")
  }

  /// Lets something outside end the run: a signal, or the end of its time.
  public func obey(_ stop: RunStop) {
    self.stop = stop
    interruptDescriptor = stop.descriptor
    console.obey(stop.descriptor)
    takeInterrupt = { stop.error != nil }
  }

  /// Lets a script that runs before the prompt have what only a prompt has: values above the line, and results drawn in their place.
  package func expectPrompt() { screenRows = { UserEnvironment.screenRows ?? 24 } }

  /// True if scripts go on after an error.
  var keepsGoing: Bool { options.keepsGoing }

  /// True if the line is shown in colours or with hints.
  var decorates: Bool { options.usesColor && (look.showsHints || look.highlights) }

  /// The marks of styles in text that goes to the outputs.
  private lazy var marks: [OutputTarget: StyleMarks] = [
    .standardOutput: options.usesColor && console.width() != nil ? .terminal : .none,
    .standardError: options.usesColor && isatty(2) == 1 ? .terminal : .none,
  ]

  /// Prints an error that belongs to no statement.
  ///
  /// - Parameter file: the script that it is about; nil: it is about none.
  /// - Returns: its status.
  @discardableResult
  public func report(_ error: ShellError, file: String? = nil) -> Int32 {
    lastError = error
    if options.isJSON {
      console.write(JSONReport.failure(error, file: file) + "\n")
    } else {
      console.writeError(renderer(of: nil).text(of: error))
    }
    console.flush()
    return error.status
  }

  /// Prints a fault of a script that was found here.
  ///
  /// - Returns: its status.
  func report(_ fault: SyntaxFault, hint: String? = nil, file: String) -> Int32 {
    let error = ShellError(code: fault.code, message: fault.message, hint: hint, status: 2)
    lastError = error
    if options.isJSON {
      console.write(JSONReport.failure(fault, file: file) + "\n")
    } else {
      console.writeError(renderer(of: file).text(of: fault) + (hint.map { "  hint: \($0)\n" } ?? ""))
    }
    console.flush()
    return error.status
  }

  private func renderer(of file: String?) -> ErrorRenderer {
    var renderer = ErrorRenderer(file: file, marks: marks[.standardError] ?? .none)
    renderer.isUTF8 = options.isUTF8
    return renderer
  }

  /// Has a text run over there, and prints what it prints.
  ///
  /// - Parameters:
  ///   - goesOn: true if its end may be in the middle of a statement.
  ///   - isStart: true for what a prompt starts with.
  ///   - hasRest: true if other texts of the same run follow.
  ///   - pastLines: the lines that `history` lists there.
  ///   - firstPastLine: the number of the first of them.
  ///   - watchID: the id of the watch that it begins; nil: the next one.
  ///   - lostRun: the line of the `atomic begin` of a run that was lost with the conversation before; nil: none was.
  /// - Throws: `ShellError` with status 6 where the connection is lost.
  func run(
    _ text: String, file: String? = nil, line: Int = 1, arguments: [String] = [], isScript: Bool = false,
    isStart: Bool = false, goesOn: Bool = false, isAnew: Bool = false, hasRest: Bool = false,
    pastLines: [PastLine] = [],
    firstPastLine: Int = 1, watchID: Int? = nil, lostRun: Int? = nil
  ) throws(ShellError) -> Outcome {
    look.forget()
    if text.contains(where: { !$0.isWhitespace }) { hasRun = true }
    let whole = isAnew ? text : openText + text
    openText = ""
    files.begin(whole, arguments: arguments, script: isScript ? file : nil)
    defer {
      files.end()
      keys?.end()
      (keys, drawn) = (nil, DrawnText())
    }
    try ask { out in
      out.append("run", text)
      if let file { out.append("file", file) }
      if line != 1 { out.append("line", .int(line)) }
      if !arguments.isEmpty { out.append("arguments", .texts(arguments)) }
      if let watchID { out.append("watchID", .int(watchID)) }
      if let lostRun { out.append("lostRun", .int(lostRun)) }
      if !pastLines.isEmpty {
        out.append("history", .texts(pastLines.map(\.text)))
        out.append("first", .int(firstPastLine))
        out.append("times", .list(PersistentList(pastLines.map { $0.time.map(Value.int) ?? .none })))
      }
      let flags: KeyValuePairs = [
        "script": isScript, "start": isStart, "atomic": isScript && options.isAllOrNothing,
        "held": isScript && options.isAllOrNothing,
        "more": goesOn, "anew": isAnew,
        "rest": hasRest, "utf8": options.isUTF8,
        "keepGoing": options.keepsGoing || (file == nil && goesOn), "quiet": options.isQuiet,
        "report": options.report != nil,
        "styles": marks.values.contains(.terminal), "files": true,
      ]
      for (name, isSet) in flags where isSet { out.append(name, .bool(true)) }
      if options.isJSON { out.append("form", "json") }
      if options.format != .auto { out.append("as", options.format.rawValue) }
      if let width = console.width() {
        out.append("width", .int(width))
        if let screenRows { out.append("rows", .int(max(screenRows(), 1))) }
      }
      if !hasToldClock {
        hasToldClock = true
        let steps = ReaderClock.own().steps.map { Value.list([.int($0.from), .int($0.offset)]) }
        out.append("zone", .list(PersistentList(steps)))
      }
    }
    let answer = try answer(to: number, for: text, of: file, from: line)
    if let error = answer.error { throw error }
    if interruption != nil, answer.number("status") != 0 { hasToldOfStop = true }
    if answer["quit"] != nil { hasQuit = true }
    if answer["open"] != nil { openText = whole }
    head = answer.number("head") ?? head
    if answer["standing"] != nil {
      standing = answer.list("standing").compactMap { entry in
        guard let text = entry.member("run")?.text else { return nil }
        return StandingStatement(text: text, watch: entry.member("watchID")?.number)
      }
    }
    if let prompt = answer.text("prompt") {
      self.prompt = SafeText.line(prompt)
      openRun = answer.number("run")
      (look.showsHints, look.highlights) = (answer["hints"] == nil, answer["highlight"] == nil)
    }
    return Outcome(
      status: answer.status("status") ?? 1, open: answer.text("open").map(SafeText.line),
      quit: answer.status("quit"), isWithinChecks: answer["checks"] != nil)
  }

  /// Has the statements run that a prompt starts with.
  ///
  /// - Returns: the status that was asked to leave with; nil: nobody asked.
  @discardableResult
  func start() throws(ShellError) -> Int32? {
    guard let file = options.initFile else { return nil }
    let text: String
    do throws(FileError) {
      let bytes = try Files.read(file, waiting: FileWait(endedBy: interruptDescriptor))
      if let fault = Self.faultOfEncoding(of: bytes[...], firstLine: 1) {
        _ = report(fault, file: file)
        return nil
      }
      text = String(decoding: bytes, as: UTF8.self)
    } catch {
      report(ShellError(error))
      return nil
    }
    return try run(text, file: file, isStart: true, hasRest: true).quit
  }

  /// Sends a request with a number of its own.
  private func ask(_ write: (inout [UInt8]) -> Void) throws(ShellError) {
    number += 1
    try client.send { out in
      JSON.append("{\"id\":" as StaticString, to: &out)
      JSON.append(number, to: &out)
      write(&out)
    }
  }

  /// The look of a line that is being typed, as far as it is known here; the rest is asked for.
  func decoration(of line: AttachedLook.Line, past: PastLineIndex) throws(ShellError) -> LineDecoration {
    let known = look.decoration(of: line, past: past)
    try askForLook()
    return known
  }

  private func askForLook() throws(ShellError) {
    guard let line = look.question(number + 1) else { return }
    try ask { $0.append("decorate", line.text, cursor: line.cursor, line.openLines) }
  }

  /// True, once, if more is known of the line than was shown.
  func takeNewLook() -> Bool {
    defer { hasNewLook = false }
    return hasNewLook
  }

  /// The text that may stand at the cursor; nil: somebody would not wait for it.
  func complete(_ line: String, _ cursor: Int, openLines: [String]) throws(ShellError) -> LineCompletion? {
    try ask { $0.append("complete", line, cursor: cursor, openLines) }
    while true {
      while let message = client.takeMessage() {
        if message.number("id") == number, message["event"] == nil {
          let completion = message.completion(at: cursor)
          guard message["files"] != nil else { return completion }
          let word = line.utf8.prefix(cursor).dropFirst(completion.replaceFrom)
          return .ofFiles(String(decoding: word, as: UTF8.self), at: completion.replaceFrom)
        }
        if !look.take(message) { events.append(message) }
      }
      let (hasArrived, isInterrupted) = client.wait(or: interruptDescriptor)
      // The end of the run is the editor's to take.
      if isInterrupted, stop?.error != nil || takeInterrupt() { return nil }
      if hasArrived { try client.takeArrived() }
    }
  }

  /// Prints what others caused.
  func showEvents() throws(ShellError) {
    try client.takeArrived()
    while let message = client.takeMessage() { events.append(message) }
    let arrived = events
    events = []
    for event in arrived { try show(event) }
    console.flush()
  }

  private func answer(
    to number: Int, for text: String, of file: String?, from firstLine: Int
  ) throws(ShellError) -> DoorMessage {
    var hasBegun = false
    var line = firstLine
    interruption = nil
    while true {
      while let message = client.takeMessage() {
        // What the door could not read has no number.
        guard message.number("id") == number || message["id"] == nil && message["error"] != nil, message["event"] == nil
        else {
          try show(message)
          continue
        }
        hasBegun = true
        interruption?.heard = .now
        print(message)
        steps += message.list("steps").compactMap { TestResult($0.member, safe: SafeText.line) }
        line = message.number("line") ?? line
        if message["status"] != nil || message["error"] != nil { return message }
      }
      console.flush()
      do throws(ShellError) {
        try waitOrInterrupt()
        try client.takeArrived()
      } catch {
        throw leaving(error, text, line: line - firstLine, of: file, from: firstLine, hasBegun: hasBegun)
      }
    }
  }

  /// Notes the statement whose answer never comes.
  ///
  /// - Parameters:
  ///   - index: the number of lines before the statement that ran, as far as the door told.
  ///   - file: the name of the text, as it is in reports.
  /// - Returns: the error, of a lost connection with what is known of the statement.
  private func leaving(
    _ error: ShellError, _ text: String, line index: Int, of file: String?, from firstLine: Int, hasBegun: Bool
  ) -> ShellError {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let statements = lines.indices.dropFirst(max(index, 0)).filter { position in
      lines[position].contains { !$0.isWhitespace } && !lines[position].hasPrefix("#")
    }
    guard let given = statements.first else { return error }
    let statement = String(lines[given])
    // All statements of one -c have its number.
    unanswered = file.map { "\($0):\($0 == "-c" ? firstLine : firstLine + given): \(statement)" }
    guard error.code == .connectionLost else { return error }
    var error = error
    let shown = SafeText.line(statement.count > 60 ? "\(statement.prefix(60))…" : statement)
    let more = statements.count - 1
    let rest = more == 0 ? "it" : "it or the \(more == 1 ? "line" : "\(more) lines") behind it"
    error.details = [
      hasBegun
        ? "it was in the middle of: \(shown)" : "no answer came to: \(shown); whether \(rest) ran is not known here"
    ]
    return error
  }

  private func show(_ message: DoorMessage) throws(ShellError) {
    switch message.text("event") {
    case "end":
      var error = client.lose()
      if let reason = message.text("message") { error.message += ": \(SafeText.line(reason))" }
      throw error
    case "output": print(message)
    case "pins": pinned = SafeText.lines(message.text("text") ?? "")
    case "keys": takeKeys()
    case "drawing":
      takeKeys()
      let text = message.list("output").map { piece in
        styled(piece.member("out")?.text ?? "", piece.member("style")?.text.flatMap(TextStyle.init), .standardOutput)
      }
      console.write(
        drawn.drawing(
          text.joined(), columns: console.width() ?? 80, rows: screenRows?() ?? 24, isUTF8: options.isUTF8,
          isPlain: !options.usesColor))
      console.flush()
    case "file":
      // What stands before it is seen before it is waited for.
      console.flush()
      let place = AttachedFiles.Place(stop: interruptDescriptor, connection: client.descriptor, console: console)
      guard let reply = files.answer(to: message, at: place) else { return }
      // The door hears why a wait ended before it hears that it did.
      if interruption == nil, client.wait(or: interruptDescriptor, atMost: .zero).isInterrupted, takeInterrupt() {
        try interrupt()
      }
      try client.send { out in
        JSON.append(bare: reply, to: &out)
        out.removeLast()
      }
    case nil:
      guard look.take(message) else { return }
      hasNewLook = true
      try askForLook()
    default: console.write(SafeText.json(message.line) + "\n")
    }
  }

  /// Has any key end what runs, where a prompt gave it.
  private func takeKeys() {
    if keys == nil, screenRows != nil { keys = TerminalKeys() }
    // A key that is pressed meanwhile stays so.
    _ = keys?.isPressed()
    if keys?.takeReturn() == true { drawn.leave() }
  }

  private func print(_ message: DoorMessage) {
    for piece in message.list("output") {
      let style = piece.member("style")?.text.flatMap(TextStyle.init)
      if let text = piece.member("out")?.text {
        if tellsOfFailure { console.writeError(text) } else { console.write(styled(text, style, .standardOutput)) }
      }
      if let text = piece.member("err")?.text { console.writeError(styled(text, style, .standardError)) }
    }
    for result in message.results { console.write(SafeText.json(result) + "\n") }
    if let part = message.text("part") { console.write(SafeText.json(part) + (message["whole"] == nil ? "" : "\n")) }
  }

  private func styled(_ text: String, _ style: TextStyle?, _ target: OutputTarget) -> String {
    let text = SafeText.lines(text)
    guard let style, let marks = marks[target] else { return text }
    return marks.paint(text, style)
  }
}

extension [UInt8] {
  mutating func append(_ name: String, _ text: String) {
    append(name: name)
    JSON.append(quoted: text, to: &self)
  }

  fileprivate mutating func append(_ name: String, _ line: String, cursor: Int, _ openLines: [String]) {
    append(name, line)
    append("cursor", .int(cursor))
    if !openLines.isEmpty { append("open", .texts(openLines)) }
  }

  fileprivate mutating func append(_ name: String, _ value: Value) {
    append(name: name)
    JSON.append(value, to: &self)
  }

  private mutating func append(name: String) { append(contentsOf: ",\"\(name)\":".utf8) }
}

extension Value {
  fileprivate static func texts(_ texts: [String]) -> Value { .list(PersistentList(texts.map { .string($0) })) }
}

/// The report of a run, which is written where the script is: the store's own program runs none.
extension AttachedShell {
  /// Sees to it that the report can be written, where one is wanted, before anything is done.
  ///
  /// - Parameter sources: the files that the run reads.
  /// - Returns: 0, or the status of the error, which is reported.
  public func prepareReport(besides sources: [String]) -> Int32 {
    do {
      try options.report?.prepare(besides: sources, waiting: FileWait(endedBy: interruptDescriptor))
      return 0
    } catch let error as ShellError {
      return report(error)
    } catch let error as FileError {
      return report(ShellError(error))
    } catch {
      return report(ShellError(code: .failed, message: "\(error)"))
    }
  }

  /// Writes the report of the run, where one is wanted.
  ///
  /// - Parameters:
  ///   - status: the status of the run. What ended it is in the report, also where that was no step.
  ///   - suite: the name of the run; a run that came to no statement has that of the program.
  /// - Returns: the status, or that of the error where the report cannot be written.
  public func writeReport(after status: Int32, of suite: String) -> Int32 {
    guard let report = options.report else { return status }
    if let written = reportStatus { return status == 0 ? written : status }
    let suite = hasRun ? suite : "stsh"
    let hasFailure = steps.contains { if case .failed = $0.outcome { true } else { false } }
    if status != 0, !hasFailure {
      let error =
        lastError ?? (hasToldOfStop ? stop?.error : nil)
        ?? ShellError(code: .failed, message: "the run ended with status \(status)")
      let outcome = TestResult.Outcome.failed(
        code: error.code.rawValue, message: error.message, details: error.details + [error.hint].compactMap(\.self))
      steps.append(TestResult(name: unanswered ?? suite, seconds: 0, outcome: outcome))
    }
    do throws(FileError) {
      try report.write(
        steps, suite: suite, to: ReplacingFile(report.path, waiting: FileWait(endedBy: interruptDescriptor)))
      reportStatus = 0
      return status
    } catch {
      let failed = self.failed(error, of: suite)
      reportStatus = failed
      return status == 0 ? failed : status
    }
  }

  /// Prints why a file could not be written. What ends the run is the reason where it ended the wait for a reader.
  private func failed(_ error: FileError, of file: String) -> Int32 {
    guard error.code == EINTR, let reason = stop?.error else { return report(ShellError(error)) }
    if reason.code == .timedOut, !hasToldOfStop { report(reason, file: file) }
    return reason.status
  }
}

/// The end of a script that is a run of `atomic` over there.
extension AttachedShell {
  /// Keeps what a script did that came to its end, once all that it printed and its report are written here. What cannot be written
  /// takes it back, as in a run without a door.
  ///
  /// - Parameter file: the script.
  /// - Returns: the status of the run.
  func endHeldRun(of file: String) throws(ShellError) -> Int32 {
    var status = console.end()
    if status == 0 { status = writeReport(after: 0, of: file) }
    guard status != 0 else { return try run("atomic end\n").status }
    tellsOfFailure = true
    defer { tellsOfFailure = false }
    _ = try run("atomic cancel\n")
    return status
  }
}

/// The interruption of what runs over there, from the moment at which the door was told of it.
struct AttachedInterruption {
  /// The time at which it was told.
  let start = ContinuousClock.now
  /// The time at which the door said something of what runs for the last time since.
  var heard = ContinuousClock.now
  /// True if somebody wanted it again.
  var isInsistent = false
  /// True if somebody was told that the door is silent.
  var hasToldOfSilence = false
}

/// The wait for a door, and its end where the door is silent.
extension AttachedShell {
  /// The silence of a door after which somebody at a prompt is told of it, and may leave.
  private static let patience = Duration.seconds(2)
  private static let longestEnd = Duration.seconds(3)

  /// Waits until something arrives; an interruption is passed on. A run that is to end waits for a silent door three seconds at
  /// most, until it is told again, and not at all for a process that was stopped; somebody at a prompt until they interrupt again.
  func waitOrInterrupt() throws(ShellError) {
    while true {
      // What ends a run stays readable.
      let isEnding = interruption != nil && stop?.error != nil
      let (hasArrived, isInterrupted) = client.wait(
        or: isEnding ? -1 : interruptDescriptor,
        atMost: interruption != nil ? .milliseconds(100) : keys == nil ? nil : .milliseconds(50))
      if isInterrupted, takeInterrupt() { try interrupt() }
      if interruption == nil, keys?.isPressed() == true { try interrupt(byKey: true) }
      if hasArrived { return }
      if let interruption { try endWait(interruption) }
    }
  }

  private func interrupt(byKey isKey: Bool = false) throws(ShellError) {
    let reason = stop?.error
    // The terminal has echoed ^C; what follows starts on a line of its own.
    if reason == nil, !isKey { console.writeError("\n") }
    guard interruption == nil else {
      interruption?.isInsistent = true
      return
    }
    interruption = AttachedInterruption()
    try client.send { out in
      JSON.append("{\"interrupt\":true" as StaticString, to: &out)
      if let reason { out.append("code", reason.code.rawValue) }
      out.append("message", reason?.message ?? HostError.interrupted.message)
    }
  }

  /// Ends the wait for a door that does not follow an interruption, where nobody waits for it any longer.
  private func endWait(_ interruption: AttachedInterruption) throws(ShellError) {
    if let stop, let reason = stop.error {
      let isStopped = client.isStopped
      guard isStopped || stop.isInsistent || .now - interruption.start > Self.longestEnd else { return }
      throw client.unanswered(reason, isStopped: isStopped)
    }
    guard .now - interruption.heard > Self.patience else { return }
    if interruption.isInsistent { throw client.unanswered(nil) }
    guard !interruption.hasToldOfSilence else { return }
    self.interruption?.hasToldOfSilence = true
    note("the door at \(client.address.text) does not answer; Ctrl-C again leaves")
  }
}

/// The way back after a lost connection: another conversation, with the same watches and pins.
extension AttachedShell {
  /// Prints a sentence about the connection.
  func note(_ note: String) {
    if options.isJSON {
      console.write(JSONReport.noted(note) + "\n")
      console.flush()
    } else {
      console.write(note: note)
    }
  }

  /// Goes on by another client of the same door, and says so. Nothing that was under way is sent again.
  ///
  /// - Throws: `ShellError` where another store is there, or one whose log has lost actions; or the connection is lost again.
  func goOn(by client: DoorClient) throws(ShellError) {
    let (before, now) = (self.client.greeting.text("store"), client.greeting.text("store"))
    let place = client.address.text
    func other(_ message: String) -> ShellError {
      ShellError(
        code: .connectionLost, message: message, hint: "stsh --attach \(place) begins anew there", status: 6)
    }
    // A store without actions may be kept nowhere yet.
    guard head == 0 || before != nil && before == now else { throw other("another store is at \(place) now") }
    let newHead = client.greeting.number("head") ?? 0
    guard newHead >= head else {
      throw other("the log of the store at \(place) ends at #\(newHead) now, and had come to #\(head)")
    }
    let count = newHead - head
    let since = count == 0 ? "" : ", with \(count == 1 ? "1 action" : "\(count) actions") more"
    (self.client, head) = (client, newHead)
    (events, openText, pinned, interruption, hasToldClock) = ([], "", "", nil, false)
    look.loseAnswer()
    files.forget()
    note("\(place) is back\(since); variables, settings, use and the look at the past are as in a new conversation")
    let lostRun = openRun
    if let lostRun {
      note(
        "the run that began on line \(lostRun) is lost; log tells what of it was taken back, and atomic end leaves it")
    }
    // Until all of them stand again, none is forgotten.
    let all = standing
    defer { if client.isLost { standing = all } }
    standing = []
    try start()
    _ = try run("", goesOn: true, isAnew: true, lostRun: lostRun)
    let started = standing
    for statement in all where !started.contains(statement) {
      _ = try run(statement.text + "\n", goesOn: true, isAnew: true, watchID: statement.watch)
    }
  }
}

extension DoorMessage {
  /// The text that it says may stand at the cursor; none where the line is no place for it.
  func completion(at cursor: Int) -> LineCompletion {
    LineCompletion(
      replaceFrom: min(max(number("from") ?? cursor, 0), cursor),
      candidates: list("candidates").compactMap { candidate in
        guard let text = candidate.member("text")?.text else { return nil }
        return LineCompletion.Candidate(
          text: SafeText.line(text), display: candidate.member("display")?.text.map(SafeText.line),
          meaning: candidate.member("meaning")?.text.map(SafeText.line),
          suffix: SafeText.line(candidate.member("suffix")?.text ?? ""))
      }, note: text("note").map(SafeText.lines),
      rest: text("advice").map { advice in
        LineCompletion.Rest(
          count: number("more"), common: text("common").map(SafeText.line) ?? "", advice: SafeText.line(advice))
      })
  }
}
