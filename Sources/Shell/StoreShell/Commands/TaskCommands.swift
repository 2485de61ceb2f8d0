import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let wait = CommandDefinition(
    "wait", usage: ["wait DURATION|idle|until EXPR [--timeout DURATION]"],
    summary:
      "lets tasks run: for a while, until none runs any more, or until a Lua expression holds; status 5 when the time is over",
    flags: [FlagDefinition("timeout", value: "DURATION", "how long to wait at most")],
    operands: [.words(["idle", "until"])],
    examples: [
      CommandExample("wait 10ms", output: ""),
      CommandExample("wait idle", output: ""),
      CommandExample("wait until state.counter.value == 0 --timeout 2s", output: ""),
    ],
    lua: LuaVerb("wait", .following("until"), takesFlags: true)
  ) { invocation in
    let session = invocation.session
    let timeout = try invocation.timeout()
    if invocation.statement.lua != nil {
      let text = try invocation.luaText("an expression")
      try session.finishCheck()
      let lua = try session.lua()
      let end = try session.wait(atMost: timeout) { try lua.holds(text, chunk: session.chunkName) }
      return try session.finishWait(end, timeout, "\(text) does not hold")
    }
    let word = try invocation.required(0, "a duration, idle, or until EXPR")
    try invocation.refuseOperands(from: 1)
    if word == "idle" {
      try session.finishCheck()
      let end = try session.wait(atMost: timeout) { session.store.effects.isEmpty }
      let ids = session.store.effects.map(\.id)
      return try session.finishWait(
        end, timeout, "\(ids.count) \(ids.count == 1 ? "task" : "tasks") still running", details: ids)
    }
    guard let duration = DurationLiteral.parse(word) else {
      throw ShellError(
        code: .typeMismatch, message: "wait takes a duration such as 500ms, 2s or 5min, got '\(word)'",
        at: invocation.operands[0], hint: "usage: \(invocation.usage)")
    }
    try session.finishCheck()
    let end = try session.wait(atMost: min(duration, timeout ?? duration)) { false }
    guard let timeout, timeout < duration else { return .none }
    return try session.finishWait(end, timeout, "\(word) are not over")
  }

  static let effects = CommandDefinition(
    "effects", usage: ["effects [cancel ID|all]"],
    summary: "lists what runs or waits and when it goes on, or cancels it", flags: FlagDefinition.format,
    operands: [.words(["cancel"]), .effect],
    examples: [
      CommandExample("effects", output: "(none running)\n"),
      CommandExample(
        transcript: """
          stsh> plugin grant pomodoro
          granted to pomodoro: read:tasks, dispatch:tasks.complete, timers
          stsh> plugin load pomodoro
          #1 shell.loadPlugin name="pomodoro" version="0.1.0"
            3 actions, 2 middleware, 1 command
          stsh> dispatch pomodoro.start minutes=1 --quiet
          stsh> effects
          id                    wakes
          pomodoro/clock/ticks  in 1.0s
          stsh> effects cancel pomodoro/clock/ticks
          stsh> effects
          (none running)

          """),
    ]
  ) { invocation in
    let store = invocation.session.store
    guard let word = invocation.operands.first else {
      let isListed = try !invocation.isInWords() || !store.effects.isEmpty
      guard isListed else {
        return invocation.print("(none running)\n")
      }
      return try invocation.show(ShellListing.effects.reading(in: invocation.session))
    }
    guard word.text == "cancel" else {
      throw ShellError(
        code: .unexpectedArgument, message: "effects takes cancel, got '\(word.text)'", at: word,
        hint: "usage: \(invocation.usage)")
    }
    try invocation.refuseOperands(from: 2)
    let id = try invocation.required(1, "an effect's id, or all")
    try invocation.session.finishCheck()
    try store.requirePresent()
    guard !store.cancelEffects(id == "all" ? nil : id), id != "all" else { return .none }
    // It may just have ended.
    if store.units.contains(where: { id.hasPrefix($0.name.replacing(".", with: "/") + "/") }) {
      var result = CommandResult.none
      result.notes = ["nothing under \(id)"]
      return result
    }
    let suggestion = Suggestion.nearest(to: id, among: store.effects.map(\.id))
    throw ShellError(
      code: .unknownEffect, message: "there is no effect '\(id)'", at: invocation.operands[1],
      hint: suggestion.map { "did you mean '\($0)'?" } ?? "effects lists them")
  }
}

extension Invocation {
  fileprivate func timeout() throws -> Duration? {
    guard let text = try text(of: "timeout") else { return nil }
    if let duration = DurationLiteral.parse(text) { return duration }
    throw ShellError(
      code: .typeMismatch, message: "--timeout takes a duration such as 500ms, 2s or 5min, got '\(text)'",
      place: word(of: "timeout").map { .span($0.span) } ?? .command, hint: "usage: \(usage)")
  }
}

extension Session {
  /// The result of a wait, or the error that its time is over.
  fileprivate func finishWait(
    _ end: WaitEnd, _ timeout: Duration?, _ what: String, details: [String] = []
  ) throws -> CommandResult {
    let reason: String
    switch end {
    case .done: return .none
    case .timeOver: reason = "\(what) after \(EffectListing.limit(timeout ?? .zero))"
    case .stuck: reason = "\(what), and nothing waits for the clock"
    }
    throw ShellError(code: .timedOut, message: reason, details: details, status: 5)
  }
}
