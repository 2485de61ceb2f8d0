import ShellLanguage

/// The statement that runs, and how it does.
struct RunningStatement {
  /// True if more texts of the run follow that the statement belongs to.
  var hasRest = false
  /// The origin of statements.
  var origin = StatementOrigin.prompt
  /// The statement; nil: none runs.
  var statement: Statement?
  /// True where its result is kept to be drawn on the terminal.
  var drawsOnScreen = false
  /// True where it stands between `checks begin` and `checks end`.
  var isCheck = false
  /// True where a `try` excuses it.
  var isExcused = false
  /// True where Lua wants the data of its result, beside what it prints.
  var wantsData = false
  /// True where statements are checked instead of being performed.
  var isChecking = false
  /// True where one of the checked statements would have made a file.
  var mayHaveWritten = false
}
