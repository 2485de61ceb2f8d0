import Platform
import ShellLanguage
import StoreHistory

/// The report of a run that its program was asked for: a file for those who read the results of tests.
public struct RunReport: Sendable {
  let form: TestReportForm
  /// The file.
  public let path: String

  /// The names of the forms.
  public static let forms = TestReportForm.allCases.map(\.rawValue)

  /// Plans a report; nil where there is no such form.
  public init?(_ form: String, path: String) {
    guard let form = TestReportForm(rawValue: form) else { return nil }
    self.form = form
    self.path = path
  }
}

extension RunReport {
  /// Sees to it that it can be written, before anything is done.
  ///
  /// - Parameters:
  ///   - sources: the files that the run reads.
  ///   - wait: the waits for the other end of the file.
  /// - Throws: `ShellError` where it would take the place of another file; `FileError`.
  package func prepare(besides sources: [String], waiting wait: FileWait) throws {
    guard !Files.isPipe(path) else { return }
    let hint = "--report takes junit or tap, and then a file of its own"
    for source in sources where Files.isOrdinary(source) && Files.areSame(path, source) {
      throw ShellError(
        code: .notAllowed, message: "\(path) is a file that this command uses already", hint: "write to another file")
    }
    try refuseClaimed()
    guard holdsNothingElse else {
      throw ShellError(
        code: .notAllowed, message: "--report \(path): that file is not a report, and would be replaced", hint: hint,
        status: 2)
    }
    _ = try ReplacingFile(path, waiting: wait)
  }

  /// Refuses the file of a store, the files that SQLite keeps beside it, and the lock of a door.
  private func refuseClaimed() throws(FileError) {
    guard Journal.store(at: path) != nil else { return }
    throw FileError(path: path, code: EACCES, .writing, reason: "a store or a door has it, and it would be replaced")
  }

  /// True if its file is empty, holds a report, or is none.
  private var holdsNothingElse: Bool {
    guard Files.isOrdinary(path) else { return true }
    let start = Files.start(of: path, count: 512)
    return start.isEmpty || TestReportForm.isReport(start)
  }

  package func write(_ results: [TestResult], suite: String, to file: ReplacingFile) throws(FileError) {
    // A store may have taken the file since the run began.
    try refuseClaimed()
    guard holdsNothingElse else {
      throw FileError(path: path, code: EACCES, .writing, reason: "the run has written something else there")
    }
    file.bytes = Array(form.text(of: results, suite: suite).utf8)
    try file.finish()
  }
}
