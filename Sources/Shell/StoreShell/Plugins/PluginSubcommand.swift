/// One thing that `plugin` does.
struct PluginSubcommand: Sendable {
  /// The word after `plugin`.
  let name: String
  /// What follows it, as usage lines show it.
  let operands: String
  /// What it does, in a few words.
  let summary: String
  /// The flags that it takes beside those of the format.
  let flags: [FlagDefinition]
  /// Runs it; the first operand is its own name.
  let run: @Sendable (inout Invocation) throws -> CommandResult

  init(
    _ name: String, _ operands: String, _ summary: String, flags: [FlagDefinition] = [],
    run: @escaping @Sendable (inout Invocation) throws -> CommandResult
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.flags = flags
    self.run = run
  }

  /// How it is written.
  var usage: String {
    let flags = flags.map { " [--\($0.name)\($0.value.map { " \($0)" } ?? "")]" }.joined()
    return "plugin \(name)" + (operands.isEmpty ? "" : " \(operands)") + flags
  }

  /// What the operand is that it needs, in words; nil: it needs none.
  var operandName: String? {
    switch operands {
    case "NAME": "the name of a plugin"
    case "NAME|FOLDER": "the name or folder of a plugin"
    default: nil
    }
  }

  /// The flags of all of them.
  static var allFlags: [FlagDefinition] {
    all.flatMap(\.flags).reduce(into: []) { flags, flag in
      if !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
    }
  }

  /// All of them, in the order in which help lists them.
  static let all: [PluginSubcommand] = [
    list, load, unload, reload, enable, disable, info, audit, check, test, grant, revoke, new, stubs,
  ]

  /// How they are written, and what each does.
  static var usages: [String] {
    let width = all.map(\.usage.count).max() ?? 0
    return all.map { subcommand in
      let usage = subcommand.usage
      return "\(usage)\(String(repeating: " ", count: width - usage.count))  \(subcommand.summary)"
    }
  }
}
