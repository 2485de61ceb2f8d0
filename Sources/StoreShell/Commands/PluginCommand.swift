import StoreCore
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let plugin = CommandDefinition(
    "plugin", usage: ["plugin list", "plugin load NAME|FOLDER", "plugin unload NAME"],
    summary: "lists, loads and unloads Lua plugins",
    flags: FlagDefinition.format, operands: [.words(["list", "load", "unload"]), .plugin],
    examples: [
      CommandExample(
        "plugin load catalog",
        output: """
          #1 shell.loadPlugin name="catalog" version="0.1.0"
            1 action

          """),
      CommandExample(
        "plugin load catalog", "plugin unload catalog",
        output: """
          #1 shell.loadPlugin name="catalog" version="0.1.0"
            1 action
          #2 shell.unloadPlugin name="catalog"
            1 action

          """),
    ]
  ) { invocation in
    let session = invocation.session
    switch try invocation.operand(0) {
    case "list", nil:
      try invocation.refuseOperands(from: 1)
      return try invocation.show(ShellListing.plugins.reading(in: session))
    case "load":
      try invocation.refuseOperands(from: 2)
      return try session.loadPlugin(try invocation.required(1, "the name or folder of a plugin"))
    case "unload":
      try invocation.refuseOperands(from: 2)
      let name = try invocation.required(1, "the name of a plugin")
      let counts = session.store.plugin(named: name)?.counts ?? []
      let report = try session.store.unload(name, source: session.source(function: "plugin"))
      return try session.finish(report, details: counts)
    case let word?:
      let suggestion = Suggestion.nearest(to: word, among: ["list", "load", "unload"])
      throw ShellError(
        code: "unknown-command", message: "plugin has no '\(word)'", at: invocation.operands[0],
        hint: suggestion.map { "did you mean 'plugin \($0)'?" } ?? "plugin list, plugin load, plugin unload")
    }
  }
}

extension Session {
  /// Loads a plugin by name or folder, asking for its permissions where they are not granted.
  func loadPlugin(_ word: String, silently isSilent: Bool = false) throws -> CommandResult {
    guard options.allowsPlugins else {
      throw PluginError(.load, "plugins are switched off in this session (--no-plugins)")
    }
    let source = try PluginLocator(options).source(word)
    guard commands[source.manifest.name] == nil else {
      throw PluginError(
        .load, "\(source.manifest.name): that is the name of a command of the shell",
        hint: "give the plugin another name in plugin.json")
    }
    try grant(source)
    let (plugin, report) = try refusing { try store.load(source, from: self.source(function: "plugin")) }
    guard !isSilent else {
      if let failure = report.failure { throw ShellError(describing: failure) }
      return .none
    }
    return try finish(report, details: plugin.counts)
  }

  /// Whatever a plugin did wrong while it was loaded, it could not be loaded: status 4.
  private func refusing<Result>(_ load: () throws -> Result) throws -> Result {
    do {
      return try load()
    } catch {
      var error = ShellError(describing: error)
      error.status = 4
      throw error
    }
  }

  private func grant(_ source: PluginSource) throws {
    let manifest = source.manifest
    var grants = GrantStore(file: options.grantsFile)
    let missing = grants.missing(of: manifest, in: source.folder)
    guard !missing.isEmpty, !options.grants.contains(manifest.name) else { return }
    guard let ask, origin.kind == .repl else {
      throw PluginError(
        .grant, "\(manifest.name) asks for \(missing.map(\.description).joined(separator: ", ")); not granted",
        hint: "plugin grant \(manifest.name), or run with --grant \(manifest.name)")
    }
    let width = missing.map(\.description.count).max() ?? 0
    var question = "\(manifest.name) \(manifest.version) asks for:\n"
    for permission in missing {
      let name = permission.description
      question += "  \(name)\(String(repeating: " ", count: width - name.count))  \(permission.meaning)\n"
    }
    question += "Allow? [y]es for this session, [a]lways, [N]o: "
    switch ask(question)?.lowercased().first {
    case "y": options.grants.insert(manifest.name)
    case "a":
      options.grants.insert(manifest.name)
      try grants.add(manifest, in: source.folder)
    default:
      throw PluginError(.grant, "\(manifest.name) was not granted what it asks for")
    }
  }

  /// Runs a command that a plugin adds.
  func run(_ plugin: Plugin, _ statement: Statement) throws -> CommandResult {
    let name = plugin.module.name
    let verbs = plugin.module.commands.map(\.name)
    let listing = "commands of \(name): \(verbs.joined(separator: ", "))"
    guard statement.words.count > 1 else {
      throw ShellError(
        code: "missing-argument", message: "\(name) needs one of its commands", at: statement.words[0], hint: listing)
    }
    let word = statement.words[1]
    guard let command = plugin.module.commands.first(where: { $0.name == word.text }) else {
      let suggestion = Suggestion.nearest(to: word.text, among: verbs)
      throw ShellError(
        code: "unknown-command", message: "\(name) has no command '\(word.text)'", at: word,
        hint: suggestion.map { "did you mean '\(name) \($0)'?" } ?? listing)
    }
    let usage = (["\(name) \(command.name)"] + command.fields.map(\.signature))
      .joined(separator: " ")
    let definition = CommandDefinition(
      "\(name) \(command.name)", usage: [usage], summary: command.summary, flags: FlagDefinition.format
    ) { _ in .none }
    guard let rest = statement.droppingWords(1) else { return .none }
    let invocation = try Invocation(rest, definition, in: self)
    let values = try invocation.arguments(
      command.fields, of: "\(name) \(command.name)", usage: usage, at: word, invocation.operands[...])
    let arguments = Record(RecordLayout(name: command.name, fields: command.fields.map(\.name)), values)
    let result = try plugin.run(command: command.name, arguments: arguments, view: store.view, host: self)
    switch result {
    case .nothing: return .none
    case .value(let value): return try invocation.show(Reading(value: value, schema: .dynamic(.any)))
    case .text(let text):
      guard try invocation.format() == .auto else {
        return try invocation.show(Reading(value: .string(text), schema: .dynamic(.string)))
      }
      lastValue = .string(text)
      return invocation.print(text + "\n")
    }
  }
}

extension Plugin {
  /// What the plugin adds, in one line, zero counts left out; none where it adds nothing.
  fileprivate var counts: [String] {
    let counts = [
      (module.actions.count, "action", "actions"), (units.count, "middleware", "middleware"),
      (module.commands.count, "command", "commands"),
    ]
    let texts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    return texts.isEmpty ? [] : [texts.joined(separator: ", ")]
  }
}

extension Session: PluginCommandHost {
  /// Has an action that a plugin's command dispatches processed.
  public func dispatch(_ call: ActionCall, source: ActionSource) throws {
    let report = store.dispatch(call, source: source)
    if let failure = report.failure { throw failure }
    if let fault = report.faults.first { throw fault }
  }
}
