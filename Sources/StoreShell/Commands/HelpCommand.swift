import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let help = CommandDefinition(
    "help", usage: ["help [COMMAND|ERROR-CODE]"], summary: "explains a command or an error code, or lists the commands",
    operands: [.helpTopic],
    examples: [
      CommandExample("help quit", output: HelpText.text(of: .quit)),
      CommandExample(
        "help unknown-command",
        output: "error[unknown-command]: there is no such verb. Actions are run with dispatch.\n"),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    let commands = invocation.session.commands
    guard let topic = try invocation.operand(0) else { return invocation.print(HelpText.listing(commands)) }
    if let definition = commands[topic] { return invocation.print(HelpText.text(of: definition)) }
    if let plugin = invocation.session.store.plugin(named: topic) {
      return invocation.print(HelpText.text(of: plugin.module, summary: plugin.source.manifest.summary))
    }
    if let explanation = ErrorCode.explanations[topic] {
      return invocation.print("error[\(topic)]: \(explanation)\n")
    }
    let names = commands.definitions.map(\.verb) + ErrorCode.explanations.keys.sorted()
    let suggestion = Suggestion.nearest(to: topic, among: names)
    throw ShellError(
      code: "unknown-topic", message: "there is no help on '\(topic)'", at: invocation.operands[0],
      hint: suggestion.map { "did you mean '\($0)'?" } ?? "help lists the commands")
  }
}

/// The shell's commands in words.
enum HelpText {
  /// One command: usage, flags, examples with their output.
  static func text(of definition: CommandDefinition) -> String {
    var out = ""
    for (index, usage) in definition.usage.enumerated() { out += (index == 0 ? "usage: " : "       ") + usage + "\n" }
    out += definition.summary + "\n"
    if !definition.flags.isEmpty {
      out += "flags\n"
      let names = definition.flags.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
      let width = names.map(\.count).max() ?? 0
      for (name, flag) in zip(names, definition.flags) {
        out += "  \(name)\(String(repeating: " ", count: width - name.count))  \(flag.summary)\n"
      }
    }
    if !definition.examples.isEmpty {
      out += definition.examples.count == 1 ? "example\n" : "examples\n"
      for line in definition.examples.flatMap(lines(of:)) { out += "  \(line)\n" }
    }
    return out
  }

  /// An example as it looks at the prompt.
  static func lines(of example: CommandExample) -> [String] {
    example.lines.map { "stsh> \($0)" } + example.output.split(separator: "\n").map(String.init)
  }

  /// A plugin: what it is for, and its commands with their usage.
  static func text(of module: Module, summary: String) -> String {
    var out = summary.isEmpty ? "" : "\(module.name): \(summary)\n"
    for command in module.commands {
      let usage = (["\(module.name) \(command.name)"] + command.fields.map(\.signature)).joined(separator: " ")
      out += "usage: \(usage)\n"
      if !command.summary.isEmpty { out += "  \(command.summary)\n" }
      for example in command.examples { out += "  stsh> \(example)\n" }
    }
    return out + "describe \(module.name) shows its state, actions and projections\n"
  }

  /// All commands, one a line.
  static func listing(_ table: CommandTable) -> String {
    let width = table.definitions.map(\.verb.count).max() ?? 0
    var out = ""
    for definition in table.definitions {
      out += definition.verb + String(repeating: " ", count: width - definition.verb.count)
      out += "  \(definition.summary)\n"
    }
    out += "help COMMAND shows usage and examples; help ERROR-CODE explains an error\n"
    return out
  }
}
