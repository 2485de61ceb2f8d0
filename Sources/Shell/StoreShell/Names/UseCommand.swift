import StoreSchema

extension CommandDefinition {
  static let use = CommandDefinition(
    "use", needs: .read, usage: ["use [NAME|root]"],
    summary:
      "makes names of actions and paths of a module or projection shorter in the following lines; without a name, shows the current one",
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
    ],
    defines: .anything,
    read: UseRequest.read,
    addNames: { request, session in
      if case .choose(.known(let scope)) = request { session.names.scope = scope }
    },
    perform: { try $0.perform(in: $1) })
}

/// The module or projection for the lines that follow.
private enum UseRequest {
  case show(ResultForm)
  case choose(Given<Path>)

  static func read(_ reader: CommandReader) throws -> UseRequest {
    try reader.refuseOperands(from: 1)
    guard let name = try reader.operand(0) else { return .show(try reader.form()) }
    let word = reader.operands[0]
    return .choose(
      try name.flatMap { name in
        name == "root"
          ? .known(Path()) : try reader.place(GivenPath(.known(name), at: word), isAbsolute: true).map(\.path)
      })
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .choose(let scope):
      session.names.scope = try scope.value(in: session)
      return .none
    case .show(let form):
      let name = session.names.scope.isEmpty ? "root" : session.names.scope.description
      if try session.isInWords(form) { return session.answer(name + "\n") }
      return try session.answer(Reading(text: name), as: form)
    }
  }
}
