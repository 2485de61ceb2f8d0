import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let `try` = CommandDefinition(
    "try", needs: .nothing, usage: ["try COMMAND"],
    summary:
      "runs a command whose failure neither stops a script nor counts; sets ok, and err with code, message, hint",
    examples: [
      CommandExample(
        transcript: """
          stsh> try dispatch tasks.remoev 9
          error[unknown-action]: unknown action 'tasks.remoev'
            try dispatch tasks.remoev 9
                         ^~~~~~~~~~~~
            hint: did you mean 'tasks.remove'?
          stsh> echo $ok $(err.code)
          false unknown-action

          """),
      CommandExample(
        transcript: """
          stsh> try dispatch tasks.remove id=9
          error[failed]: there is no to-do 9
          stsh> assert not ok

          """),
    ],
    takesCommand: true,
    read: { try $0.command() },
    perform: { command, session in
      session.running.isExcused = true
      return try session.performed(command)
    })

  static let time = CommandDefinition(
    "time", needs: .nothing, usage: ["time COMMAND"],
    summary: "runs a command, then says how long it took, and how many actions were processed",
    examples: [
      CommandExample(
        "time dispatch counter.increment by=2",
        output: """
          #1 counter.increment by=2
            counter.value  0 -> 2
          0.0 ms, 1 action

          """),
      CommandExample("time wait 1500ms", output: "1.500s, 0 actions\n"),
    ],
    takesCommand: true,
    read: { try $0.command() },
    perform: { command, session in
      let start = session.clock.wallTime()
      let first = session.store.live.head
      func measured() -> Measurement {
        Measurement(time: session.clock.wallTime() - start, actions: max(session.store.live.head - first, 0))
      }
      let result: CommandResult
      do {
        result = try session.commands.run(command, in: session)
      } catch {
        // What failed took its time, too.
        if !session.answersInJSON { session.console.write(measured().text + "\n") }
        throw error
      }
      let measured = measured()
      guard !session.answersInJSON else { return CommandResult(json: measured.json(result), notes: result.notes) }
      session.console.write(measured.text + "\n")
      return CommandResult(json: nil, notes: result.notes)
    })
}

extension CommandReader {
  /// The command behind the verb.
  func command() throws -> Statement {
    guard let command = statement.droppingWords(1 + definition.wordsBeforeCommand) else { throw missing("a command") }
    return command
  }

  /// The text of a word between the verb and its command, from 0.
  ///
  /// - Throws: ``ShellError`` naming what is missing.
  func wordBeforeCommand(_ index: Int, _ name: String) throws -> (text: Given<String>, word: Word) {
    guard index + 1 < statement.words.count else { throw missing(name) }
    let word = statement.words[index + 1]
    return (try text(ofWord: word), word)
  }
}

/// The result of `time`.
private struct Measurement {
  let time: Duration
  let actions: Int

  var text: String {
    let count = "\(actions) \(actions == 1 ? "action" : "actions")"
    // Of one action the time says it.
    let rate = actions > 1 ? rate.map { ", \($0) actions per second" } : nil
    return "\(time < .seconds(1) ? "\(milliseconds) ms" : "\(seconds)s"), \(count)" + (rate ?? "")
  }

  func json(_ result: CommandResult) -> String {
    JSON.object([
      "result": .json(result.json ?? "null"), "seconds": .json("\(seconds)"), "actions": .number(actions),
      "rate": .json(rate.map { "\($0)" } ?? "null"),
    ])
  }

  /// To the tenth.
  private var milliseconds: String {
    let tenths = Int((time.seconds * 10_000).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// To the millisecond.
  private var seconds: String {
    let milliseconds = Int((time.seconds * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
  }

  /// Actions per second; nil where no time went by.
  private var rate: Int? { time > .zero ? Int((Double(actions) / time.seconds).rounded()) : nil }
}
