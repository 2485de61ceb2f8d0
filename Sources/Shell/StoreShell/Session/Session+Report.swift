import Platform
import ShellLanguage

/// The report of a run.
extension Session {
  /// Takes note of a statement of the run itself that failed outside of all steps, for the report.
  func noteFailure(of statement: Statement) {
    guard let error = outcome.lastError else { return }
    var rest = statement
    while let prefix = commands[rest], prefix.takesCommand {
      guard prefix.verb != "step" else { return }
      guard let inner = rest.droppingWords(1 + prefix.wordsBeforeCommand) else { break }
      rest = inner
    }
    noteStep("\(running.origin.file):\(statement.line): \(statement.text.prefix { !$0.isNewline })", seconds: 0, error)
  }

  /// Takes note of the result of a step.
  ///
  /// - Parameter error: why it failed; nil: it did not.
  func noteStep(_ name: String, seconds: Double, _ error: ShellError?) {
    // What ends the run has the command that runs end as Ctrl-C does.
    let error = error?.code == .interrupted ? interrupts.stop?.error ?? error : error
    var result = TestResult(name: name, seconds: seconds, error: error)
    result.output = outcome.programOutput ?? ""
    outcome.steps.append(result)
  }

  /// Sees to it that the report of the run can be written, where one is wanted, before anything is done.
  ///
  /// - Parameter sources: the files that the run reads.
  /// - Returns: 0, or the status of the error, which is reported.
  public func prepareReport(besides sources: [String]) -> Int32 {
    guard let report = options.report, !running.isChecking else { return 0 }
    do {
      if Files.isOrdinary(report.path) { try refuseStore(report.path, at: .command) }
      try report.prepare(besides: sources, until: interrupts.descriptor)
      return 0
    } catch {
      return writeError(error)
    }
  }

  /// Writes the report of the run, where one is wanted.
  ///
  /// - Parameter status: the status of the run. What ended it is in the report, also where that was no step.
  /// - Returns: the status, or that of the error where the report cannot be written.
  public func writeReport(after status: Int32) -> Int32 {
    guard let report = options.report, !running.isChecking else { return status }
    let suite = outcome.reportedFile ?? options.name
    let hasFailure = outcome.steps.contains { if case .failed = $0.outcome { true } else { false } }
    if status != 0, !hasFailure {
      let error = outcome.lastError ?? ShellError(code: .failed, message: "the run ended with status \(status)")
      noteStep(suite, seconds: 0, error)
    }
    do throws(FileError) {
      try report.write(outcome.steps, suite: suite, to: makeFile(report.path))
      return status
    } catch {
      let failed = writeError(error)
      return status == 0 ? failed : status
    }
  }
}
