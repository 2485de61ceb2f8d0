import ShellLanguage

/// The report of a run that its program was asked for: a file for those who read the results of tests.
public struct RunReport: Sendable {
  /// The form of the file.
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
