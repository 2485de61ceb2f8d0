import ShellLanguage

/// A statement of a sourced file failed; it has been reported there.
struct SourcedFileFailed: Error {
  let file: String
  let status: Int32

  /// The error of the `source` itself, where every command answers.
  var error: ShellError {
    ShellError(code: .failed, message: "a command of \(file) failed", place: .line, status: status)
  }
}
