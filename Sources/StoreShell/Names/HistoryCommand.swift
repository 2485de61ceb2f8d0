extension CommandDefinition {
  static let history = CommandDefinition(
    "history", usage: ["history [TEXT]"], summary: "prints past lines, or those with a text in them; oldest first",
    examples: [
      CommandExample("history", output: ""),
      CommandExample("history tasks > FOLDER/lines.stsh", output: ""),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    let text = try invocation.operand(0) ?? ""
    try invocation.session.finishCheck()
    let lines = invocation.session.pastLines().filter { text.isEmpty || $0.contains(text) }
    return invocation.print(lines.map { $0 + "\n" }.joined())
  }
}
