import ShellLanguage
import StoreHost
import StoreModules
import StoreSchema

extension CommandDefinition {
  static let dispatch = CommandDefinition(
    "dispatch", needs: .dispatch,
    usage: ["dispatch ACTION [ARG=VALUE…] [--quiet] [--info TEXT]", "dispatch --dry-run ACTION [ARG=VALUE…]"],
    summary: "runs an action through middlewares and reducers; prints its changes",
    flags: [
      FlagDefinition("quiet", need: .dispatch, "print nothing"),
      FlagDefinition("info", value: "TEXT", need: .dispatch, "a note in the action's source"),
      FlagDefinition("dry-run", need: .dispatch, "print what it would change, and change nothing"),
    ],
    operands: [.action],
    examples: [
      CommandExample(
        "dispatch counter.increment by=4",
        output: "#1 counter.increment by=4\n  counter.value  0 -> 4\n"),
      CommandExample(
        "dispatch tasks.add \"Buy milk\"",
        output: """
          #1 tasks.add title="Buy milk"
            tasks.nextId  1 -> 2
            tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }

          """),
      CommandExample(
        "dispatch counter.increment by=4 --dry-run",
        output: "#1 counter.increment by=4  (dry run)\n  counter.value  0 -> 4\n"),
    ],
    isBrief: true,
    read: DispatchRequest.read, perform: { try $0.perform(in: $1) })
}

private enum DispatchRequest {
  /// The action is whole.
  case action(HostAction, isQuiet: Bool)
  /// The action is tried, and nothing happens.
  case rehearsal((Session) throws -> HostAction, isQuiet: Bool)
  /// A part of the line is known later.
  case later((Session) throws -> (action: HostAction, info: String?), isQuiet: Bool)
  /// The name of the action is known later.
  case named((Session) throws -> DispatchRequest)
  /// A projection maps the action to nothing.
  case dropped(name: String, projection: String)

  static func read(_ reader: CommandReader) throws -> DispatchRequest {
    let words = reader.operands
    guard !words.isEmpty else { throw reader.missing("an action") }
    let meaning = try reader.action(words[0]).map { name, target in
      switch target {
      case .type(let type): try request(type, reader, words)
      case .dropped(let projection): DispatchRequest.dropped(name: name, projection: projection)
      }
    }
    switch meaning {
    case .known(let request): return request
    case .later(let request): return .named(request)
    }
  }

  private static func request(_ type: ActionType, _ reader: CommandReader, _ words: Words) throws -> DispatchRequest {
    let arguments = try reader.arguments(
      type.fields, of: type.fullName, usage: "dispatch \(type.signature)", at: words[0], words, from: 1)
    let vocabulary = reader.vocabulary
    guard reader.hasFlags || !arguments.areKnown else {
      return .action(try vocabulary.action(ActionCall(type, arguments.known)), isQuiet: false)
    }
    let isQuiet = reader.has("quiet")
    let info = try reader.text(of: "info")
    if reader.has("dry-run") {
      return .rehearsal(
        { try vocabulary.action(ActionCall(type, try arguments.values(in: $0))) }, isQuiet: isQuiet)
    }
    if info == nil, arguments.areKnown {
      return .action(try vocabulary.action(ActionCall(type, arguments.known)), isQuiet: isQuiet)
    }
    return .later(
      { session in
        (
          try vocabulary.action(ActionCall(type, try arguments.values(in: session))),
          try info?.value(in: session)
        )
      }, isQuiet: isQuiet)
  }

  consuming func perform(in session: Session) throws -> CommandResult {
    switch consume self {
    case .named(let request): return try request(session).perform(in: session)
    case .dropped(let name, let projection):
      session.noteDropped(name, by: projection)
      return .none
    case .rehearsal(let make, let isQuiet):
      let rehearsal = try session.store.rehearse(make(session), session.source(function: "dispatch")) {
        session.interrupts.relay.set($0)
      }
      return try session.finish(rehearsal, quietly: isQuiet)
    case .later(let make, let isQuiet):
      let (action, info) = try make(session)
      return try session.finish(
        session.store.dispatch(action, session.source(info: info, function: "dispatch")), quietly: isQuiet)
    case .action(let action, let isQuiet):
      return try session.finish(
        session.store.dispatch(action, session.dispatchSource()), quietly: isQuiet)
    }
  }
}

extension Session {
  /// Has the action processed that a line of plain words dispatches: the usual case, at the speed of scripts with a million lines.
  ///
  /// - Returns: nil: the line takes a closer look, or is at fault; nothing was done.
  func dispatchPlainly(_ statement: Statement) throws -> CommandResult? {
    guard !statement.isMoreThanWords, mayDispatch, !hasNames else { return nil }
    guard let action = store.action(by: { plainAction(of: statement, among: $0) }) else { return nil }
    return try finish(action)
  }

  /// The same for a line of the form of one before it, whose names are not looked up again.
  func dispatchKnown(_ statement: Statement) throws -> CommandResult? {
    guard let form = statement.form, mayDispatch, !hasNames,
      let action = store.action(by: { knownAction(of: statement, form, among: $0) })
    else { return nil }
    return try finish(action)
  }

  private func plainAction(of statement: Statement, among actions: ActionTable) -> HostAction? {
    guard let position = statement.operand(among: actions.positions) else { return nil }
    let type = actions.types[position]
    guard let fields = statement.plainFields(type.fields), let arguments = statement.plainArguments(type.fields, fields)
    else { return nil }
    if let form = statement.form {
      knownDispatches.note(KnownDispatches.Known(form: form, actions: actions, type: type, fields: fields))
    }
    return try? action(ActionCall(type, arguments))
  }

  private func knownAction(of statement: Statement, _ form: Int, among actions: ActionTable) -> HostAction? {
    guard let known = knownDispatches.find(form, among: actions) else { return nil }
    // Unmanaged: it is looked for, and not changed, until the action is made.
    return known._withUnsafeGuaranteedRef { known in
      let arguments = Unmanaged.passUnretained(known.type)._withUnsafeGuaranteedRef {
        statement.plainArguments($0.fields, known.fields)
      }
      guard let arguments else { return nil }
      return try? action(ActionCall(known.type, arguments))
    }
  }
}
