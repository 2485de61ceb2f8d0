import StoreSchema

extension CommandDefinition {
  static let history = CommandDefinition(
    "history", usage: ["history [TEXT]"], summary: "prints past lines, or those with a text in them; oldest first",
    flags: FlagDefinition.format,
    examples: [
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment --quiet
          stsh> show counter.value
          1
          stsh> history
          dispatch counter.increment --quiet
          show counter.value
          history

          """),
      CommandExample("dispatch tasks.add milk --quiet", "history tasks > FOLDER/lines.stsh", output: ""),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    let text = try invocation.operand(0) ?? ""
    let isInWords = try invocation.isInWords()
    try invocation.session.finishCheck()
    let lines = invocation.session.pastLines().filter { text.isEmpty || $0.contains(text) }
    guard isInWords else {
      let list = PersistentList(lines.map { Value.string($0) })
      return try invocation.show(Reading(value: .list(list), schema: .dynamic(.list(.dynamic(.string)))))
    }
    return invocation.print(lines.map { $0 + "\n" }.joined())
  }
}
