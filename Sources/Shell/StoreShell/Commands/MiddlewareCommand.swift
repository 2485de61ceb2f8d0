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
    ],
    read: GateRequest.read, perform: { try $0.perform(in: $1) })
}

/// A gate that a line opens or shuts, or their list.
private enum GateRequest {
  case list(ResultForm)
  case set(Given<String>, isOpen: Bool)

  static func read(_ reader: CommandReader) throws -> GateRequest {
    guard let word = reader.operands.first else { return .list(try reader.form()) }
    guard word.text == "on" || word.text == "off" else {
      throw ShellError(
        code: .unexpectedArgument, message: "middleware takes on or off, got '\(word.text)'", at: word,
        hint: "usage: middleware [on|off NAME]")
    }
    try reader.refuseOperands(from: 2)
    let name = try reader.required(1, "the name of a middleware").map { name in
      let names = reader.vocabulary.middlewareNames
      if names.contains(name) { return name }
      let suggestion = Suggestion.nearest(to: name, among: names)
      throw ShellError(
        code: .unknownMiddleware, message: "there is no middleware '\(name)'", at: reader.operands[1],
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "middleware lists them")
    }
    return .set(name, isOpen: word.text == "on")
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .list(let form):
      return try session.answer(
        ShellListing.middleware.reading(in: session), as: form, hiding: ["held", "dropped"])
    case .set(let name, let isOpen):
      let source = session.source(function: "middleware")
      return try session.finish(session.store.setGate(name.value(in: session), isOpen: isOpen, source: source))
    }
  }
}
