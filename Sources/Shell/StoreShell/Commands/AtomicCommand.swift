import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let atomic = CommandDefinition(
    "atomic", needs: .dispatch, usage: ["atomic begin", "atomic end", "atomic cancel"],
    summary:
      "takes back all that the lines between dispatch if one of them fails, if atomic cancel says so, or if the run is lost before atomic end; others see the actions as they happen",
    operands: [.words(["begin", "end", "cancel"])],
    examples: [
      CommandExample(
        transcript: """
          stsh> atomic begin
          stsh> dispatch counter.increment
          #1 counter.increment
            counter.value  0 -> 1
          stsh> atomic end

          """),
      CommandExample(
        "atomic begin", "dispatch counter.increment --quiet", "atomic cancel",
        output: "#2 shell.restore to=0  (takes back 1 action)\n  counter.value  1 -> 0\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      let usage = reader.usage
      return try reader.required(0, "begin, end or cancel").map { text in
        if let step = AtomicStep(rawValue: text) { return step }
        throw ShellError(
          code: .unexpectedArgument, message: "atomic takes begin, end or cancel, got '\(text)'",
          at: reader.operands[0], hint: "usage: \(usage)")
      }
    },
    perform: { step, session in
      switch try step.value(in: session) {
      case .begin:
        try session.beginRun()
        return .none
      case .end:
        try session.endRun()
        return .none
      case .cancel: return try session.cancelRun()
      }
    })
}

private enum AtomicStep: String {
  case begin, end, cancel
}

extension Session {
  func beginRun() throws {
    if let run = outcome.run {
      guard run.isWhole else { throw StatementBlock.run.began(on: run.line) }
      throw ShellError(code: .syntax, message: "the file is a run already, by --all-or-nothing", status: 2)
    }
    try store.beginRun()
    (outcome.run, outcome.cancelledRun) = (SessionOutcome.Run(line: numberOfStatement), nil)
  }

  func endRun() throws {
    let run = try leaveRun()
    switch run.stage {
    case .open where interrupts.isClientGone?() == true: loseRun(run)
    case .open: store.endRun()
    case .failed(let line):
      store.endRun()
      throw ShellError(code: .failed, message: "the run was cancelled, since line \(line) failed")
    case .lost:
      store.endRun()
      throw ShellError(code: .failed, message: "the run was lost with the connection")
    }
  }

  fileprivate func cancelRun() throws -> CommandResult {
    let run = try leaveRun()
    outcome.cancelledRun = numberOfStatement
    defer { store.endRun() }
    guard case .open = run.stage, let done = try store.cancelRun(source: source(function: UndoLine.atomic)) else {
      return .none
    }
    return try finish(done.report, quietly: false, remark: Self.remark(on: done))
  }

  private func leaveRun() throws(ShellError) -> SessionOutcome.Run {
    guard let run = outcome.run, !run.isWhole else {
      guard let line = outcome.cancelledRun else { throw StatementBlock.run.missing }
      throw ShellError(
        code: .syntax, message: "line \(line) cancelled the run already, and what followed stays",
        hint: "to leave the script there, too: command(\"atomic cancel\") command(\"quit\")", status: 2)
    }
    outcome.run = nil
    return run
  }

  private static func remark(on done: TakenBack) -> String {
    "takes back \(done.count == 1 ? "1 action" : "\(done.count) actions")"
  }

  /// The line of the statement that runs; of one that a person typed at a door, its number in the conversation.
  private var numberOfStatement: Int {
    running.origin.isTypedAtDoor ? outcome.number : running.statement?.line ?? outcome.number
  }

  /// Takes back the run that is open, one of whose statements has failed.
  ///
  /// - Parameter line: the line of that.
  func cancelRun(after line: Int) {
    guard let run = outcome.run, case .open = run.stage else { return }
    outcome.run?.stage = .failed(line: line)
    takeBack(run, because: "since line \(line) failed\(run.isWhole ? "" : "; atomic end leaves the run")")
  }

  /// Takes back the run that is open where nothing more comes, as at the end of a script or of a conversation.
  package func abandonRun(because reason: String = "since no atomic end came") {
    guard let run = outcome.run else { return }
    outcome.run = nil
    if case .open = run.stage { takeBack(run, because: reason) }
    store.endRun()
  }

  /// Takes back the run that is open if its client is gone. Nothing that the client sent behind it is done.
  ///
  /// - Returns: true if the client is gone.
  func loseRunOfGoneClient() -> Bool {
    guard let run = outcome.run, case .open = run.stage, interrupts.hasClientLeft?() == true else { return false }
    loseRun(run)
    return true
  }

  private func loseRun(_ run: SessionOutcome.Run) {
    outcome.run = run
    abandonRun(because: "since its client is gone")
    outcome.hasQuit = true
  }

  /// Goes on in a run that was lost with another conversation: nothing is dispatched until a statement leaves it.
  ///
  /// - Parameter line: the line of its `atomic begin`.
  func goOn(inLostRun line: Int) {
    outcome.run = SessionOutcome.Run(line: line, stage: .lost)
    store.loseRun()
  }

  /// Takes the run that is open back, where the conversation or its text ends.
  ///
  /// - Returns: the error; nil: there is no such run.
  func endOfOpenRun() -> ShellError? {
    guard let run = outcome.run, !run.isWhole else { return nil }
    let isOpen = if case .open = run.stage { true } else { false }
    abandonRun()
    guard isOpen else { return nil }
    return StatementBlock.run.open(since: run.line)
  }

  private func takeBack(_ run: SessionOutcome.Run, because reason: String) {
    let outer = store.beginStatement()
    defer { store.endStatement(outer) }
    do {
      var source = source(function: UndoLine.atomic)
      // Behind the last statement there is none that asks for it.
      if running.statement == nil, !running.origin.isThroughDoor { source.line = run.line }
      guard let done = try store.cancelRun(source: source) else { return }
      if let failure = done.report.failure { throw failure }
      write(note: "#\(done.report.number ?? 0) \(Self.remark(on: done)), \(reason)")
    } catch {
      writeError(error)
    }
  }
}
