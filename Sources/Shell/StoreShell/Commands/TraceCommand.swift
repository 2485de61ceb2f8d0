import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let trace = CommandDefinition(
    "trace", needs: .read, usage: ["trace [on|off] [--stable|--times|--spans FILE]"],
    summary: "prints every phase of every action, to standard error, or writes how long they took for a trace viewer",
    flags: FlagDefinition.format + [
      FlagDefinition("stable", need: .read, "leave out times"),
      FlagDefinition("times", need: .read, "print one line for each action: the time of each phase"),
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
    read: TraceRequest.read,
    makesFile: { request in
      switch request.known {
      case .state, .on, .times, .off: false
      case .spans, nil: true
      }
    },
    perform: { try $0.value(in: $1).perform(in: $1) })
}

/// A change of the trace, or a question about it.
private enum TraceRequest {
  case state(ResultForm)
  case on(isStable: Bool)
  /// The times of each action's phases are printed.
  case times
  /// Spans are written into a file.
  case spans(Given<String>)
  case off

  static func read(_ reader: CommandReader) throws -> Given<TraceRequest> {
    try reader.refuseOperands(from: 1)
    guard let word = try reader.operand(0) else {
      try refuseSpans(reader)
      if let flag = reader.word(of: "times") {
        throw reader.fault(.unexpectedArgument, "--times needs trace on", at: flag)
      }
      return .known(.state(try reader.form()))
    }
    return try word.map { word in
      let isOn = try reader.isFirst("on", or: "off", word)
      if let flag = reader.word(of: "times") {
        guard isOn, !reader.has("stable"), reader.word(of: "spans") == nil else {
          throw reader.fault(
            .unexpectedArgument, "--times needs trace on, and cannot be combined with --stable and --spans", at: flag)
        }
        return .times
      }
      guard isOn, !reader.has("stable"), let spans = try reader.text(of: "spans") else {
        try refuseSpans(reader)
        return isOn ? .on(isStable: reader.has("stable")) : .off
      }
      let place = reader.place(of: "spans")
      return .spans(try reader.output(spans, at: place, isHosts: true))
    }
  }

  private static func refuseSpans(_ reader: CommandReader) throws {
    guard let flag = reader.word(of: "spans") else { return }
    throw reader.fault(.unexpectedArgument, "--spans needs trace on, and cannot be combined with --stable", at: flag)
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
      let writer = LogLineWriter(console: session.console, isJSON: session.options.isJSON)
      let (inbox, clock) = (session.inbox, session.store.live.clock)
      session.store.setTrace { event in
        let time = isStable ? "" : "\(TraceText.milliseconds(clock.now)) "
        let line = time + DisplayText.printable(TraceText.line(of: event))
        inbox.bring(64 + line.utf8.count) { writer.write(traced: line) }
      }
    case .times:
      try session.finishTrace()
      session.settings.isTracing = true
      session.startTimes()
    case .off:
      session.settings.isTracing = false
      session.store.setTrace(nil)
      guard let trace = try session.finishTrace() else { break }
      let actions = "\(trace.count) \(trace.count == 1 ? "action" : "actions")"
      return session.answer("wrote the spans of \(actions) to \(trace.path)\n")
    case .state(let form):
      let state = session.settings.isTracing ? "on" : "off"
      if try session.isInWords(form) { return session.answer("trace is \(state)\n", for: .string(state)) }
      return try session.answer(Reading(text: state), as: form)
    }
    return .none
  }
}
