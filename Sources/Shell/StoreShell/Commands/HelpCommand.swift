import ShellLanguage
import StoreModules
import StoreSchema

extension CommandDefinition {
  static let help = CommandDefinition(
    "help", needs: .nothing, usage: ["help [COMMAND [PART]|MODULE|ACTION|ALIAS|ERROR-CODE|TOPIC|commands|keys]"],
    summary:
      "explains a command, a part of one such as plugin reload, a module, an action, an alias, an error code, a topic of the language or the keys; COMMAND --help is the same",
    operands: [.helpTopic, .helpPart],
    examples: [
      CommandExample("help quit", output: HelpText.text(of: .quit)),
      CommandExample(
        "help plugin list",
        output: """
          usage: plugin list [--available]
          shows the loaded plugins
          flags
            --available  the plugins that plugin load finds by name, those that ship too

          """),
      CommandExample(
        "help tasks.add",
        output: """
          usage: dispatch tasks.add title:String
          Adds a to-do at the end.
          describe tasks shows its state

          """),
      CommandExample(
        "help unknown-command",
        output: """
          error[unknown-command]: there is no such verb. Actions are run with dispatch.
          example
            stsh> dispath counter.increment
            error[unknown-command]: there is no command 'dispath'
          instead
            stsh> dispatch counter.increment

          """),
    ],
    read: HelpRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

/// A topic that a line asks to have explained.
private enum HelpRequest {
  case overview
  case all
  case topic(HelpTopic)
  case command(CommandDefinition)
  /// A plugin, and the commands of it that are asked for.
  case plugin(Module, [CommandType], summary: String)
  case module(Module)
  case action(ActionType)
  case alias(SessionNames.Alias)
  case code(ErrorCode)
  case keys

  static func read(_ reader: CommandReader) throws -> Given<HelpRequest> {
    try reader.refuseOperands(from: 2)
    guard let topic = try reader.operand(0) else { return .known(.overview) }
    let part = try reader.operand(1)
    return try Given.all([topic] + (part.map { [$0] } ?? [])).map { words in
      try HelpRequest(words[0], words.dropFirst().first, reader)
    }
  }

  private init(_ topic: String, _ part: String?, _ reader: CommandReader) throws {
    let vocabulary = reader.vocabulary
    if let definition = vocabulary.commands[topic] {
      self = .command(try part.map { try reader.part($0, of: definition) } ?? definition)
      return
    }
    if let plugin = vocabulary.plugin(named: topic) {
      let commands = try part.map { [try reader.command($0, of: plugin.module)] } ?? plugin.module.commands
      self = .plugin(plugin.module, commands, summary: part == nil ? plugin.source.manifest.summary : "")
      return
    }
    try reader.refuseOperands(from: 1)
    if let action = vocabulary.action(named: topic) {
      self = .action(action)
      return
    }
    if let module = vocabulary.modules.first(where: { $0.name == topic }) {
      self = .module(module)
      return
    }
    if let alias = vocabulary.alias(topic) {
      self = .alias(alias)
      return
    }
    if let code = ErrorCode(rawValue: topic) {
      self = .code(code)
      return
    }
    if topic == "keys" || topic == "commands" {
      self = topic == "keys" ? .keys : .all
      return
    }
    if let page = HelpTopic(named: topic) {
      self = .topic(page)
      return
    }
    if vocabulary.hasInstalledPlugin(named: topic) {
      throw ShellError(
        code: .unknownTopic, message: "the plugin '\(topic)' is not loaded", at: reader.operands[0],
        hint: "plugin load \(topic), then help \(topic)")
    }
    let modules = vocabulary.modules.map(\.name)
    let names =
      vocabulary.commands.definitions.map(\.verb) + ErrorCode.words + modules + HelpTopic.names + ["commands", "keys"]
    let actions = topic.contains(".") ? vocabulary.modules.flatMap(\.actions).map(\.fullName) : []
    throw ShellError(
      code: .unknownTopic, message: "there is no help on '\(topic)'", at: reader.operands[0],
      hint: Habit.hint(on: topic) ?? Suggestion.question(topic, among: actions.isEmpty ? names : actions)
        ?? vocabulary.modules.first { topic.hasPrefix("\($0.name).") }.map { "describe \($0.name) explains its parts" }
        ?? "help lists the commands")
  }

  func perform(in session: Session) -> CommandResult {
    let width = session.console.resultWidth
    let text =
      switch self {
      case .overview: session.helpOverview.text(width: width)
      case .topic(let topic): topic.text(width: width)
      case .all: HelpText.listing(session.commands, width: width)
      case .command(let definition): HelpText.text(of: definition, in: session) + Self.code(of: definition, in: session)
      case .plugin(let module, let commands, let summary):
        HelpText.text(of: module, commands, summary: summary, program: session.options.name)
      case .module(let module): session.description(of: module)
      case .action(let action): HelpText.text(of: action, width: width)
      case .alias(let alias): HelpText.text(of: alias, in: session)
      case .keys: HelpText.keys(width: width)
      case .code(let code): Self.text(of: code, in: session)
      }
    return session.answer(DisplayText.shown(text, isUTF8: session.options.isUTF8))
  }

  private static func text(of code: ErrorCode, in session: Session) -> String {
    let width = session.console.resultWidth
    let example = ErrorExample.all[code].map {
      $0.text(code, program: session.options.name, isHosted: session.hosts($0), width: width)
    }
    return WrappedText.hanging("error[\(code)]: \(code.explanation)", indentation: 0, width: width) + "\n"
      + (example ?? "")
  }

  /// The explanation of the code that is called like a command; empty where none is.
  private static func code(of definition: CommandDefinition, in session: Session) -> String {
    ErrorCode(rawValue: definition.verb).map { "\n" + text(of: $0, in: session) } ?? ""
  }
}

extension CommandReader {
  /// A command as far as a part of it goes.
  fileprivate func part(_ part: String, of definition: CommandDefinition) throws -> CommandDefinition {
    if definition.parts.contains(part) { return definition.only(part) }
    throw noPart(part, of: definition.verb, having: definition.parts)
  }

  fileprivate func command(_ name: String, of module: Module) throws -> CommandType {
    if let command = module.commands.first(where: { $0.name == name }) { return command }
    throw noPart(name, of: module.name, having: module.commands.map(\.name))
  }

  private func noPart(_ part: String, of topic: String, having parts: [String]) -> ShellError {
    ShellError(
      code: .unknownTopic, message: "\(topic) has no part '\(part)'", at: operands[1],
      hint: Suggestion.question(part, among: parts) ?? "help \(topic) explains all of it")
  }
}

extension Session {
  /// The page of `help` alone, with lines of this store to try first.
  fileprivate var helpOverview: HelpOverview {
    let known = Set(HelpOverview.groups.flatMap(\.commands).map(\.verb))
    let own = commands.definitions.map(\.verb).filter { !known.contains($0) }
    let plugins = store.modules.filter { !$0.commands.isEmpty }.map(\.name)
    let module = store.modules.first { !$0.actions.isEmpty && !$0.isOfShell }
    let action = hostsSamples ? "tasks.add \"Buy milk\"" : module?.actions.first?.fullName ?? "ACTION"
    let part = hostsSamples ? "tasks" : module?.name ?? "MODULE"
    return HelpOverview(
      ownCommands: own + plugins,
      firstLines: [
        NamedMeaning(name: "describe", meaning: "the modules; describe MODULE shows its actions"),
        NamedMeaning(name: "dispatch \(action)", meaning: "does something"),
        NamedMeaning(name: "show \(part)", meaning: "the state, or a part of it"),
        NamedMeaning(name: "log", meaning: "what was done, by whom and when"),
        NamedMeaning(name: "undo", meaning: "takes your last statement back"),
      ])
  }

  /// The help of a command as far as a line that asks for it goes.
  func help(on definition: CommandDefinition, _ statement: Statement) -> CommandResult {
    let part = statement.words.dropFirst().first { definition.parts.contains($0.text) }
    let text = HelpText.text(of: part.map { definition.only($0.text) } ?? definition, in: self)
    return answer(DisplayText.shown(text, isUTF8: options.isUTF8))
  }
}

extension Session {
  /// Returns true if an example of an error is one of this program's store.
  fileprivate func hosts(_ example: ErrorExample) -> Bool {
    hostsSamples || !Self.samples.keys.contains { "\(example.line) \(example.instead ?? "")".contains($0) }
  }
}
