import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let echo = CommandDefinition(
    "echo", usage: ["echo WORD…"], summary: "prints words, with variables and $(…) replaced",
    examples: [
      CommandExample("let n = 3", "echo done $n", output: "done 3\n"),
      CommandExample("echo $(1 + 1) 'and more' > FOLDER/two.txt", output: ""),
    ],
    read: { reader in
      try reader.operands.map { word -> Given<String> in
        switch word.kind {
        case .value(let literal): reader.text(of: literal, at: word)
        case .named(let name, let literal): try reader.text(of: literal, at: word).map { "\(name)=\($0)" }
        case .flag: .known(word.text)
        }
      }
    },
    perform: { texts, session in
      session.answer(try texts.map { try $0.value(in: session) }.joined(separator: " ") + "\n")
    })

  static let quit = CommandDefinition(
    "quit", usage: ["quit [STATUS]"],
    summary: "leaves, with a status: if none is given, 0, or in batch that of the first failure",
    examples: [CommandExample("quit", output: ""), CommandExample("quit 4", output: "")],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return try reader.operand(0)?.map { text in
        if let number = Int32(text), (0...255).contains(number) { return number }
        throw ShellError(code: .outOfRange, message: "a status is 0...255, got '\(text)'", at: reader.operands[0])
      }
    },
    perform: { (status: Given<Int32>?, session) in
      let status = try status?.value(in: session)
      session.outcome.hasQuit = true
      session.outcome.quitStatus = status
      return .none
    })

  static let set = CommandDefinition(
    "set", usage: ["set [NAME [VALUE]]"],
    summary: "changes a setting, or lists them with where each was set", flags: FlagDefinition.format,
    names: Setting.all.map { setting in
      let values = setting.values.isEmpty ? setting.form : setting.values.joined(separator: ", ")
      return NamedMeaning(name: setting.name, meaning: "\(setting.summary) (\(values))")
    },
    operands: [.setting, .settingValue],
    examples: [
      CommandExample("set output json", "show counter", output: "{\"value\":0,\"step\":1}\n"),
      CommandExample(
        "set traceback on", "set",
        output: """
          name                         value          origin
          emit                         whenDifferent  default
          journal.limit                10000, 32MiB   default
          output                       auto           default
          plugin.ceiling.actions       1000000        default
          plugin.ceiling.instructions  20000000       default
          plugin.ceiling.log_lines     1000           default
          plugin.ceiling.memory        268435456      default
          plugin.ceiling.tasks         1000           default
          plugin.purity                sampled        default
          plugin.watch                 off            default
          runaway                      1000           default
          sessions.keep                50             default
          traceback                    on             repl:1

          """),
    ],
    read: SetRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })

  static let trace = CommandDefinition(
    "trace", usage: ["trace [on|off] [--stable|--spans FILE]"],
    summary: "prints every phase of every action, to standard error, or writes how long they took for a trace viewer",
    flags: FlagDefinition.format + [
      FlagDefinition("stable", "leave out times"),
      FlagDefinition("spans", value: "FILE", "write a Chrome trace, for Perfetto or chrome://tracing, instead"),
    ],
    operands: [.words(["on", "off"])],
    examples: [
      CommandExample("trace on --stable", "trace off", output: ""),
      CommandExample("trace", output: "trace is off\n"),
      CommandExample(
        "trace on --spans FOLDER/trace.json", "dispatch counter.increment --quiet", "trace off",
        output: "wrote the spans of 1 action to FOLDER/trace.json\n"),
    ],
    read: TraceRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })

  static let source = CommandDefinition(
    "source", usage: ["source FILE [ARG…]"], summary: "runs a script here; $1, $2 … are its arguments",
    operands: [.file],
    examples: [
      CommandExample(
        "echo 'dispatch counter.increment' > FOLDER/up.stsh", "source FOLDER/up.stsh",
        output: "#1 counter.increment\n  counter.value  0 -> 1\n"),
      CommandExample(
        "echo 'echo hello $1' > FOLDER/hello.stsh", "source FOLDER/hello.stsh world", output: "hello world\n"),
    ],
    read: { reader in
      let file = try reader.required(0, "a file")
      return (
        file: file, word: reader.operands[0],
        arguments: try reader.operands.indices.dropFirst().compactMap { try reader.operand($0) }
      )
    },
    addNames: { request, session in
      // What the file says is checked whatever it will be given.
      guard let file = request.file.known else { return }
      try session.runSource(file, [], at: request.word)
    },
    perform: { request, session in
      let file = try request.file.value(in: session)
      try session.runSource(file, request.arguments.map { try $0.value(in: session) }, at: request.word)
      return .none
    })
}

/// How a line says which setting it is about, and what it does with it.
private enum SetRequest {
  case list(ResultForm)
  case show(Setting, ResultForm)
  case change(Setting, to: Given<Setting.Change>)

  static func read(_ reader: CommandReader) throws -> Given<SetRequest> {
    guard let name = try reader.operand(0) else { return .known(.list(try reader.form())) }
    try reader.refuseOperands(from: 2)
    return try name.map { name in
      let setting = try Setting.named(name, at: reader.operands[0])
      guard let value = try reader.operand(1) else { return .show(setting, try reader.form()) }
      return .change(setting, to: try value.map { try setting.change(to: $0, at: reader.operands[1]) })
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .list(let form): return try session.answer(ShellListing.settings.reading(in: session), as: form)
    case .show(let setting, let form):
      return try session.answer(
        Reading(value: .string(setting.read(session)), schema: .dynamic(.string)), as: form)
    case .change(let setting, let change): return try setting.perform(change.value(in: session), in: session)
    }
  }
}

/// What becomes of the trace.
private enum TraceRequest {
  case state(ResultForm)
  case on(isStable: Bool)
  /// Spans are written into a file.
  case spans(Given<String>)
  case off

  static func read(_ reader: CommandReader) throws -> Given<TraceRequest> {
    try reader.refuseOperands(from: 1)
    guard let word = try reader.operand(0) else {
      try refuseSpans(reader)
      return .known(.state(try reader.form()))
    }
    return try word.map { word in
      guard word == "on" || word == "off" else {
        throw ShellError(
          code: .unexpectedArgument, message: "trace takes on or off, got '\(word)'", at: reader.operands[0],
          hint: "usage: \(reader.usage)")
      }
      guard word == "on", !reader.has("stable"), let spans = try reader.text(of: "spans") else {
        try refuseSpans(reader)
        return word == "on" ? .on(isStable: reader.has("stable")) : .off
      }
      let place = reader.place(of: "spans")
      return .spans(try reader.output(spans, at: place))
    }
  }

  private static func refuseSpans(_ reader: CommandReader) throws {
    guard let flag = reader.word(of: "spans") else { return }
    throw ShellError(
      code: .unexpectedArgument, message: "--spans goes with trace on, and not with --stable", at: flag,
      hint: "usage: \(reader.usage)")
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .spans(let file):
      let file = try file.value(in: session)
      try session.finishTrace()
      try session.startTrace(file)
      session.settings.isTracing = true
    case .on(let isStable):
      session.settings.isTracing = true
      let (console, clock, isJSON) = (session.console, session.store.clock, session.options.isJSON)
      session.store.setTrace { event in
        let time = isStable ? "" : "\(TraceText.milliseconds(clock.now)) "
        let line = "\(time)\(TraceText.line(of: event))"
        if isJSON { console.writeEvent(JSONReport.traced(line)) } else { console.writeError(line + "\n") }
      }
    case .off:
      session.settings.isTracing = false
      session.store.setTrace(nil)
      guard let trace = try session.finishTrace() else { break }
      let actions = "\(trace.count) \(trace.count == 1 ? "action" : "actions")"
      return session.answer("wrote the spans of \(actions) to \(trace.path)\n")
    case .state(let form):
      let state = session.settings.isTracing ? "on" : "off"
      if try session.isInWords(form) { return session.answer("trace is \(state)\n") }
      return try session.answer(Reading(value: .string(state), schema: .dynamic(.string)), as: form)
    }
    return .none
  }
}

extension Session {
  /// Runs a script here.
  fileprivate func runSource(_ file: String, _ arguments: [String], at word: Word) throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(file, until: interrupts.descriptor)
    } catch {
      // One of the statements that were checked may make it.
      if running.mayHaveWritten { return }
      var missing = ShellError(error, place: .span(word.span))
      missing.hint = missing.hint ?? hintOnFile(besideScript: file)
      throw missing
    }
    let status = try runScript(bytes, file: file, arguments: arguments)
    guard status == 0 || hasQuit else { throw SourcedFileFailed(file: file, status: status) }
  }

  /// What to try where a file is not there, but beside the script that names it; nil: it is not there either.
  fileprivate func hintOnFile(besideScript file: String) -> String? {
    guard !file.hasPrefix("/"), let slash = running.origin.file.lastIndex(of: "/") else { return nil }
    let beside = "\(running.origin.file[...slash])\(file)"
    guard access(beside, R_OK) == 0 else { return nil }
    return "did you mean '\(beside)'? paths start from the folder that the program was started in"
  }
}

/// A statement of a sourced file failed; it has been reported there.
struct SourcedFileFailed: Error {
  let file: String
  let status: Int32

  /// What the `source` itself has to say of it, where every command answers.
  var error: ShellError {
    ShellError(code: .failed, message: "a command of \(file) failed", place: .line, status: status)
  }
}
