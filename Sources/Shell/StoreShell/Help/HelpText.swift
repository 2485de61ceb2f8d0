import ShellLanguage
import StoreModules
import StoreSchema

/// The shell's commands in words.
enum HelpText {
  /// The help of an alias: what it stands for, and what that does.
  static func text(of alias: SessionNames.Alias, in session: Session) -> String {
    let verb = alias.command.prefix { $0 != " " }
    let definition = session.commands[String(verb)]
    return "\(alias.name) stands for: \(alias.command)\n" + (definition.map { text(of: $0, in: session) } ?? "")
  }

  /// The keys of the prompt. All others are GNU readline's, and of ~/.inputrc.
  static func keys(width: Int?) -> String {
    let indentation = 15
    return keyLines.split(separator: "\n").reduce(into: "") { out, line in
      out += line.prefix(indentation)
      let meaning = String(line.dropFirst(indentation))
      out += WrappedText.hanging(meaning, indentation: indentation, width: width) + "\n"
    }
  }

  private static let keyLines = """
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

  /// The fields of the modules that the examples speak of.
  static let samples = ["counter": ["value", "step"], "tasks": ["nextId", "items"]]

  /// True if the modules of the shipped program are there.
  var hostsSamples: Bool {
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
