import Platform
import ShellLanguage

/// The report of a run.
extension Session {
  /// Takes note of a statement of the run itself that failed outside of all steps, for the report.
  func noteFailure(of statement: Statement) {
    guard let error = outcome.lastError else { return }
    var rest = statement
    while let prefix = commands[rest.words[0].text], prefix.takesCommand {
      guard prefix.verb != "step" else { return }
      guard let inner = rest.droppingWords(1 + prefix.wordsBeforeCommand) else { break }
      rest = inner
    }
    let name = "\(running.origin.file):\(statement.line): \(statement.text.prefix { !$0.isNewline })"
    outcome.steps.append(TestResult(name: name, seconds: 0, error: error))
  }

  /// Writes the report of the run, where one is wanted.
  ///
  /// - Returns: 0, or the status of the error, which is reported.
  public func writeReport() -> Int32 {
    guard let report = options.report, !running.isChecking else { return 0 }
    let suite = outcome.reportedFile ?? options.name
    do throws(FileError) {
      let file = try ReplacingFile(report.path, until: interrupts.descriptor)
      file.bytes = Array(report.form.text(of: outcome.steps, suite: suite).utf8)
      try file.finish()
      return 0
    } catch {
      return writeError(error)
    }
  }
}
