import StoreSchema

extension CommandDefinition {
  static let history = CommandDefinition(
    "history", needs: .read, usage: ["history [TEXT] [--last N]"],
    summary:
      "prints past lines, or those with a text in them; oldest first, with --last each with its number and time; !N offers line N for editing",
    flags: FlagDefinition.format
      + [FlagDefinition("last", value: "N", need: .read, "only the last N, with number and time")],
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
      let last = try reader.count(of: "last", "a number of lines")
      return (text: try reader.operand(0), last: last, form: try reader.form())
    },
    perform: { request, session in
      let text = try request.text?.value(in: session) ?? ""
      var numbered = Array(session.person.pastLines().enumerated())
      // The line that asks would always be found.
      if !text.isEmpty, numbered.last?.element.text == session.running.statement?.text { numbered.removeLast() }
      numbered.removeAll { !text.isEmpty && !$0.element.text.contains(text) }
      // What goes to a file is read as lines.
      if numbered.isEmpty, try session.isInWords(request.form), !session.console.isCapturing {
        return session.answer("(no lines)\n", for: .texts([]))
      }
      if let last = try request.last?.value(in: session) {
        let rows = numbered.suffix(last).map { number, line in
          [
            .int(session.person.left + number + 1),
            line.time.map { .string(session.person.clock.text(of: $0)) } ?? .none,
            .string(line.text),
          ] as [Value]
        }
        return try session.answer(Reading(rows: rows, "PastLine", ["n", "time", "line"]), as: request.form)
      }
      let lines = numbered.map(\.element.text)
      if try session.isInWords(request.form) {
        return session.answer(lines.map { $0 + "\n" }.joined(), for: .texts(lines))
      }
      return try session.answer(
        Reading(value: .texts(lines), schema: .dynamic(.list(.dynamic(.string)))), as: request.form)
    })
}
