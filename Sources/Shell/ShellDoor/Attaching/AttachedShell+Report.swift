import Platform
import ShellLanguage
import StoreShell

/// The report of a run, which is written where the script is: the store's own program runs none.
extension AttachedShell {
  /// Sees to it that the report can be written, where one is wanted, before anything is done.
  ///
  /// - Parameter sources: the files that the run reads.
  /// - Returns: 0, or the status of the error, which is reported.
  public func prepareReport(besides sources: [String]) -> Int32 {
    do {
      try options.report?.prepare(besides: sources, until: interruptDescriptor)
      return 0
    } catch let error as ShellError {
      return report(error)
    } catch let error as FileError {
      return report(ShellError(error))
    } catch {
      return report(ShellError(code: .failed, message: "\(error)"))
    }
  }

  /// Writes the report of the run, where one is wanted.
  ///
  /// - Parameters:
  ///   - status: the status of the run. What ended it is in the report, also where that was no step.
  ///   - suite: the name of the run; a run that came to no statement has that of the program.
  /// - Returns: the status, or that of the error where the report cannot be written.
  public func writeReport(after status: Int32, of suite: String) -> Int32 {
    guard let report = options.report else { return status }
    let suite = hasRun ? suite : "stsh"
    let hasFailure = steps.contains { if case .failed = $0.outcome { true } else { false } }
    if status != 0, !hasFailure {
      let error =
        lastError ?? (hasToldOfStop ? stop?.error : nil)
        ?? ShellError(code: .failed, message: "the run ended with status \(status)")
      let outcome = TestResult.Outcome.failed(
        code: error.code.rawValue, message: error.message, details: error.details + [error.hint].compactMap(\.self))
      steps.append(TestResult(name: suite, seconds: 0, outcome: outcome))
    }
    do throws(FileError) {
      try report.write(steps, suite: suite, to: ReplacingFile(report.path, until: interruptDescriptor))
      return status
    } catch {
      let failed = self.report(ShellError(error))
      return status == 0 ? failed : status
    }
  }
}
