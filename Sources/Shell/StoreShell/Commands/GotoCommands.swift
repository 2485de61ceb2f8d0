import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let goto = CommandDefinition(
    "goto", needs: .read, usage: ["goto N|head"],
    summary: "shows the state after action #N, read-only; goto head returns to the present",
    operands: [.number(["head"])],
    examples: [
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment --quiet
          stsh> dispatch counter.increment --quiet
          stsh> goto 1
          viewing #1 of 2 (read-only)
          stsh> show counter.value
          1
          stsh> goto head
          at head (#2)

          """),
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment --quiet
          stsh> goto 0
          viewing #0 of 1 (read-only)
          stsh> dispatch counter.increment
          error[not-at-head]: the store shows #0 of 1; dispatching from the past would fork history
            hint: `goto head` returns to the present; `undo --to 0` makes #0 the present

          """),
    ],
    read: { reader -> Given<ActionNumber?> in
      try reader.refuseOperands(from: 1)
      return try reader.required(0, "the number of an action, or head").map { text in
        text == "head" ? nil : try reader.number(.known(text), at: reader.operands[0], or: "head")
      }
    },
    perform: { number, session in
      guard let number = try number.value(in: session) else {
        session.store.lookAtPresent()
        return session.answer("at head (#\(session.store.live.head))\n")
      }
      return try session.look(at: number.value(in: session), without: [])
    })

  static let skip = CommandDefinition(
    "skip", needs: .read, usage: ["skip #N"],
    summary: "shows the state as it would be without action #N, read-only; goto head returns to the present",
    operands: [.number([])],
    examples: [
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment by=5 --quiet
          stsh> dispatch counter.increment --quiet
          stsh> skip #1
          viewing #2 of 2 without #1 (read-only)
          stsh> show counter.value
          1

          """),
      CommandExample(
        transcript: """
          stsh> dispatch tasks.add milk --quiet
          stsh> dispatch tasks.complete 1 --quiet
          stsh> skip #2
          viewing #2 of 2 without #2 (read-only)
          stsh> show tasks.summary
          "0 of 1 done"

          """),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return (number: try reader.number(0), word: reader.operands[0])
    },
    perform: { request, session in
      let store = session.store
      let number = try request.number.value(in: session)
      let shown = store.viewed?.number ?? store.live.head
      guard number > store.live.oldest, number <= shown, try store.entry(number) != nil else {
        throw ShellError(
          code: .outOfRange, message: "there is no #\(number) among the actions up to #\(shown)", at: request.word,
          hint: "log lists them")
      }
      let skipped = store.viewed?.skipped ?? []
      return try session.look(at: shown, without: skipped.contains(number) ? skipped : skipped + [number])
    })

  static let unskip = CommandDefinition(
    "unskip", needs: .read, usage: ["unskip #N"], summary: "shows the state with action #N again, after a skip",
    operands: [.number([])],
    examples: [
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment --quiet
          stsh> skip #1
          viewing #1 of 1 without #1 (read-only)
          stsh> unskip #1
          viewing #1 of 1 (read-only)

          """),
      CommandExample(
        "unskip #0", output: "error[not-skipped]: #0 is not skipped\n  unskip #0\n         ^~\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return (number: try reader.number(0), word: reader.operands[0])
    },
    perform: { request, session in
      let number = try request.number.value(in: session)
      guard let viewed = session.store.viewed, viewed.skipped.contains(number) else {
        throw ShellError(code: .notSkipped, message: "#\(number) is not skipped", at: request.word)
      }
      return try session.look(at: viewed.number, without: viewed.skipped.filter { $0 != number })
    })
}

extension Session {
  fileprivate func look(at number: Int, without skipped: [Int]) throws -> CommandResult {
    try store.look(at: number, without: skipped)
    return answer("viewing \(store.viewed?.text ?? "") (read-only)\n")
  }

  /// The text in front of a line at the prompt.
  public var prompt: String {
    let scope = names.scope.isEmpty ? "" : " \(names.scope)"
    let obstacle = store.live.storeNode?.obstacle.map { " (\($0))" } ?? ""
    return options.name + scope + (store.viewed.map { " \($0.label)" } ?? "") + obstacle + "> "
  }
}
