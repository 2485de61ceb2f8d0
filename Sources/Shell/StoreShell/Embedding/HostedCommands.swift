import ShellLanguage
import StoreCore
import StoreHost
import StoreModules
import StoreSchema

extension Session {
  /// Starts a session over a store that it has for itself, made from an application.
  ///
  /// - Throws: `StoreError` where two of its middlewares or interceptors share a name; ``ShellError`` where a binding or a
  ///   command of its own does not fit.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ application: Application<Action, State>, options: SessionOptions = SessionOptions(),
    console: Console = Console()
  ) throws {
    let clock = SessionClock(isVirtual: options.hasVirtualClock)
    let host = try StoreHost(
      alone: application, clock: clock.clock, program: options.name, hasStoreOption: options.hasStoreOption)
    try self.init(host, clock, endsStore: true, options: options, console: console)
  }

  /// Starts a session over the store of a host, one of as many as you like. A session is used by one thread at a time.
  ///
  /// Its variables, watches and settings of output, its look at the past and `quit` are its own (R35). The store goes on when it
  /// ends.
  ///
  /// - Throws: ``ShellError`` where a binding or a command of the application does not fit.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, options: SessionOptions = SessionOptions(), console: Console = Console()
  ) throws {
    try self.init(host, SessionClock(of: host.clock), endsStore: false, options: options, console: console)
  }

  /// Starts a session over the store of a host that ends with it, whoever else uses it until then.
  ///
  /// - Throws: as the other ways do.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    owning host: StoreHost<Action, State>, options: SessionOptions = SessionOptions(), console: Console = Console()
  ) throws {
    try self.init(host, SessionClock(of: host.clock), endsStore: true, options: options, console: console)
  }

  /// The same for a session that no thread of its own waits for, and that a door tells when the store is closed.
  convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, options: SessionOptions, console: Console, wake: @escaping @Sendable () -> Void
  ) throws {
    try self.init(
      host, SessionClock(of: host.clock, wakeUp: wake), endsStore: false, hearsEnd: false, options: options,
      console: console)
  }

  private convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, _ clock: SessionClock, endsStore: Bool, hearsEnd: Bool = true,
    options: SessionOptions, console: Console
  ) throws {
    let (application, hosted) = (host.application, host.live.application)
    let commands = try CommandTable.standard.adding(hosted.commands, besides: hosted.modules)
    self.init(
      host.live,
      SessionApplication(commands: commands, endsStore: endsStore, hearsEnd: hearsEnd) {
        try Session(application, options: $0, console: $1)
      }, clock, options: options, console: console)
    if !endsStore { settlesBeforeTelling() }
    for binding in application.bindings { try bind(binding) }
  }
}

extension HostedCommand {
  /// The command as the shell's table has it.
  var definition: CommandDefinition {
    let layout = RecordLayout(name: verb, fields: fields.map(\.name))
    return .taking(fields, verb, summary: summary) { [run] values, form, session in
      guard let result = try run(.record(Record(layout, values)), session.caller) else { return .none }
      if let text = result as? String { return try session.answer(value: text, as: form) }
      return try session.answer(Reading(value: result.schemaValue, schema: type(of: result).schema), as: form)
    }
  }
}

extension CommandTable {
  /// The table with commands of an application behind its own, `help` and `quit` last.
  ///
  /// - Throws: ``ShellError`` for a verb that means something else already, or is no name.
  func adding(_ commands: [HostedCommand], besides modules: [Module]) throws -> CommandTable {
    var taken = Set(definitions.map(\.verb) + modules.map(\.name) + ["shell"])
    for command in commands {
      guard command.verb.isName else {
        throw ShellError(code: .syntax, message: "'\(command.verb)' is not a name", status: 2)
      }
      guard taken.insert(command.verb).inserted else {
        throw ShellError(code: .nameTaken, message: "'\(command.verb)' is a command or a module already")
      }
    }
    guard !commands.isEmpty else { return self }
    return CommandTable(definitions.dropLast(2) + commands.map(\.definition) + definitions.suffix(2))
  }
}

extension Session {
  /// The parts of the session that a command of an application gets.
  fileprivate var caller: CommandCaller {
    CommandCaller(
      state: { self.store.shownState },
      dispatch: { try self.finishOne(self.store.dispatch($0, self.source(function: "dispatch"))) },
      print: { self.print($0) })
  }
}

extension CommandTable {
  /// The commands of the shell, in the order in which help lists them.
  static let standard = CommandTable(all)

  /// Their grammar, where nobody can tell whether Lua is finished.
  static let standardGrammar = standard.grammar { _ in false }

  private static let all: [CommandDefinition] = [
    .dispatch, .show, .watch, .pin, .describe, .diff, .log, .why, .who, .node, .goto, .undo, .redo, .skip, .unskip,
    .bisect,
    .plot,
    .middleware, .plugin, .ingest, .expression, .lua, .let, .assert, .export, .importState, .replay, .thunk, .wait,
    .effects, .source, .run, .shellLine, .try, .retry, .step, .checks, .atomic, .time, .project, .use, .bind, .substate,
    .alias,
    .history, .sessions, .compact, .echo, .set,
    .trace, .help,
    .quit,
  ]
}
