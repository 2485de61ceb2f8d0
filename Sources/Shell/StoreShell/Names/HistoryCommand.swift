import StoreSchema

extension CommandDefinition {
  static let history = CommandDefinition(
    "history", needs: .read, usage: ["history [TEXT]"],
    summary: "prints past lines, or those with a text in them; oldest first",
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
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return (text: try reader.operand(0), form: try reader.form())
    },
    perform: { request, session in
      let text = try request.text?.value(in: session) ?? ""
      let lines = session.person.pastLines().filter { text.isEmpty || $0.contains(text) }
      if try session.isInWords(request.form) { return session.answer(lines.map { $0 + "\n" }.joined()) }
      return try session.answer(
        Reading(value: .texts(lines), schema: .dynamic(.list(.dynamic(.string)))), as: request.form)
    })
}
