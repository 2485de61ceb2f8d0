import StoreSchema

extension CommandDefinition {
  static let use = CommandDefinition(
    "use", usage: ["use [NAME|root]"],
    summary:
      "lets the following lines speak to a module or projection by shorter names of actions and paths; alone, says which",
    flags: FlagDefinition.format, operands: [.scope],
    examples: [
      CommandExample(
        transcript: """
          stsh> use counter
          stsh> dispatch increment
          #1 counter.increment
            counter.value  0 -> 1
          stsh> show value
          1

          """),
      CommandExample(
        transcript: """
          stsh> use tasks
          stsh> use
          tasks
          stsh> use root
          stsh> use
          root

          """),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    let session = invocation.session
    guard let name = try invocation.operand(0) else {
      let name = session.names.scope.isEmpty ? "root" : session.names.scope.description
      guard try invocation.isInWords() else {
        return try invocation.show(Reading(value: .string(name), schema: .dynamic(.string)))
      }
      return invocation.print(name + "\n")
    }
    guard name != "root" else {
      session.names.scope = Path()
      return .none
    }
    let outer = session.names.scope
    session.names.scope = Path()
    do {
      let path = try invocation.path(0, "a name")
      _ = try invocation.at(invocation.operands[0]) { try session.type(at: path) }
      session.names.scope = path
    } catch {
      session.names.scope = outer
      throw error
    }
    return .none
  }
}
