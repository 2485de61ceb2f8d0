import ShellLanguage
import StoreModules
import StoreSchema

extension CommandDefinition {
  static let dispatch = CommandDefinition(
    "dispatch", needs: .dispatch, usage: ["dispatch ACTION [ARG=VALUE…] [--quiet] [--info TEXT]"],
    summary: "runs an action through middlewares and reducers; prints its changes",
    flags: [
      FlagDefinition("quiet", need: .dispatch, "print nothing"),
      FlagDefinition("info", value: "TEXT", need: .dispatch, "a note in the action's source"),
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
    ],
    read: DispatchRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

/// An action that a line has processed.
private enum DispatchRequest {
  case action(ActionType, GivenArguments, info: Given<String>?, isQuiet: Bool)
  /// A projection maps the action to nothing.
  case dropped(name: String, projection: String)

  static func read(_ reader: CommandReader) throws -> Given<DispatchRequest> {
    guard let word = reader.operands.first else { throw reader.missing("an action") }
    // The usual case, at the speed of scripts with a million lines.
    if let type = reader.vocabulary.plainAction(named: word.text) { return .known(try .init(type, at: word, reader)) }
    return try read(reader, word)
  }

  /// Reads an action whose name may stand for something else. Apart, since what runs later has a copy of the reader.
  @inline(never)
  private static func read(_ reader: CommandReader, _ word: Word) throws -> Given<DispatchRequest> {
    try reader.action(word).map { name, target in
      switch target {
      case .type(let type): try .init(type, at: word, reader)
      case .dropped(let projection): .dropped(name: name, projection: projection)
      }
    }
  }

  private init(_ type: ActionType, at word: Word, _ reader: CommandReader) throws {
    let arguments = try reader.arguments(
      type.fields, of: type.fullName, usage: "dispatch \(type.signature)", at: word, reader.operands.dropFirst())
    self = .action(type, arguments, info: try reader.text(of: "info"), isQuiet: reader.has("quiet"))
  }

  consuming func perform(in session: Session) throws -> CommandResult {
    switch consume self {
    case .dropped(let name, let projection):
      session.noteDropped(name, by: projection)
      return .none
    case .action(let type, let arguments, let info, let isQuiet):
      let call = ActionCall(type, try arguments.values(in: session))
      let source = session.source(info: try info?.value(in: session), function: "dispatch")
      return try session.finish(session.store.dispatch(call, source: source), quietly: isQuiet)
    }
  }
}
