import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let middleware = CommandDefinition(
    "middleware", needs: .parts(["on": .dispatch, "off": .dispatch]), usage: ["middleware [on|off NAME]"],
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
    listing: { CommandListing(ShellListing.middleware.reading(in: $0), hiding: ["held", "dropped"]) },
    read: { reader in
      let isOpen = try reader.isFirst("on", or: "off", reader.operands[0].text)
      try reader.refuseOperands(from: 2)
      let name = try reader.required(1, "the name of a middleware").map { name in
        let names = reader.vocabulary.middlewareNames
        if names.contains(name) { return name }
        throw ShellError(
          code: .unknownMiddleware, message: "there is no middleware '\(name)'", at: reader.operands[1],
          hint: Suggestion.question(name, among: names) ?? "middleware lists them")
      }
      return (name: name, isOpen: isOpen)
    },
    perform: { (request: (name: Given<String>, isOpen: Bool), session) in
      let source = session.source(function: "middleware")
      let name = try request.name.value(in: session)
      return try session.finish(session.store.setGate(name, isOpen: request.isOpen, source: source))
    })
}
