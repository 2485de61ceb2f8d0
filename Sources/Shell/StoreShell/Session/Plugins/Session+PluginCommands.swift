import ShellLanguage
import StoreCore
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension Plugin {
  /// The command that a statement gives whose verb is the plugin's name, and the statement without that.
  func command(in statement: Statement) throws -> (CommandDefinition, Statement) {
    let name = module.name
    let verbs = module.commands.map(\.name)
    guard !verbs.isEmpty else {
      throw ShellError(
        code: .unknownCommand, message: "\(name) adds no commands", at: statement.words[0],
        hint: "describe \(name) lists its actions, for dispatch")
    }
    let listing = "commands of \(name): \(verbs.joined(separator: ", "))"
    guard let rest = statement.droppingWords(1) else {
      throw ShellError(
        code: .missingArgument, message: "\(name) needs one of its commands", at: statement.words[0], hint: listing)
    }
    let word = rest.words[0]
    guard let definition = definition(ofCommand: word.text) else {
      let suggestion = Suggestion.nearest(to: word.text, among: verbs)
      throw ShellError(
        code: .unknownCommand, message: "\(name) has no command '\(word.text)'", at: word,
        hint: suggestion.map { "did you mean '\(name) \($0)'?" } ?? listing)
    }
    return (definition, rest)
  }

  /// A command that the plugin adds; nil: it adds none of that name.
  func definition(ofCommand command: String) -> CommandDefinition? {
    guard let command = module.commands.first(where: { $0.name == command }) else { return nil }
    let layout = RecordLayout(name: command.name, fields: command.fields.map(\.name))
    return .taking(
      command.fields, "\(module.name) \(command.name)", summary: command.summary
    ) { [self] values, form, session in
      let arguments = Record(layout, values)
      let store = session.store
      let result = try store.turn {
        try commands.run(command.name, arguments: arguments, view: store.view, host: session)
      }
      session.tellOthers()
      switch result {
      case .nothing: return .none
      case .value(let reading): return try session.answer(reading, as: form)
      case .text(let text): return try session.answer(value: text, as: form)
      }
    }
  }
}

extension Session: PluginCommandHost {
  /// Has an action that a plugin's command dispatches processed. Its source says where the command stands that somebody gave.
  public func dispatch(_ call: ActionCall, source: ActionSource) throws {
    var source = source
    let given = self.source(function: "")
    source.info = given.short
    source.author = given.author
    try finishOne(store.dispatch(try renewed(call), source: source))
  }

  /// Ends a dispatch that is one of several in a statement. A fault beside the action, in middlewares and tasks, fails
  /// the statement when it is done; it goes on, as the action stands.
  ///
  /// - Throws: why the action failed.
  func finishOne(_ report: DispatchReport) throws {
    tellOthers()
    store.leaveFaults(of: report)
    leaveNote(ofDropped: report)
    if let failure = report.failure { throw failure }
  }

  /// The call as one of the action that now goes by its name: the plugin may have been reloaded while its command waited.
  private func renewed(_ call: ActionCall) throws -> ActionCall {
    guard let type = store.action(named: call.type.fullName) else {
      throw ShellError(code: .unknownAction, message: "unknown action '\(call.type.fullName)'")
    }
    guard type !== call.type else { return call }
    let arguments = zip(call.type.fields, call.arguments).filter { $0.1 != .none }
    return try type.call(arguments.map { ($0.0.name, $0.1) })
  }

  /// The value at a path or of a projection of a module, and its type. The names of the prompt are not for plugins:
  /// they may show values that plugins may not read.
  public func read(_ path: String) throws -> Reading {
    let path = try Path(parsing: path)
    return path.steps.first == .field("shell") ? try read(path) : try store.read(path)
  }

  /// Lets tasks run for a command of a plugin until what it waits for is there.
  public func wait(_ wait: PluginWait) throws -> AwaitedAction? {
    var last = store.live.head
    var found: AwaitedAction?
    let end = try store.withoutTurn {
      try self.wait(atMost: wait.limit) {
        guard !wait.actions.isEmpty else { return false }
        let entries = store.live.recent(from: last + 1)
        for entry in entries.reversed() {
          guard entry.failure == nil, entry.droppedBy == nil, wait.actions.contains(entry.action) else { continue }
          found = AwaitedAction(name: entry.action, arguments: entry.arguments)
        }
        last = entries.last?.number ?? last
        return found != nil
      }
    }
    let actions = wait.actions.joined(separator: " or ")
    switch end {
    case .done, .timeOver: return found
    case .stuck:
      throw ShellError(
        code: .timedOut, message: "\(actions) did not come, and nothing waits for the clock", status: 5)
    case .endless:
      throw ShellError(
        code: .timedOut, message: "\(actions) did not come in \(Self.mostMoves) moves of the virtual clock",
        details: store.live.effects.map(\.id), status: 5)
    }
  }
}
