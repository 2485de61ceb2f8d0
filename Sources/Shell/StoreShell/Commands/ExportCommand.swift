import Platform
import ShellLanguage
import StoreHistory
import StoreHost
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let export = CommandDefinition(
    "export", usage: ["export state FILE", "export journal FILE [--as jsonl|stsh|redux-devtools]"],
    summary:
      "writes the state as JSON, or what happened as JSON lines, as a script with asserts, or for Redux DevTools; - is standard output",
    flags: [FlagDefinition("as", value: "FORM", "jsonl for replay, stsh for a script, redux-devtools")],
    operands: [.words(["journal", "state"]), .file],
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
    ]
  ) { invocation in
    invocation.usage = invocation.definition.usage.joined(separator: ", or ")
    let what = try invocation.required(0, "'state' or 'journal'")
    let usage = invocation.definition.usage.first { $0.hasPrefix("export \(what) ") }
    if let usage { invocation.usage = usage }
    let file = try invocation.required(1, "a file")
    try invocation.refuseOperands(from: 2)
    try invocation.session.refuseStore(file, at: .span(invocation.operands[1].span))
    let form = try invocation.text(of: "as")
    let store = invocation.session.store
    switch (what, form) {
    case ("state", nil), ("state", "json"):
      try invocation.session.finishCheck()
      guard file != "-" else { return invocation.printState() }
      let output = try ReplacingFile(file)
      JSON.append(store.exportedState, to: &output.bytes)
      output.bytes.append(0x0A)
      try invocation.session.finish(output)
      return invocation.print("wrote the state to \(file)\n")
    case ("journal", nil), ("journal", "jsonl"): return try invocation.export(to: file) { JournalExport($0) }
    case ("journal", "stsh"):
      return try invocation.export(to: file) {
        ScriptExport(
          $0, program: invocation.session.options.name, locator: invocation.locator,
          isTimed: try invocation.session.isTimed,
          needsStore: try invocation.session.returnsFarBack, substateSchema: store.substateSchema)
      }
    case ("journal", "redux-devtools"): return try invocation.export(to: file) { ReduxExport($0) }
    case ("state", _), ("journal", _):
      let forms = what == "state" ? "json" : "jsonl, stsh or redux-devtools"
      throw ShellError(
        code: .unknownFormat, message: "export \(what) has no form '\(form ?? "")'",
        place: invocation.word(of: "as").map { .span($0.span) } ?? .command, hint: "it takes \(forms)", status: 2)
    default:
      throw ShellError(
        code: .unexpectedArgument, message: "export writes 'state' or 'journal', not '\(what)'",
        at: invocation.operands[0], hint: "usage: \(invocation.usage)")
    }
  }
}

/// One form in which what happened is written to a file.
protocol RecordingExport {
  /// Begins.
  mutating func begin(_ header: RecordingHeader, _ state: HostState) throws
  /// Writes an entry.
  ///
  /// - Parameters:
  ///   - hashes: those of the slices that it changed.
  ///   - state: the state after it.
  mutating func add(_ entry: LoggedEntry, hashes: [(module: String, hash: UInt64)], state: HostState) throws
  /// Ends.
  mutating func end() throws
}

extension Invocation {
  /// Finds plugins by name.
  var locator: PluginLocator { PluginLocator(session.options) }

  fileprivate func export(to file: String, _ make: (ReplacingFile) throws -> some RecordingExport) throws
    -> CommandResult
  {
    try session.finishCheck()
    guard file != "-" else { return try printExport(make) }
    let output = try ReplacingFile(file)
    let (count, start) = try write(to: output, make)
    var result = print("wrote \(count) \(count == 1 ? "action" : "actions") to \(file)\n")
    result.notes = session.store.notes(ofWhatIsLeftOutUpTo: start) + session.store.notesOfUnreadablePlugins
    return result
  }

  /// Prints the state; with `--json` it is the result.
  fileprivate func printState() -> CommandResult {
    let text = JSON.text(of: session.store.exportedState)
    guard !session.answersInJSON else { return CommandResult(json: text) }
    session.console.write(text + "\n")
    return .none
  }

  /// Prints what happened; with `--json` its text is the result.
  private func printExport(_ make: (ReplacingFile) throws -> some RecordingExport) throws -> CommandResult {
    var text = ""
    let output = ReplacingFile { [session] piece in
      text += String(decoding: piece, as: UTF8.self)
      guard !session.answersInJSON else { return }
      session.console.write(text)
      text = ""
    }
    let (_, start) = try write(to: output, make)
    var result = session.answersInJSON ? print(text) : .none
    result.notes = session.store.notes(ofWhatIsLeftOutUpTo: start) + session.store.notesOfUnreadablePlugins
    return result
  }

  /// Writes what happened.
  ///
  /// - Returns: how many actions that were, and the number of the last one before them.
  private func write(
    to output: ReplacingFile, _ make: (ReplacingFile) throws -> some RecordingExport
  ) throws -> (count: Int, start: Int) {
    var export = try make(output)
    var (count, start) = (0, 0)
    var progress = Progress(session, "writing")
    try session.store.record { header, state in
      (progress.total, start) = (header.count, header.start)
      try export.begin(header, state)
    } entry: { entry, hashes, state in
      try export.add(entry, hashes: hashes, state: state)
      try output.passOn()
      count += 1
      try progress.step(count)
    }
    try export.end()
    try session.finish(output)
    progress.clear()
    return (count, start)
  }
}

extension LiveStore {
  /// What is to be known of a recording of plugins that cannot be read any more.
  fileprivate var notesOfUnreadablePlugins: [String] {
    unreadablePlugins.map { plugin in
      "\(plugin.name) is no longer in \(plugin.directory) as it was: its state is written without its types, and does not verify"
    }
  }
}

extension LiveStore {
  /// What is to be known of a recording that does not begin with the store.
  fileprivate func notes(ofWhatIsLeftOutUpTo start: Int) -> [String] {
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
  /// Gives a file its name once the journal has all that it tells of.
  fileprivate func finish(_ output: ReplacingFile) throws(FileError) {
    console.prepareTelling()
    try output.finish()
  }

  /// Whether anything that is kept happened by itself as time went by, or may depend on when it happened: a plugin's reducers are
  /// told, and an application's may be.
  fileprivate var isTimed: Bool {
    get throws {
      var (isTimed, tellsTime) = (false, store.tellsReducersTheTime)
      guard store.head > store.oldest else { return false }
      try store.visit((store.oldest + 1)...store.head) { entry in
        isTimed = entry.source.kind == .effect || (tellsTime && entry.time > .zero)
        if entry.action == ShellAction.Types.loadPlugin.fullName { tellsTime = true }
        return !isTimed
      }
      return isTimed
    }
  }

  /// Whether anything that is kept returned to what is no longer in memory by then.
  fileprivate var returnsFarBack: Bool {
    get throws {
      var isFar = false
      guard store.head > store.oldest else { return false }
      try store.visit((store.oldest + 1)...store.head) { entry in
        isFar = entry.restoreTarget.map { entry.number - $0 > store.historyLimits.entries } ?? false
        return !isFar
      }
      return isFar
    }
  }
}

/// What happened as JSON lines.
private struct JournalExport: RecordingExport {
  private let output: ReplacingFile

  init(_ output: ReplacingFile) { self.output = output }

  func begin(_ header: RecordingHeader, _ state: HostState) {
    header.append(to: &output.bytes)
    output.bytes.append(0x0A)
  }

  func add(_ entry: LoggedEntry, hashes: [(module: String, hash: UInt64)], state: HostState) {
    RecordedEntry.append(entry, hashes: hashes, to: &output.bytes)
    output.bytes.append(0x0A)
  }

  func end() {}
}
