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
          Adds a task at the end.
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
      hint: Suggestion.question(topic, among: actions.isEmpty ? names : actions) ?? "help lists the commands")
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
      case .keys: HelpText.keys
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

  /// A command of a plugin.
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

/// The shell's commands in words.
enum HelpText {
  /// The help of an alias: what it stands for, and what that does.
  fileprivate static func text(of alias: SessionNames.Alias, in session: Session) -> String {
    let verb = alias.command.prefix { $0 != " " }
    let definition = session.commands[String(verb)]
    return "\(alias.name) stands for: \(alias.command)\n" + (definition.map { text(of: $0, in: session) } ?? "")
  }

  /// The keys of the prompt. All others are GNU readline's, and of ~/.inputrc.
  fileprivate static let keys = """
    Tab            completes a word; pressed again, it lists what fits
    Right, Ctrl-F  takes the dim suggestion, the rest of an earlier line; outside vi mode, Alt-F takes a word of it
    Up, Down       show earlier lines, and later ones: those that begin as what is typed before the cursor
    Ctrl-R         searches earlier lines for what is typed next
    Ctrl-X Ctrl-E  edits the line in $VISUAL or $EDITOR
    Ctrl-L         clears the screen
    Ctrl-C         drops the line, or stops the command that runs
    Ctrl-D         leaves, on an empty line
    Ctrl-Z         suspends the program; fg of your shell goes on
    all others are those of GNU readline, as ~/.inputrc sets them ($if stsh)

    """

  /// The help of a command: usage, flags, examples with their output; sentences fit the width of a terminal.
  static func text(of definition: CommandDefinition, width: Int? = nil) -> String {
    text(of: definition, examples: definition.examples, width: width)
  }

  private static func text(of definition: CommandDefinition, examples: [CommandExample], width: Int?) -> String {
    var out = ""
    for (index, usage) in definition.usage.enumerated() {
      out += (index == 0 ? usageMark : String(repeating: " ", count: usageMark.count)) + lines(of: usage, width) + "\n"
    }
    out += WrappedText.hanging(definition.summary, indentation: 0, width: width) + "\n"
    out += list("settings", definition.names, width: width)
    out += list("flags", definition.flags.map { NamedMeaning(name: $0.form, meaning: $0.summary) }, width: width)
    return out + text(of: examples)
  }

  private static let usageMark = "usage: "

  /// A usage on a terminal of some width. Its meaning, where two spaces or more part it from one, stands beside it or below.
  private static func lines(of usage: String, _ width: Int?) -> String {
    let start = usageMark.count
    guard let width, let gap = usage.firstRange(of: "  ") else {
      return WrappedText.hanging(usage, indentation: start, width: width)
    }
    let meaning = String(usage[gap.lowerBound...].drop { $0 == " " })
    let column = start + usage.count - meaning.count
    if width - column >= 30 {
      return usage.dropLast(meaning.count) + WrappedText.hanging(meaning, indentation: column, width: width)
    }
    return WrappedText.hanging(String(usage[..<gap.lowerBound]), indentation: start, width: width) + "\n"
      + String(repeating: " ", count: start + 4) + WrappedText.hanging(meaning, indentation: start + 4, width: width)
  }

  /// Names below a heading, each beside its meaning.
  private static func list(_ heading: String, _ names: [NamedMeaning], width: Int?) -> String {
    guard !names.isEmpty else { return "" }
    let widest = names.map(\.name.count).max() ?? 0
    return names.reduce(into: "\(heading)\n") { out, entry in
      let meaning = WrappedText.hanging(entry.meaning, indentation: widest + 4, width: width)
      out += "  \(entry.name)\(String(repeating: " ", count: widest - entry.name.count))  \(meaning)\n"
    }
  }

  /// The help of a command in a program: it keeps the examples that are of the program's store.
  static func text(of definition: CommandDefinition, in session: Session) -> String {
    let examples = definition.examples.filter { session.hosts($0) }
    let names = examples.isEmpty ? session.instances(of: definition) : []
    return text(of: definition, examples: [], width: session.console.resultWidth)
      + text(of: examples, prompt: "\(session.options.name)> ")
      + (names.isEmpty ? "" : "for instance\n" + names.map { "  \(definition.verb) \($0)\n" }.joined())
  }

  private static func text(of examples: [CommandExample], prompt: String = CommandExample.prompt) -> String {
    guard !examples.isEmpty else { return "" }
    let texts = examples.map { lines(of: $0, prompt: prompt).map { "  \($0)\n" }.joined() }
    return (examples.count == 1 ? "example\n" : "examples\n") + texts.joined(separator: "\n")
  }

  /// An example as it looks at the prompt.
  static func lines(of example: CommandExample, prompt: String = CommandExample.prompt) -> [String] {
    example.steps.flatMap { line, output in
      [prompt + line] + output.split(separator: "\n").map(String.init)
    }
  }

  /// A plugin: what it is for, and some or all of its commands with their usage.
  static func text(of module: Module, _ commands: [CommandType], summary: String, program: String) -> String {
    var out = summary.isEmpty ? "" : "\(module.name): \(summary)\n"
    for command in commands {
      let usage = (["\(module.name) \(command.name)"] + command.fields.map(\.signature)).joined(separator: " ")
      out += "usage: \(usage)\n"
      if !command.summary.isEmpty { out += "  \(command.summary)\n" }
      for example in command.examples { out += "  \(program)> \(example)\n" }
    }
    return out + "describe \(module.name) shows its state, actions and projections\n"
  }

  /// An action: how it is dispatched, what it is for, and what its arguments are.
  static func text(of action: ActionType, width: Int?) -> String {
    var out = "usage: dispatch \(action.signature)\n"
    if !action.documentation.isEmpty {
      out += WrappedText.hanging(action.documentation, indentation: 0, width: width) + "\n"
    }
    let explained = action.fields.filter { !$0.documentation.isEmpty }
    out += list(
      "arguments", explained.map { NamedMeaning(name: $0.name, meaning: $0.documentation) }, width: width)
    var types = NamedTypes()
    for field in action.fields { types.add(field.schema) }
    if !types.details.isEmpty { out += "types\n" + types.details.map { "  \($0)\n" }.joined() }
    return out + "describe \(action.module) shows its state\n"
  }

  /// All commands, one a line where that fits the width of a terminal.
  static func listing(_ table: CommandTable, width: Int?) -> String {
    let widest = table.definitions.map(\.verb.count).max() ?? 0
    var out = ""
    for definition in table.definitions {
      out += definition.verb + String(repeating: " ", count: widest - definition.verb.count)
      out += "  " + WrappedText.hanging(definition.summary, indentation: widest + 2, width: width) + "\n"
    }
    let ending =
      "help COMMAND shows usage and examples; help MODULE, ACTION, ERROR-CODE and TOPIC explain those"
    return out + WrappedText.hanging(ending, indentation: 0, width: width) + "\n"
  }
}

extension Session {
  /// Returns true if an example is one of this program's store: the examples are of the modules that the shipped
  /// program hosts.
  fileprivate func hosts(_ example: CommandExample) -> Bool {
    if hostsSamples { return true }
    // A listing that is empty there speaks of no sample, but is no less of another store.
    let isEmpty = example.steps.contains { $0.output == "[]\n" || $0.output == "(no thunks)\n" }
    let text = example.steps.map { "\($0.line)\n\($0.output)" }.joined()
    return !isEmpty && !Self.samples.keys.contains { text.contains($0) }
  }

  fileprivate func hosts(_ example: ErrorExample) -> Bool {
    hostsSamples || !Self.samples.keys.contains { "\(example.line) \(example.instead ?? "")".contains($0) }
  }

  private static let samples = ["counter": ["value", "step"], "tasks": ["nextId", "items"]]

  /// True if the modules of the shipped program are there.
  private var hostsSamples: Bool {
    Self.samples.allSatisfy { name, fields in
      store.modules.first { $0.name == name }.map { $0.fields.map(\.name) == fields } ?? false
    }
  }

  /// The names that a command could be given here, if it takes the name of an action or a thunk.
  fileprivate func instances(of definition: CommandDefinition) -> [String] {
    switch definition.operands.first {
    case .action: store.modules.flatMap(\.actions).prefix(2).map(\.signature)
    case .thunk: store.live.thunks.prefix(2).map(\.signature)
    default: []
    }
  }
}
