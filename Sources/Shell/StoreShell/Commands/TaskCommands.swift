import ShellLanguage
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let wait = CommandDefinition(
    "wait", needs: .read, usage: ["wait DURATION|idle|synced|until EXPR [--timeout DURATION]"],
    summary:
      "lets tasks run: for a while, until none runs any more, until a shared store has all that its log held, or until a Lua expression is true; status 5 when the time is over",
    flags: [FlagDefinition("timeout", value: "DURATION", need: .read, "how long to wait at most")],
    operands: [.words(["idle", "synced", "until"])],
    examples: [
      CommandExample("wait 10ms", output: ""),
      CommandExample("wait idle", output: ""),
      CommandExample("wait until state.counter.value == 0 --timeout 2s", output: ""),
    ],
    lua: LuaVerb("wait", .following("until"), takesFlags: true),
    read: WaitRequest.init, perform: { try $0.perform(in: $1) })

  static let effects = CommandDefinition(
    "effects", needs: .parts(["cancel": .action(ShellAction.Types.cancelEffects)]), usage: ["effects [cancel ID|all]"],
    summary:
      "lists what runs or waits and when it goes on, or cancels it; show shell.effects adds who started it, and its age",
    flags: FlagDefinition.format,
    operands: [.words(["cancel"]), .effect],
    examples: [
      CommandExample("effects", output: "(no effects)\n"),
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
          #3 shell.cancelEffects id="pomodoro/clock/ticks"  (1 task cancelled)
          stsh> effects
          (no effects)

          """),
    ],
    listing: {
      CommandListing(
        ShellListing.effects.reading(in: $0), hiding: ["startedBy", "age"],
        of: "effects")
    },
    read: { reader in
      let word = reader.operands[0]
      guard word.text == "cancel" else {
        throw reader.fault(.unexpectedArgument, "effects takes cancel, got '\(word.text)'", at: word)
      }
      try reader.refuseOperands(from: 2)
      return (id: try reader.required(1, "an effect's id, or all"), word: reader.operands[1])
    },
    perform: { request, session in
      let (id, store) = (try request.id.value(in: session), session.store)
      let source = session.source(function: "effects")
      if let report = try store.cancelEffects(id == "all" ? nil : id, source: source) {
        return try session.finish(report)
      }
      guard id != "all" else { return .none }
      // The task may just have ended.
      if store.units.contains(where: { id.hasPrefix($0.name.replacing(".", with: "/") + "/") }) {
        return CommandResult(json: nil, notes: ["nothing under \(id)"])
      }
      throw ShellError(
        code: .unknownEffect, message: "there is no effect '\(id)'", at: request.word,
        hint: Suggestion.question(id, among: store.live.effects.map(\.id)) ?? "effects lists them")
    })
}

private struct WaitRequest {
  private let goal: Goal
  private let timeout: Given<Duration>?

  private enum Goal {
    case condition(String)
    /// No task runs any more, or a time is over; with the word that says it.
    case word(Given<(text: String, duration: Duration?)>)
  }

  init(_ reader: CommandReader) throws {
    timeout = try reader.text(of: "timeout")?.map { text in
      if let duration = DurationLiteral.parse(text) { return duration }
      throw reader.fault(
        .typeMismatch, "--timeout takes \(DurationLiteral.expected(insteadOf: text)), got '\(text)'", of: "timeout")
    }
    guard reader.statement.lua == nil else {
      goal = .condition(try reader.luaText("an expression"))
      return
    }
    let word = try reader.required(0, "a duration, idle, synced, or until EXPR")
    try reader.refuseOperands(from: 1)
    goal = .word(
      try word.map { text in
        let duration = DurationLiteral.parse(text)
        guard ["idle", "synced"].contains(text) || duration != nil else {
          throw reader.fault(
            .typeMismatch, "wait takes \(DurationLiteral.expected(insteadOf: text)), got '\(text)'",
            at: reader.operands[0])
        }
        return (text, duration)
      })
  }

  func perform(in session: Session) throws -> CommandResult {
    let timeout = try timeout?.value(in: session)
    switch goal {
    case .condition(let text):
      let lua = try session.lua()
      let condition = try lua.condition(text, chunk: session.chunkName)
      let end = try session.wait(atMost: timeout, for: .actions) { try condition.holds() }
      if end == .done { return .none }
      let value = try lua.evaluate(text, chunk: session.chunkName).value
      return try session.finishWait(
        end, timeout, "\(text) was still \(ActionText.literal(of: value))",
        details: end == .endless ? session.store.live.effects.map(\.id) : [])
    case .word(let word):
      let (text, duration) = try word.value(in: session)
      guard let duration else {
        if text == "synced" {
          // A store of one's own always is.
          try session.store.live.storeNode?.synchronize(atMost: timeout, endedBy: session.store.interruption)
          return .none
        }
        let end = try session.wait(atMost: timeout) { session.store.live.effects.isEmpty }
        let ids = session.store.live.effects.map(\.id)
        return try session.finishWait(
          end, timeout, "\(ids.count) \(ids.count == 1 ? "task" : "tasks") still running", details: ids)
      }
      let end = try session.wait(atMost: min(duration, timeout ?? duration), for: .time) { false }
      guard let timeout, timeout < duration else { return .none }
      return try session.finishWait(end, timeout, "\(text) had not passed")
    }
  }
}

extension Session {
  /// The result of a wait, or the error that its time is over.
  fileprivate func finishWait(
    _ end: WaitEnd, _ timeout: Duration?, _ what: String, details: [String] = []
  ) throws -> CommandResult {
    let reason: String
    var hint: String?
    switch end {
    case .done: return .none
    case .timeOver: reason = "\(what) after \(EffectListing.limit(timeout ?? .zero))"
    case .stuck: reason = "\(what), and nothing waits for the clock"
    case .endless:
      reason = "\(what) after \(Session.mostMoves) moves of the virtual clock"
      hint = "--timeout DURATION says how long to wait"
    }
    throw ShellError(code: .timedOut, message: reason, details: details, hint: hint, status: 5)
  }
}
