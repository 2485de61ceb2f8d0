import ShellLanguage
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
        output: "#2 shell.restore without=[1]  (takes back 1 action)\n  counter.value  1 -> 0\n"),
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
      throw ShellError(
        code: .syntax, message: "a run began on line \(run.line) already", hint: "atomic end ends it", status: 2)
    }
    try store.beginRun()
    outcome.run = SessionOutcome.Run(line: running.statement?.line ?? 1)
  }

  func endRun() throws {
    let run = try leaveRun()
    guard let line = run.failedLine else { return store.endRun() }
    store.endRun()
    throw ShellError(code: .failed, message: "the run was cancelled, since line \(line) failed")
  }

  fileprivate func cancelRun() throws -> CommandResult {
    let run = try leaveRun()
    defer { store.endRun() }
    guard run.failedLine == nil, let report = try store.cancelRun(source: source(function: "atomic")) else {
      return .none
    }
    return try finish(report, quietly: false, remark: Self.remark(on: report))
  }

  private func leaveRun() throws(ShellError) -> SessionOutcome.Run {
    guard let run = outcome.run else {
      throw ShellError(code: .syntax, message: "no run has begun", hint: "atomic begin begins one", status: 2)
    }
    outcome.run = nil
    return run
  }

  private static func remark(on report: DispatchReport) -> String {
    let count = report.entry?.takenBack?.count ?? 1
    return "takes back \(count == 1 ? "1 action" : "\(count) actions")"
  }

  /// Takes back the run that is open, one of whose statements has failed.
  ///
  /// - Parameter line: the line of that.
  func cancelRun(after line: Int) {
    guard outcome.run != nil, outcome.run?.failedLine == nil else { return }
    let isWhole = outcome.run?.isWhole == true
    outcome.run?.failedLine = line
    takeBackRun(because: "since line \(line) failed\(isWhole ? "" : "; atomic end leaves the run")")
  }

  /// Takes back the run that is open where nothing more comes, as at the end of a script or of a conversation.
  package func abandonRun() {
    guard let run = outcome.run else { return }
    outcome.run = nil
    if run.failedLine == nil { takeBackRun(because: "since no atomic end came") }
    store.endRun()
  }

  private func takeBackRun(because reason: String) {
    store.statement {
      do {
        guard let report = try store.cancelRun(source: source(function: "atomic")) else { return }
        if let failure = report.failure { throw failure }
        write(note: "#\(report.number ?? 0) \(Self.remark(on: report)), \(reason)")
      } catch {
        writeError(error)
      }
    }
  }
}
