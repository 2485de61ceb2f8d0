import ShellLanguage

extension CommandDefinition {
  static let step = CommandDefinition(
    "step", needs: .nothing, usage: ["step NAME COMMAND"],
    summary: "runs a command as a named step, which --report lists with its result and its time",
    operands: [.newName],
    examples: [
      CommandExample("step \"counts from zero\" assert state.counter.value == 0", output: "ok   counts from zero\n"),
      CommandExample(
        transcript: """
          stsh> step "is two" assert state.counter.value == 2 -- not yet
          FAIL is two
          error[assert-failed]: not yet
            left   state.counter.value = 0
            right  2 = 2

          """),
    ],
    takesCommand: true, wordsBeforeCommand: 1,
    read: { reader in (name: try reader.wordBeforeCommand(0, "a name").text, command: try reader.command()) },
    perform: { request, session in
      let name = try request.name.value(in: session)
      let start = session.clock.wallTime()
      let outer = session.outcome.programOutput
      session.outcome.programOutput = ""
      defer { session.outcome.programOutput = outer }
      func note(_ error: ShellError?) {
        if session.running.depth > 0 { session.countStep(error?.status ?? 0) }
        session.noteStep(name, seconds: (session.clock.wallTime() - start).seconds, error, isNamed: true)
        guard !session.answersInJSON else { return }
        session.console.write(DisplayText.printable("\(error == nil ? "ok  " : "FAIL") \(name)") + "\n")
      }
      do {
        let result = try session.performed(request.command)
        note(nil)
        return result
      } catch {
        let described = session.describedFailure(error)
        note(described)
        session.outcome.failedSteps += 1
        if session.outcome.tally.stepStatus == 0 { session.outcome.tally.stepStatus = described.status }
        throw error
      }
    })
}

extension Session {
  /// Refuses to go on behind a statement whose Lua ran a step that failed, or ran another command that failed and did not look at
  /// its result.
  ///
  /// - Parameters:
  ///   - first: the number of such failures of steps before the statement.
  ///   - unseen: the number of the others.
  func requireSteps(since first: Int, unseen: Int) throws(ShellError) {
    if outcome.unseenFailures > unseen, var error = outcome.lastAttempt.error {
      error.place = .command
      // It was reported where it happened.
      guard !running.isExcused else { throw error }
      throw ShellError(
        code: error.code, message: "a command that failed ends the line",
        hint: "Lua that looks at the result goes on: if not command(\"…\") then … end", status: error.status)
    }
    guard outcome.returnedFailures > first, let error = outcome.lastAttempt.error else { return }
    // Checks go on by themselves, and count it.
    throw ShellError(
      code: error.code, message: "a step that failed ends the line",
      hint: outcome.checks == nil ? "checks begin … checks end run all lines between, and fail at the end" : nil,
      status: error.status)
  }
}

extension TestResult {
  /// The result of a step; it failed where there is an error.
  init(name: String, seconds: Double, error: ShellError?) {
    self.init(
      name: name, seconds: seconds,
      outcome: error.map { error in
        .failed(
          code: error.code.rawValue, message: error.message, details: error.details + [error.hint].compactMap(\.self))
      } ?? .passed)
  }
}

extension Session {
  func describedFailure(_ error: any Error) -> ShellError {
    switch error {
    case let failed as SourcedFileFailed: outcome.lastError ?? failed.error
    case let faults as AppliedWithFaults: faults.errors.first ?? .interrupted
    default: raisedAgain(error) ?? ShellError(describing: error)
    }
  }
}
