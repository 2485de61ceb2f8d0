import ShellLanguage

extension CommandDefinition {
  static let diff = CommandDefinition(
    "diff", needs: .read, usage: ["diff [A [B]] [--as FORMAT] [--json]"],
    summary: "prints the differences between the states after #A and #B; by default the changes of the last action",
    flags: FlagDefinition.format, operands: [.number([]), .number(["head"])],
    examples: [
      CommandExample("dispatch counter.increment by=3 --quiet", "diff", output: "counter.value  0 -> 3\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.setStep to=5 --quiet", "diff 0 2",
        output: "counter.value  0 -> 1\ncounter.step  1 -> 5\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 2)
      let old = reader.operands.isEmpty ? nil : try reader.number(0)
      let new = try reader.operand(1)?.map { text in
        text == "head" ? nil : try reader.number(.known(text), at: reader.operands[1], or: "head")
      }
      return (old: old, new: new, form: try reader.form())
    },
    perform: { (request: (old: ActionNumber?, new: Given<ActionNumber?>?, form: ResultForm), session) in
      let store = session.store
      let shown = store.viewed?.number ?? store.live.head
      let old = try request.old?.value(in: session) ?? shown - 1
      let new = try request.new.map { try $0.value(in: session)?.value(in: session) ?? store.live.head } ?? shown
      let changes = new == 0 && old < 0 ? [] : try store.changes(from: old, to: new)
      guard try session.isInWords(request.form) else {
        return try session.answer(changes.reading(asJSON: session.isInJSON(request.form)), as: request.form)
      }
      let text = ChangeFormatter.list(changes, marks: session.resultMarks)
      return session.answer(changes.isEmpty ? "no change\n" : text, for: changes.reading(asJSON: true).value)
    })
}
