import ShellLanguage

extension CommandDefinition {
  static let retry = CommandDefinition(
    "retry", needs: .nothing, usage: ["retry COUNT every DURATION COMMAND"],
    summary: "runs a command again while it fails, COUNT times at most; tasks run in the pauses",
    operands: [.newName, .words(["every"])],
    examples: [
      CommandExample("retry 3 every 2s assert state.counter.value == 0", output: ""),
      CommandExample(
        transcript: """
          stsh> retry 3 every 10ms assert state.counter.value == 1 -- still zero
          error[assert-failed]: still zero
            left   state.counter.value = 0
            right  1 = 1
            tried 3 times

          """),
    ],
    takesCommand: true, wordsBeforeCommand: 3,
    read: RetryRequest.init, perform: { try $0.perform(in: $1) })
}

private struct RetryRequest {
  private let count: Given<Int>
  private let pause: Given<Duration>
  private let command: Statement

  init(_ reader: CommandReader) throws {
    let (count, countWord) = try reader.wordBeforeCommand(0, "a count")
    self.count = try count.map { text in
      if let count = Int(text), (1...1_000_000).contains(count) { return count }
      throw reader.fault(.typeMismatch, "retry takes a count above 0, got '\(text)'", at: countWord)
    }
    let (every, everyWord) = try reader.wordBeforeCommand(1, "every DURATION")
    guard every.known == "every" else {
      throw reader.fault(
        .unexpectedArgument, "expected every after retry COUNT, got '\(everyWord.text)'", at: everyWord)
    }
    let (pause, pauseWord) = try reader.wordBeforeCommand(2, "a duration")
    self.pause = try pause.map { text in
      if let pause = DurationLiteral.parse(text) { return pause }
      throw reader.fault(
        .typeMismatch, "every takes \(DurationLiteral.expected(insteadOf: text)), got '\(text)'", at: pauseWord)
    }
    command = try reader.command()
  }

  func perform(in session: Session) throws -> CommandResult {
    let (count, pause) = (try count.value(in: session), try pause.value(in: session))
    var tried = 1
    let isTriedAgain = session.running.isTriedAgain
    defer { session.running.isTriedAgain = isTriedAgain }
    while true {
      session.running.isTriedAgain = isTriedAgain || tried < count
      let (tally, steps) = (session.outcome.tally, session.outcome.steps.count)
      do {
        return try session.performed(command)
      } catch {
        guard tried < count, !session.isEnding(by: error) else { throw session.noting(tried, error) }
        // A step that is tried again is one step.
        session.outcome.tally = tally
        session.outcome.steps.removeSubrange(steps...)
      }
      tried += 1
      session.console.flush()
      _ = try session.wait(atMost: pause, for: .time) { false }
    }
  }
}

extension Session {
  /// The error with the number of times that its command was tried. An error that was reported where it happened stays.
  fileprivate func noting(_ count: Int, _ error: any Error) -> any Error {
    guard count > 1, !(error is SourcedFileFailed), !(error is AppliedWithFaults),
      !running.hasReportedAttempt || raisedAgain(error) == nil
    else { return error }
    var described = raisedAgain(error) ?? ShellError(describing: error)
    described.details.append("tried \(count) times")
    return described
  }

  /// True if a statement that failed is the last one: the run was stopped, or somebody asked to leave.
  func isEnding(by error: any Error) -> Bool {
    hasQuit || isInterrupted || interrupts.stop?.isStopped == true
      || ShellError(describing: error).code == ShellError.interrupted.code
  }
}
