/// One thing that `plugin` does.
struct PluginSubcommand: Sendable {
  /// The word after `plugin`.
  let name: String
  /// What follows it, as usage lines show it.
  let operands: String
  /// How many operands follow it at most.
  let maximum: Int
  /// Runs it; the first operand is its own name.
  let run: @Sendable (inout Invocation) throws -> CommandResult

  init(
    _ name: String, _ operands: String = "", maximum: Int = 1,
    run: @escaping @Sendable (inout Invocation) throws -> CommandResult
  ) {
    self.name = name
    self.operands = operands
    self.maximum = operands.isEmpty ? 0 : maximum
    self.run = run
  }

  var usage: String { operands.isEmpty ? "plugin \(name)" : "plugin \(name) \(operands)" }

  /// All of them, in the order in which help lists them.
  static let all: [PluginSubcommand] = [
    list, load, unload, enable, disable, info, audit, check, grant, revoke, new, stubs,
  ]
}
