import ShellLanguage
import StoreHistory
import StoreSchema

extension CommandDefinition {
  static let bisect = CommandDefinition(
    "bisect", needs: .read, usage: ["bisect EXPR [--first]"],
    summary:
      "finds an action that made a Lua expression true, by binary search, and prints its source; status 1 if it is not true now",
    flags: [
      FlagDefinition(
        "first", need: .read, "check after every action: finds the first, even where the expression changed often"
      )
    ] + FlagDefinition.format,
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.decrement by=3 --quiet",
        "bisect state.counter.value < 0",
        output: "#2 counter.decrement by=3  <- repl:2\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "bisect state.counter.value > 5",
        output: "error[never-held]: state.counter.value > 5 does not hold after #1\n"),
      CommandExample(
        "dispatch counter.increment by=7 --quiet", "dispatch counter.reset --quiet",
        "bisect state.counter.value > 5 --first", output: "#1 counter.increment by=7  <- repl:1\n"),
    ],
    lua: LuaVerb("bisect", takesFlags: true),
    read: { reader in
      (text: try reader.luaText("an expression"), isFirst: reader.has("first"), form: try reader.form())
    },
    perform: { request, session in
      let (text, store) = (request.text, session.store)
      if let refusal = store.viewed?.refusal(of: "bisect") { throw refusal }
      let answer = try store.atOneMoment { try session.action(where: text, isFirst: request.isFirst) }
      var notes: [String] = []
      if answer.heldBefore { notes.append("\(text) holds already at the start") }
      if store.live.oldest > 0 {
        notes.append("states before #\(store.live.oldest) are not kept: it may have held in one of them")
      }
      if answer.count > 16 {
        notes.append(
          request.isFirst
            ? "checked after every action up to it, \(answer.asked) times"
            : "found by binary search, checked \(answer.asked) times; where the expression changed more than once, --first finds the first"
        )
      }
      let entry = answer.entry
      guard try session.isInWords(request.form) else {
        let reading = try ActionListing.reading(of: entry, asJSON: session.isInJSON(request.form))
        return CommandResult(json: try session.answer(reading, as: request.form).json, notes: notes)
      }
      let action = ActionText.brief(entry.action, arguments: entry.arguments)
      return CommandResult(
        json: session.answer(
          "#\(entry.number) \(action)  <- \(entry.source.short)\n",
          for: ActionListing.reading(of: entry, asJSON: true).value
        ).json, notes: notes)
    })
}

extension Session {
  /// An action at which an expression turned to hold.
  fileprivate struct Turn {
    let entry: LoggedEntry
    /// True if it holds where the walk begins, too.
    let heldBefore: Bool
    /// The number of times that the expression was asked.
    let asked: Int
    /// The number of actions that it may be.
    let count: Int
  }

  /// An action at which a Lua expression turned to hold.
  ///
  /// - Parameter isFirst: true if it is asked after every action.
  fileprivate func action(where text: String, isFirst: Bool) throws -> Turn {
    let condition = try lua().condition(text, chunk: chunkName)
    let (oldest, end) = store.kept
    guard oldest < end else {
      throw oldest == 0
        ? ShellError(code: .neverHeld, message: "nothing has happened yet")
        : ShellError(
          code: .notKept,
          message: "#\(oldest) is the oldest state that is kept, and nothing has happened since",
          hint: store.live.hintAtBeginning)
    }
    let numbers = (oldest + 1)...end
    var asked = 0
    var progress = Progress(self, "asking,")
    progress.total = isFirst ? numbers.count : 0
    defer { progress.clear() }
    let holds = {
      asked += 1
      try progress.step(asked)
      return try condition.holds()
    }
    let answer = try isFirst ? store.bisect(numbers, holds: holds) : store.halve(numbers, holds: holds)
    guard !answer.heldBefore || oldest == 0 else {
      throw ShellError(
        code: .notKept,
        message:
          "\(text) holds already after #\(oldest), the oldest state that is kept: it may have held before",
        hint: store.live.hintAtBeginning)
    }
    if answer.heldBefore, answer.entry?.number == numbers.lowerBound {
      throw ShellError(code: .neverHeld, message: "\(text) holds already at the start: no action made it true")
    }
    guard let entry = answer.entry else {
      let isKnown = isFirst || numbers.count == 1
      throw ShellError(
        code: .neverHeld,
        message: numbers.count == 1 || !isFirst
          ? "\(text) does not hold after #\(end)"
          : "\(text) holds after none of #\(numbers.lowerBound)-\(numbers.upperBound)",
        details: answer.failure.map { number, error in
          ["after #\(number) it cannot be said: \(ShellError(describing: error).message)"]
        } ?? [],
        hint: isKnown ? nil : "it may have held in between: bisect \(text) --first checks after every action")
    }
    return Turn(entry: entry, heldBefore: answer.heldBefore, asked: asked, count: numbers.count)
  }
}
