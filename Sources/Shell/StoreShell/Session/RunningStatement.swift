import ShellLanguage

/// The statement that runs, and how it does.
struct RunningStatement {
  /// Where statements come from.
  var origin = StatementOrigin.prompt
  /// The statement; nil: none runs.
  var statement: Statement?
  /// Whether a `try` excuses it.
  var isExcused = false
  /// Whether statements are checked instead of being performed.
  var isChecking = false
  /// Whether one of the statements that were checked would have made a file.
  var mayHaveWritten = false
}
