import ShellLanguage
import StoreHistory
import StoreSchema

extension CommandDefinition {
  static let bisect = CommandDefinition(
    "bisect", needs: .read, usage: ["bisect EXPR"],
    summary: "prints the first action after which a Lua expression holds, and its source; status 1 if there is none",
    flags: FlagDefinition.format,
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.decrement by=3 --quiet",
        "bisect state.counter.value < 0",
        output: "#2 counter.decrement by=3  <- repl:2\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "bisect state.counter.value > 5",
        output: "error[never-held]: state.counter.value > 5 does not hold after #1\n"),
    ],
    lua: LuaVerb("bisect", takesFlags: true),
    read: { reader in (text: try reader.luaText("an expression"), form: try reader.form()) },
    perform: { request, session in
      let (text, store) = (request.text, session.store)
      if let refusal = store.viewed?.refusal(of: "bisect") { throw refusal }
      let answer = try session.firstAction(where: text)
      var notes: [String] = []
      if answer.heldBefore { notes.append("\(text) holds already at the start") }
      if store.live.oldest > 0 {
        notes.append("states before #\(store.live.oldest) are not kept: it may have held in one of them")
      }
      let entry = answer.entry
      guard try session.isInWords(request.form) else {
        let reading = try ActionListing.reading(of: entry, asJSON: session.isInJSON(request.form))
        return CommandResult(json: try session.answer(reading, as: request.form).json, notes: notes)
      }
      let action = ActionText.text(entry.action, arguments: entry.arguments)
      return CommandResult(
        json: session.answer("#\(entry.number) \(action)  <- \(entry.source.short)\n").json, notes: notes)
    })
}

extension Session {
  /// The first action after which a Lua expression holds.
  fileprivate func firstAction(where text: String) throws -> (entry: LoggedEntry, heldBefore: Bool) {
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
    let answer = try store.bisect(numbers, holds: condition.holds)
    guard !answer.heldBefore || oldest == 0 else {
      throw ShellError(
        code: .notKept,
        message:
          "\(text) holds already after #\(oldest), the oldest state that is kept: it may have held before",
        hint: store.live.hintAtBeginning)
    }
    guard let entry = answer.entry else {
      throw ShellError(
        code: .neverHeld,
        message: numbers.count == 1
          ? "\(text) does not hold after #\(end)"
          : "\(text) holds after none of #\(numbers.lowerBound)-\(numbers.upperBound)",
        details: answer.failure.map { number, error in
          ["after #\(number) it cannot be said: \(ShellError(describing: error).message)"]
        } ?? [])
    }
    return (entry, answer.heldBefore)
  }
}
