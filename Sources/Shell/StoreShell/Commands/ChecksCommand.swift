import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let checks = CommandDefinition(
    "checks", needs: .nothing, usage: ["checks begin", "checks end"],
    summary: "runs all lines between, whichever of them fail, reports each, and fails at the end if one did",
    operands: [.words(["begin", "end"])],
    examples: [
      CommandExample(
        transcript: """
          stsh> checks begin
          stsh> assert state.counter.value == 0
          ok   assert state.counter.value == 0
          stsh> assert state.counter.step == 2 -- the step is two
          FAIL assert state.counter.step == 2 -- the step is two
          error[assert-failed]: the step is two
            left   state.counter.step = 1
            right  2 = 2
          stsh> checks end
          error[assert-failed]: 1 of 2 checks failed

          """),
      CommandExample(
        transcript: """
          stsh> checks begin
          stsh> step "one" assert true
          ok   one
          stsh> checks end

          """),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return try reader.required(0, "begin or end").map { try reader.isFirst("begin", or: "end", $0) }
    },
    perform: { begins, session in
      try begins.value(in: session) ? session.beginChecks() : session.endChecks()
      return .none
    })
}

extension Session {
  fileprivate func beginChecks() throws {
    if let open = outcome.checks { throw StatementBlock.checks.began(on: open.line) }
    outcome.checks = SessionOutcome.Checks(line: running.statement?.line ?? 1)
  }

  fileprivate func endChecks() throws {
    guard let checks = outcome.checks else { throw StatementBlock.checks.missing }
    outcome.checks = nil
    guard checks.failed > 0 else { return }
    throw ShellError(
      code: checks.status == 3 ? .assertFailed : .failed, message: "\(checks.failed) of \(checks.count) checks failed",
      status: checks.status)
  }

  /// Counts a statement between `checks begin` and `checks end`.
  func countCheck(_ status: Int32) {
    guard outcome.checks != nil, running.isCheck else { return }
    running.isCheck = false
    countOne(status)
  }

  /// Counts a step that the Lua of a line runs between `checks begin` and `checks end`.
  func countStep(_ status: Int32) {
    guard outcome.checks != nil, !running.isChecking else { return }
    outcome.checks?.hasStep = true
    if status != 0 { outcome.checks?.hasFailedStep = true }
    countOne(status)
  }

  private func countOne(_ status: Int32) {
    outcome.checks?.count += 1
    guard status != 0 else { return }
    outcome.checks?.failed += 1
    if outcome.checks?.status == 0 { outcome.checks?.status = status }
  }

  /// Reports a statement between `checks begin` and `checks end`, unless it is a step or its Lua ran some: these do so themselves.
  func reportCheck(_ statement: Statement, hasFailed: Bool) {
    running.isCheck = false
    guard let checks = outcome.checks, commands[statement] !== CommandDefinition.checks, !running.isChecking else {
      return
    }
    outcome.checks?.hasStep = false
    outcome.checks?.hasFailedStep = false
    guard !checks.hasStep || hasFailed && !checks.hasFailedStep else { return }
    running.isCheck = true
    guard commands[statement] !== CommandDefinition.step else { return }
    let line = String(statement.text.prefix { !$0.isNewline })
    if !hasFailed, options.report != nil || outcome.isReported { noteStep(line, seconds: 0, nil) }
    guard !answersInJSON else { return }
    console.write(DisplayText.printable("\(hasFailed ? "FAIL" : "ok  ") \(line)") + "\n")
  }

  /// Reports checks that no line ends.
  ///
  /// - Returns: the status of the error; nil: there are no such checks.
  func endOpenChecks() -> Int32? {
    if running.isChecking {
      guard let open = running.foreseen?.takeErrorOfOpenBlock() else { return nil }
      report(open.error, in: open.statement)
      fail(2)
      return nil
    }
    guard let checks = outcome.checks, !hasQuit else { return nil }
    outcome.checks = nil
    return writeError(StatementBlock.checks.open(since: checks.line), file: running.origin.file)
  }
}
