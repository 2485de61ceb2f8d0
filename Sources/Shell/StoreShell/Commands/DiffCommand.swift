import ShellLanguage
import StoreHistory

extension CommandDefinition {
  static let diff = CommandDefinition(
    "diff", usage: ["diff [A [B]] [--as FORMAT] [--json]"],
    summary: "prints what differs between the states after #A and #B; alone: what the last action changed",
    flags: FlagDefinition.format, operands: [.number([]), .number(["head"])],
    examples: [
      CommandExample("dispatch counter.increment by=3 --quiet", "diff", output: "counter.value  0 -> 3\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.setStep to=5 --quiet", "diff 0 2",
        output: "counter.value  0 -> 1\ncounter.step  1 -> 5\n"),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 2)
    let store = invocation.session.store
    let end = store.viewed?.number ?? store.head
    let old = invocation.operands.isEmpty ? end - 1 : try invocation.requiredNumber(0)
    var new = end
    if try invocation.operand(1) != "head" {
      if invocation.operands.count > 1 { new = try invocation.requiredNumber(1, or: "head") }
    } else {
      new = store.head
    }
    let isInWords = try invocation.isInWords()
    try invocation.session.finishCheck()
    let changes = new == 0 && old < 0 ? [] : try store.changes(from: old, to: new)
    guard isInWords else { return try invocation.show(changes.reading(asJSON: invocation.isInJSON())) }
    let text = ChangeFormatter.list(changes, usesColor: invocation.session.colorsResults)
    return invocation.print(changes.isEmpty ? "no change\n" : text)
  }
}
