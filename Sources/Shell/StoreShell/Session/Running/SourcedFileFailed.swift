import ShellLanguage

/// A statement of a sourced file failed; it has been reported there.
struct SourcedFileFailed: Error {
  let file: String
  let status: Int32

  /// What the `source` itself has to say of it, where every command answers.
  var error: ShellError {
    ShellError(code: .failed, message: "a command of \(file) failed", place: .line, status: status)
  }
}
