import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let echo = CommandDefinition(
    "echo", needs: .read, usage: ["echo WORD…"], summary: "prints words, with variables and $(…) replaced",
    examples: [
      CommandExample("let n = 3", "echo done $n", output: "done 3\n"),
      CommandExample("echo $(1 + 1) 'and more' > FOLDER/two.txt", output: ""),
    ],
    isBrief: true,
    read: { reader in
      try reader.operands.map { try reader.text(ofWord: $0) }
    },
    perform: { texts, session in
      session.answer(try texts.map { try $0.value(in: session) }.joined(separator: " ") + "\n")
    })

  static let quit = CommandDefinition(
    "quit", needs: .nothing, usage: ["quit [STATUS]"],
    summary: "leaves; without a status, or with 0, the status is that of the first failure in batch",
    examples: [CommandExample("quit", output: ""), CommandExample("quit 4", output: "")],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return try reader.operand(0)?.map { text in
        if let number = Int32(text), (0...255).contains(number) { return number }
        throw ShellError(code: .outOfRange, message: "a status is 0...255, got '\(text)'", at: reader.operands[0])
      }
    },
    perform: { (status: Given<Int32>?, session) in
      let status = try status?.value(in: session)
      session.outcome.hasQuit = true
      // What has failed is not made good by it.
      session.outcome.quitStatus = status == 0 ? nil : status
      if let error = session.endOfOpenRun() { throw error }
      return .none
    })
}
