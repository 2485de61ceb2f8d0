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
    ]
  ) { invocation in
    let texts = try invocation.operands.map { word -> String in
      try invocation.at(word) {
        switch word.kind {
        case .value(let literal): try invocation.text(of: literal)
        case .named(let name, let literal): "\(name)=\(try invocation.text(of: literal))"
        case .flag: word.text
        }
      }
    }
    return invocation.print(texts.joined(separator: " ") + "\n")
  }

  static let quit = CommandDefinition(
    "quit", usage: ["quit [STATUS]"],
    summary: "leaves, with a status: if none is given, 0, or in batch that of the first failure",
    examples: [CommandExample("quit", output: ""), CommandExample("quit 4", output: "")]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    var status: Int32?
    if let text = try invocation.operand(0) {
      guard let number = Int32(text), (0...255).contains(number) else {
        throw ShellError(
          code: .outOfRange, message: "a status is 0...255, got '\(text)'", at: invocation.operands[0])
      }
      status = number
    }
    try invocation.session.finishCheck()
    invocation.session.hasQuit = true
    invocation.session.quitStatus = status
    return .none
  }

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
    ]
  ) { invocation in
    let session = invocation.session
    guard let name = try invocation.operand(0) else {
      return try invocation.show(ShellListing.settings.reading(in: session))
    }
    try invocation.refuseOperands(from: 2)
    let setting = try session.setting(name, at: invocation.operands[0])
    guard let value = try invocation.operand(1) else {
      return try invocation.show(Reading(value: .string(setting.read(session)), schema: .dynamic(.string)))
    }
    return try setting.set(to: value, at: invocation.operands[1], in: session)
  }

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
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    let session = invocation.session
    let word = try invocation.operand(0)
    guard word == nil || word == "on" || word == "off" else {
      throw ShellError(
        code: .unexpectedArgument, message: "trace takes on or off, got '\(word ?? "")'", at: invocation.operands[0],
        hint: "usage: \(invocation.usage)")
    }
    let spans = try invocation.text(of: "spans")
    if let spans, let flag = invocation.word(of: "spans") {
      guard word == "on", !invocation.has("stable") else {
        throw ShellError(
          code: .unexpectedArgument, message: "--spans goes with trace on, and not with --stable", at: flag,
          hint: "usage: \(invocation.usage)")
      }
      try session.refuseStore(spans, at: .span(flag.span))
    }
    try session.finishCheck()
    switch word {
    case "on":
      if let spans {
        try session.finishTrace()
        try session.startTrace(spans)
        session.isTracing = true
        return .none
      }
      session.isTracing = true
      let (console, clock) = (session.console, session.store.clock)
      let (isStable, isJSON) = (invocation.has("stable"), session.options.isJSON)
      session.store.setTrace { event in
        let time = isStable ? "" : "\(TraceText.milliseconds(clock.now)) "
        let line = "\(time)\(TraceText.line(of: event))"
        if isJSON { console.writeEvent(JSONReport.traced(line)) } else { console.writeError(line + "\n") }
      }
      return .none
    case "off":
      session.isTracing = false
      session.store.setTrace(nil)
      guard let trace = try session.finishTrace() else { return .none }
      let actions = "\(trace.count) \(trace.count == 1 ? "action" : "actions")"
      return invocation.print("wrote the spans of \(actions) to \(trace.path)\n")
    default:
      let state = session.isTracing ? "on" : "off"
      guard try invocation.isInWords() else {
        return try invocation.show(Reading(value: .string(state), schema: .dynamic(.string)))
      }
      return invocation.print("trace is \(state)\n")
    }
  }

  static let source = CommandDefinition(
    "source", usage: ["source FILE [ARG…]"], summary: "runs a script here; $1, $2 … are its arguments",
    operands: [.file],
    examples: [
      CommandExample(
        "echo 'dispatch counter.increment' > FOLDER/up.stsh", "source FOLDER/up.stsh",
        output: "#1 counter.increment\n  counter.value  0 -> 1\n"),
      CommandExample(
        "echo 'echo hello $1' > FOLDER/hello.stsh", "source FOLDER/hello.stsh world", output: "hello world\n"),
    ]
  ) { invocation in
    let file = try invocation.required(0, "a file")
    // What the file says is checked whatever it will be given.
    let arguments = try (1..<max(1, invocation.operands.count)).compactMap { position in
      do { return try invocation.operand(position) } catch is NotKnownYet { return "" }
    }
    let session = invocation.session
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(file, until: session.interruptDescriptor)
    } catch {
      if session.mayHaveWritten { try session.finishCheck() }
      var missing = ShellError(error, place: .span(invocation.operands[0].span))
      missing.hint = missing.hint ?? session.hintOnFile(besideScript: file)
      throw missing
    }
    let status = try session.runScript(bytes, file: file, arguments: arguments)
    guard status == 0 || session.hasQuit else { throw SourcedFileFailed(file: file, status: status) }
    return .none
  }
}

extension Session {
  /// What to try where a file is not there, but beside the script that names it; nil: it is not there either.
  fileprivate func hintOnFile(besideScript file: String) -> String? {
    guard !file.hasPrefix("/"), let slash = origin.file.lastIndex(of: "/") else { return nil }
    let beside = "\(origin.file[...slash])\(file)"
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
