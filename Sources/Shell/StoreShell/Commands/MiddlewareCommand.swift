import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let middleware = CommandDefinition(
    "middleware", usage: ["middleware [on|off NAME]"],
    summary: "lists the middlewares with their gates, or opens and shuts a gate",
    flags: FlagDefinition.format, operands: [.words(["on", "off"]), .middleware],
    examples: [
      CommandExample(
        "middleware on logger", output: "#1 shell.setGate name=\"logger\" open=true\n"),
      CommandExample(
        "middleware",
        output: """
          order  name    gate  seen  tasks  origin
          1      logger  off   0     0      swift

          """),
    ]
  ) { invocation in
    let session = invocation.session
    guard let word = invocation.operands.first else {
      return try invocation.show(ShellListing.middleware.reading(in: session), hiding: ["held", "dropped"])
    }
    guard word.text == "on" || word.text == "off" else {
      throw ShellError(
        code: .unexpectedArgument, message: "middleware takes on or off, got '\(word.text)'", at: word,
        hint: "usage: middleware [on|off NAME]")
    }
    try invocation.refuseOperands(from: 2)
    let name = try invocation.required(1, "the name of a middleware")
    let names = session.store.units.map(\.name)
    guard names.contains(name) else {
      let suggestion = Suggestion.nearest(to: name, among: names)
      throw ShellError(
        code: .unknownMiddleware, message: "there is no middleware '\(name)'", at: invocation.operands[1],
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "middleware lists them")
    }
    try session.finishCheck()
    let report = session.store.setGate(
      name, isOpen: word.text == "on", source: session.source(function: "middleware"))
    return try session.finish(report)
  }
}
