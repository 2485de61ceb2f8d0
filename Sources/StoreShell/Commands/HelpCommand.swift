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
    let width = invocation.session.console.width()
    guard let topic = try invocation.operand(0) else {
      return invocation.print(HelpText.listing(commands, width: width))
    }
    if let definition = commands[topic] { return invocation.print(HelpText.text(of: definition, width: width)) }
    if let plugin = invocation.session.store.plugin(named: topic) {
      return invocation.print(HelpText.text(of: plugin.module, summary: plugin.source.manifest.summary))
    }
    if let explanation = ErrorCode.explanations[topic] {
      return invocation.print(
        WrappedText.hanging("error[\(topic)]: \(explanation)", indentation: 0, width: width) + "\n")
    }
    let names = commands.definitions.map(\.verb) + ErrorCode.explanations.keys.sorted()
    let suggestion = Suggestion.nearest(to: topic, among: names).map { "did you mean '\($0)'?" }
    let isModule = invocation.session.store.modules.contains { $0.name == topic }
    throw ShellError(
      code: "unknown-topic", message: "there is no help on '\(topic)'", at: invocation.operands[0],
      hint: isModule ? "describe \(topic) shows the module" : suggestion ?? "help lists the commands")
  }
}

/// The shell's commands in words.
enum HelpText {
  /// One command: usage, flags, examples with their output; sentences fit the width of a terminal.
  static func text(of definition: CommandDefinition, width: Int? = nil) -> String {
    var out = ""
    for (index, usage) in definition.usage.enumerated() { out += (index == 0 ? "usage: " : "       ") + usage + "\n" }
    out += WrappedText.hanging(definition.summary, indentation: 0, width: width) + "\n"
    if !definition.flags.isEmpty {
      out += "flags\n"
      let names = definition.flags.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
      let widest = names.map(\.count).max() ?? 0
      for (name, flag) in zip(names, definition.flags) {
        let summary = WrappedText.hanging(flag.summary, indentation: widest + 4, width: width)
        out += "  \(name)\(String(repeating: " ", count: widest - name.count))  \(summary)\n"
      }
    }
    if !definition.examples.isEmpty {
      out += definition.examples.count == 1 ? "example\n" : "examples\n"
      let examples = definition.examples.map { lines(of: $0).map { "  \($0)\n" }.joined() }
      out += examples.joined(separator: "\n")
    }
    return out
  }

  /// An example as it looks at the prompt.
  static func lines(of example: CommandExample) -> [String] {
    example.steps.flatMap { line, output in
      [CommandExample.prompt + line] + output.split(separator: "\n").map(String.init)
    }
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

  /// All commands, one a line where that fits the width of a terminal.
  static func listing(_ table: CommandTable, width: Int?) -> String {
    let widest = table.definitions.map(\.verb.count).max() ?? 0
    var out = ""
    for definition in table.definitions {
      out += definition.verb + String(repeating: " ", count: widest - definition.verb.count)
      out += "  " + WrappedText.hanging(definition.summary, indentation: widest + 2, width: width) + "\n"
    }
    out += "help COMMAND shows usage and examples; help ERROR-CODE explains an error\n"
    return out
  }
}
