import Platform
import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let export = CommandDefinition(
    "export", clientFileNeed: .read,
    usage: [
      "export state FILE", "export journal FILE [--from N] [--as jsonl|stsh|redux-devtools [--last N]] [--stable]",
      "export PATH FILE [where EXPR] [--as FORMAT] [--sort FIELD,…] [--limit N] [--columns FIELD,…]",
    ],
    summary:
      "writes the state as JSON, or what happened as JSON lines, as a script with asserts, or for Redux DevTools, or a part of the state; - is standard output",
    flags: [
      FlagDefinition(
        "as", value: "FORM", need: .read,
        "jsonl for replay, stsh for a script, redux-devtools; a part of the state in the forms that show has, or as its file is named"
      ),
      FlagDefinition(
        "stable", need: .read,
        "jsonl: without names and times, so that recordings of the same actions are the same; a replay finds time 0"),
      FlagDefinition(
        "last", value: "N", need: .read,
        "redux-devtools: only the last N actions; by default all, or 1000 where all take more than 10 MB"
      ),
      FlagDefinition("from", value: "N", need: .read, "jsonl: the actions from #N on, with the state before them"),
    ] + Narrowing.flags,
    operands: [.pathOrWords(["journal", "state"]), .file(.write)],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "export journal FOLDER/run.jsonl",
        output: "wrote 1 action to FOLDER/run.jsonl\n"),
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment by=4 --quiet
          stsh> export state FOLDER/s.json
          wrote the state to FOLDER/s.json
          stsh> dispatch counter.reset --quiet
          stsh> import state FOLDER/s.json
          #3 shell.import file="FOLDER/s.json"
            counter.value  0 -> 4

          """),
      CommandExample(
        transcript: """
          stsh> dispatch tasks.add milk --quiet
          stsh> dispatch tasks.add bread --quiet
          stsh> export tasks.items FOLDER/open.csv where not done and id > 1
          wrote 1 of 2 items of tasks.items to FOLDER/open.csv

          """),
    ],
    lua: LuaVerb("export", .behind("where"), takesFlags: true), read: ExportRequest.read, makesFile: { _ in true },
    perform: { try $0.value(in: $1).perform(in: $1) })
}

private struct ExportRequest {
  private let content: Given<Content>
  private let file: Given<String>
  /// The number of latest actions; nil: as many as the form takes.
  private let last: Given<Int>?
  /// The number of the first action; nil: the oldest that is kept.
  private let first: Given<Int>?

  private enum Content {
    case state
    case journal(isStable: Bool)
    case script
    case reduxDevTools
    case value(GivenPath, Narrowing?, ResultForm)
  }

  static func read(_ reader: CommandReader) throws -> Given<ExportRequest> {
    return try reader.required(0, "'state', 'journal' or a path").map { [reader] what in
      var reader = reader
      guard what == "state" || what == "journal" else {
        reader.usage = reader.definition.usage[2]
        return try ExportRequest(ofValue: reader)
      }
      let usage = reader.definition.usage.first { $0.hasPrefix("export \(what) ") }
      if let usage { reader.usage = usage }
      return try ExportRequest(what, reader)
    }
  }

  private init(ofValue reader: CommandReader) throws {
    if reader.has("last") {
      throw reader.fault(.unexpectedArgument, "only --as redux-devtools takes --last", of: "last")
    }
    if reader.has("from") { throw Self.faultOfFrom(reader) }
    if reader.has("stable") {
      throw reader.fault(.unexpectedArgument, "only export journal takes --stable", of: "stable")
    }
    let path = try reader.path(0, "a path")
    let file = try Self.file(reader)
    let narrowing = try Narrowing(reader, at: 2)
    try reader.checkPath(path)
    self.file = try reader.output(file, at: .span(reader.operands[1].span))
    (last, first) = (nil, nil)
    let form = reader.has("as") ? try reader.form() : nil
    let place = ShellError.Place.span(reader.operands[1].span)
    content = try file.map { try .value(path, narrowing, form ?? .named(by: $0, at: place)) }
  }

  /// The operand that names the file. The word `where` is none: it begins a condition.
  private static func file(_ reader: CommandReader) throws -> Given<String> {
    let file = try reader.required(1, "a file")
    guard reader.operands[1].text == "where" else { return file }
    let what = reader.operands[0].text
    let output = what == "state" || what == "journal" ? "" : "; for standard output: export \(what) - where …"
    throw ShellError(
      code: .missingArgument, message: "export needs a file before where", at: reader.operands[1],
      hint: "a file of that name is ./where\(output)")
  }

  private init(_ what: String, _ reader: CommandReader) throws {
    let file = try Self.file(reader)
    try reader.refuseOperands(from: 2)
    if let flag = Narrowing.flags.first(where: { reader.has($0.name) })?.name {
      throw reader.fault(.unexpectedArgument, "export \(what) writes all of it and takes no --\(flag)", of: flag)
    }
    self.file = try reader.output(file, at: .span(reader.operands[1].span))
    let place = ShellError.Place.span(reader.operands[1].span)
    let form = try reader.text(of: "as") ?? file.map { try Self.form(of: what, namedBy: $0, at: place) }
    last = try reader.text(of: "last")?.map { text in
      if let number = Int(text), number > 0 { return number }
      throw reader.fault(.typeMismatch, "--last needs a number of actions, got '\(text)'", of: "last")
    }
    first = try reader.text(of: "from")?.map { text in
      if let number = Int(action: text), number > 0 { return number }
      throw reader.fault(.typeMismatch, "--from needs the number of an action, got '\(text)'", of: "from")
    }
    let isStable = reader.has("stable")
    content = try form.map { form in
      guard (what, form) == ("journal", "jsonl") || !reader.has("from") else { throw Self.faultOfFrom(reader) }
      guard !isStable || (what, form) == ("journal", "jsonl") else {
        throw reader.fault(.unexpectedArgument, "only export journal --as jsonl takes --stable", of: "stable")
      }
      guard form == "redux-devtools" || !reader.has("last") else {
        throw reader.fault(.unexpectedArgument, "only --as redux-devtools takes --last", of: "last")
      }
      switch (what, form) {
      case ("state", "json"): return .state
      case ("journal", "jsonl"): return .journal(isStable: isStable)
      case ("journal", "stsh"): return .script
      case ("journal", "redux-devtools"): return .reduxDevTools
      default:
        let forms = what == "state" ? "json" : "jsonl, stsh or redux-devtools"
        throw ShellError(
          code: .unknownFormat, message: "export \(what) has no form '\(form)'",
          place: reader.place(of: "as"), hint: "it takes \(forms)", status: 2)
      }
    }
  }

  private static func faultOfFrom(_ reader: CommandReader) -> ShellError {
    reader.fault(.unexpectedArgument, "only a journal as jsonl takes --from", of: "from")
  }

  /// The form in which the state or the journal is written to a file of that name.
  private static func form(of what: String, namedBy file: String, at place: ShellError.Place) throws -> String {
    let forms = what == "state" ? ["json"] : ["jsonl", "stsh"]
    guard let ending = FileEnding.of(file) else { return forms[0] }
    let form = FileEnding.synonyms[ending] ?? ending
    // Every line of a recording is JSON, and a state is one line.
    if ["json", "jsonl"].contains(form) { return forms[0] }
    guard forms.contains(form) else { throw FileEnding.unknown(ending, of: "the \(what)", forms: forms, at: place) }
    return form
  }

  func perform(in session: Session) throws -> CommandResult {
    let file = try file.value(in: session)
    switch try content.value(in: session) {
    case .state: return try session.exportState(to: file)
    case .value(let path, let narrowing, let form):
      return try session.export(path, narrowing, as: form, to: file)
    case .journal(let isStable):
      return try session.export(to: file, from: first?.value(in: session)) { JournalExport($0, isStable: isStable) }
    case .script:
      return try session.export(to: file) {
        ScriptExport(
          $0, program: session.options.name, locator: PluginLocator(session.options.withoutPluginFolders),
          isTimed: try session.isTimed,
          needsStore: try session.returnsFarBack, substateSchema: session.store.live.application.substateSchema)
      }
    case .reduxDevTools:
      let last = try last?.value(in: session)
      let bound = try last == nil && session.exceedsBound { ReduxExport($0) } ? ReduxExport.usualCount : nil
      return try session.export(to: file, last: last ?? bound) { ReduxExport($0, isBounded: bound != nil) }
    }
  }
}

/// A form in which the history is written to a file.
protocol RecordingExport {
  mutating func begin(_ header: RecordingHeader, _ state: HostState) throws
  /// Writes an entry.
  ///
  /// - Parameter walk: has come to the entry.
  mutating func add(_ entry: LoggedEntry, _ walk: inout RecordingWalk) throws
  mutating func end() throws
  /// What is to be known about the file, in a sentence each.
  var notes: [String] { get }
}

extension RecordingExport {
  var notes: [String] { [] }
}

extension SessionOptions {
  /// The same for a run that is told no folders of plugins.
  fileprivate var withoutPluginFolders: SessionOptions {
    var options = self
    options.pluginFolders = []
    return options
  }
}

extension Session {
  /// The name of a file that was written, as answers say it. A session from elsewhere reads whose folder it stands in.
  fileprivate func writtenName(of file: String, _ output: ReplacingFile) -> String {
    let path = output.placeElsewhere ?? (!running.origin.isThroughDoor ? file : Files.absolute(hostPath(file)))
    return DisplayText.printable(path)
  }

  /// Writes the state; to standard output, or with `--json` as the result, for `-`.
  fileprivate func exportState(to file: String) throws -> CommandResult {
    guard file != "-" else {
      let text = JSON.text(of: store.exportedState)
      guard !answersInJSON else { return CommandResult(json: text) }
      console.write(text + "\n")
      return .none
    }
    let output = try makeFile(file)
    JSON.append(store.exportedState, to: &output.bytes)
    output.bytes.append(0x0A)
    try output.finish()
    return answer("wrote the state to \(writtenName(of: file, output))\n")
  }

  /// Writes a part of the state, or some elements of a list or a map.
  fileprivate func export(
    _ path: GivenPath, _ narrowing: Narrowing?, as form: ResultForm, to file: String
  ) throws -> CommandResult {
    let place = try path.value(in: self)
    let whole = try path.word.marking {
      try refuseSeveral(place)
      return try read(place)
    }
    let narrowed = try narrowing?.narrow(whole, of: place.description, in: self)
    let reading = narrowed?.reading ?? whole
    guard file != "-" else {
      var result = try answer(reading, as: form)
      result.notes += narrowed?.notes ?? []
      return result
    }
    let formatter = Formatter(try format(form), terminalWidth: nil, isUTF8: options.isUTF8, marks: .none)
    let output = try makeFile(file)
    output.bytes += Array(try formatter.text(of: reading.value, reading.schema).utf8)
    try output.finish()
    let part = narrowed.map { "\($0.counts) of \(place)" }
    var result = answer("wrote \(part ?? place.description) to \(writtenName(of: file, output))\n")
    result.notes += narrowed?.notes ?? []
    return result
  }

  /// Writes what happened.
  ///
  /// - Parameters:
  ///   - last: the number of latest actions; nil: all that are kept and can be replayed.
  ///   - first: the number of the first action; nil: the oldest.
  fileprivate func export(
    to file: String, last: Int? = nil, from first: Int? = nil, _ make: (ReplacingFile) throws -> some RecordingExport
  ) throws -> CommandResult {
    guard file != "-" else { return try printExport(last, first, make) }
    let output = try makeFile(file)
    let (count, notes) = try write(last, first, to: output, make)
    return CommandResult(
      json: answer("wrote \(count) \(count == 1 ? "action" : "actions") to \(writtenName(of: file, output))\n").json,
      notes: notes)
  }

  /// Prints what happened; with `--json` its text is the result.
  private func printExport(
    _ last: Int?, _ first: Int?, _ make: (ReplacingFile) throws -> some RecordingExport
  ) throws -> CommandResult {
    var text = ""
    let output = ReplacingFile { [self] piece in
      text += String(decoding: piece, as: UTF8.self)
      guard !answersInJSON else { return }
      console.write(text)
      text = ""
    }
    let (_, notes) = try write(last, first, to: output, make)
    return CommandResult(json: answersInJSON ? answer(text).json : nil, notes: notes)
  }

  /// Writes what happened.
  ///
  /// - Returns: the number of those actions, and notes.
  private func write(
    _ last: Int?, _ first: Int?, to output: ReplacingFile, _ make: (ReplacingFile) throws -> some RecordingExport
  ) throws -> (count: Int, notes: [String]) {
    var export = try make(output)
    var (count, start) = (0, 0)
    var progress = Progress(self, "writing")
    let oldest = try store.record(last: last, from: first) { header, state in
      (progress.total, start) = (header.count, last == nil && first == nil ? header.start : 0)
      try export.begin(header, state)
    } entry: { entry, walk in
      try export.add(entry, &walk)
      try output.passOn()
      count += 1
      try progress.step(count)
    }
    try export.end()
    try output.finish()
    progress.clear()
    return (count, store.live.notes(ofWhatIsLeftOutUpTo: start, behind: oldest) + export.notes)
  }
}

/// Ends a look at how long a file would be.
private struct BoundExceeded: Error {}

extension Session {
  /// The number of bytes from which on only some of the actions are written, where nobody says how many.
  private static var bound: Int { 10 << 20 }

  /// True if a form takes more bytes for all actions than it should without being asked.
  fileprivate func exceedsBound(_ make: (ReplacingFile) throws -> some RecordingExport) throws -> Bool {
    var size = 0
    let output = ReplacingFile { size += $0.count }
    var export = try make(output)
    var count = 0
    do {
      try store.record {
        try export.begin($0, $1)
      } entry: { entry, walk in
        try export.add(entry, &walk)
        try output.passOn()
        count += 1
        if size > Self.bound, count > ReduxExport.usualCount { throw BoundExceeded() }
      }
      return false
    } catch is BoundExceeded {
      return true
    }
  }
}

extension LiveStore {
  /// The notes on a recording that does not begin with the store.
  ///
  /// - Parameter oldest: the oldest point that was kept when it began.
  fileprivate func notes(ofWhatIsLeftOutUpTo start: Int, behind oldest: Int) -> [String] {
    let reason =
      start == oldest ? reasonOfBeginning : "#\(start) returns to a point before #\(oldest), and \(reasonOfBeginning)"
    return switch start {
    case 0: []
    case 1: ["#1 is left out: \(reason)"]
    default: ["#1 to #\(start) are left out: \(reason)"]
    }
  }
}

extension Session {
  /// True if a kept action happened by itself as time went by, or may depend on when it happened. A plugin's reducers
  /// are told the time, and an application's may be.
  fileprivate var isTimed: Bool {
    get throws {
      var tellsTime = store.live.tellsReducersTheTime
      return try store.contains(after: store.live.oldest) { entry in
        defer { if entry.action == ShellAction.Types.loadPlugin.fullName { tellsTime = true } }
        return entry.source.kind == .effect || (tellsTime && entry.time > .zero)
      }
    }
  }

  /// True if a kept action returned to a state that is no longer in memory by then.
  fileprivate var returnsFarBack: Bool {
    get throws {
      try store.contains(after: store.live.oldest) { entry in
        entry.restoreTarget.map { entry.number - $0 > store.live.historyLimits.entries } ?? false
      }
    }
  }
}

/// The history as JSON lines.
private struct JournalExport: RecordingExport {
  private let output: ReplacingFile
  /// True if names and times are left out.
  private let isStable: Bool

  init(_ output: ReplacingFile, isStable: Bool) { (self.output, self.isStable) = (output, isStable) }

  func begin(_ header: RecordingHeader, _ state: HostState) {
    header.append(to: &output.bytes)
    output.bytes.append(0x0A)
  }

  func add(_ entry: LoggedEntry, _ walk: inout RecordingWalk) throws {
    try walk.append(isStable ? entry.stable : entry, to: &output.bytes)
    output.bytes.append(0x0A)
  }

  func end() {}
}
