import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

extension CommandDefinition {
  private static let setGate = Need.action(ShellAction.Types.setGate)
  private static let setRule = Need.action(ShellAction.Types.setRule)

  static let middleware = CommandDefinition(
    "middleware", needs: .parts(["on": setGate, "off": setGate, "gate": setRule]),
    usage: [
      "middleware [on|off NAME]", "middleware gate NAME --at PATH [--is VALUE]",
      "middleware gate NAME --control ACTION [--arg NAME] [--on VALUE] [--off VALUE]",
      "middleware gate NAME --on ACTION --off ACTION", "middleware gate NAME --none",
    ],
    summary: "lists the middlewares with their gates, opens or shuts a gate, or lets the state or actions move it",
    flags: [
      FlagDefinition("at", value: "PATH", need: setRule, "gate: open while a value stands at a path of the state"),
      FlagDefinition("is", value: "VALUE", need: setRule, "gate: that value, true by default"),
      FlagDefinition("control", value: "ACTION", need: setRule, "gate: moved by an argument of an action"),
      FlagDefinition("arg", value: "NAME", need: setRule, "gate: which argument, where it has several"),
      FlagDefinition(
        "on", value: "VALUE", need: setRule, "gate: the argument's value that opens it, true by default"),
      FlagDefinition("off", value: "VALUE", need: setRule, "gate: the value that shuts it, false by default"),
      FlagDefinition("none", need: setRule, "gate: moved by on and off only"),
    ] + FlagDefinition.format, operands: [.words(["on", "off", "gate"]), .middleware],
    examples: [
      CommandExample(
        "middleware on logger", output: "#1 shell.setGate name=\"logger\" open=true\n"),
      CommandExample(
        "middleware",
        output: """
          order  name    gate  seen  tasks  origin
          1      logger  off   0     0      swift

          """),
      CommandExample(
        "middleware gate logger --at counter.step --is 5",
        output: "#1 shell.setRule name=\"logger\" rule={ at = \"counter.step\", is = 5 }\n"),
    ],
    listing: { CommandListing(ShellListing.middleware.reading(in: $0), hiding: ["held", "dropped"]) },
    read: MiddlewareRequest.init, perform: { try $0.perform(in: $1) })
}

/// The gate that a line moves, or gives a rule.
private struct MiddlewareRequest {
  private let name: Given<String>
  private let change: GateChange

  private enum GateChange {
    case position(isOpen: Bool)
    case rule(Given<GateRule?>)
  }

  init(_ reader: CommandReader) throws {
    let verb = reader.operands[0].text
    let isRule = verb == "gate"
    let isOpen = try isRule || reader.isFirst("on", or: "off", verb)
    if !isRule { try reader.refuseFlags(but: FlagDefinition.format, of: "middleware \(verb)") }
    try reader.refuseOperands(from: 2)
    name = try reader.required(1, "the name of a middleware").map { name in
      let names = reader.vocabulary.middlewareNames
      if names.contains(name) { return name }
      throw ShellError(
        code: .unknownMiddleware, message: "there is no middleware '\(name)'", at: reader.operands[1],
        hint: Suggestion.question(name, among: names) ?? "middleware lists them")
    }
    change = isRule ? .rule(try reader.gateRule()) : .position(isOpen: isOpen)
  }

  func perform(in session: Session) throws -> CommandResult {
    let source = session.source(function: "middleware")
    let name = try name.value(in: session)
    switch change {
    case .position(let isOpen):
      return try session.finish(session.store.setGate(name, isOpen: isOpen, source: source))
    case .rule(let rule):
      return try session.finish(session.store.dispatch(.setRule(name: name, rule.value(in: session)), source))
    }
  }
}
