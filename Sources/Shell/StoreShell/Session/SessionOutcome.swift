import ShellLanguage
import StoreSchema

/// What became of the statements of a session.
struct SessionOutcome {
  /// How many statements were reached, how many failed, and with which status the first.
  var tally = Tally()
  /// The value that was shown last.
  var lastValue = Value.none
  /// The error that was reported last.
  var lastError: ShellError?
  /// What became of the last `try`.
  var lastAttempt = Attempt()
  /// Whether a statement asked to leave.
  var hasQuit = false
  /// The status that `quit` asked for; nil: that of what happened.
  var quitStatus: Int32?
  /// Whether the end of the run has been told of.
  var hasReportedStop = false

  /// Counts the statements reached and failed.
  struct Tally {
    var reached = 0
    var failed = 0
    var firstStatus: Int32 = 0
  }
}
