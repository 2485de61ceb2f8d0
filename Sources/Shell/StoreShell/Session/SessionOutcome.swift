import ShellLanguage
import StoreSchema

struct SessionOutcome {
  /// The numbers of statements reached and failed.
  var tally = Tally()
  /// The number of statements so far, those of scripts that ran one by one.
  var number = 0
  var lastValue = Value.none { didSet { hasLetGoOfValue = false } }
  /// True if that value was large and is kept no more.
  private(set) var hasLetGoOfValue = false
  var lastError: ShellError?
  /// The results of steps, and of statements that failed outside of them, where somebody wants a report.
  var steps: [TestResult] = []
  /// True if whoever came in by a door wants them.
  var isReported = false
  /// True once its report could not be written, which was told.
  var hasLostReport = false
  /// The action that an interceptor dropped last, in a sentence; nil: none since somebody asked.
  var lastDropped: String?
  /// The lines of the file of the start that do more than a store of others allows there.
  var leftOut: [Int] = []
  /// The script whose results they are.
  var reportedFile: String?
  /// The files of `--rejects` that lines of the script have written.
  var rejectsOfRun: Set<String> = []
  /// The output of the programs of the step that runs; nil: none does.
  var programOutput: String?
  /// The checks that run; nil: none do.
  var checks: Checks?
  /// The run of `atomic` that is open; nil: none is.
  var run: Run?
  /// The line that cancelled the last run; nil: it ended otherwise.
  var cancelledRun: Int?
  /// True behind a statement that may have given names to later lines, until they are looked at.
  var hasNewNames = false
  /// The number of programs that failed in Lua so far.
  var failedPrograms = 0
  /// The number of steps that failed so far.
  var failedSteps = 0
  /// The number of other statements that failed in Lua's `command` and whose results no Lua took.
  var unseenFailures = 0
  /// The failures of steps that Lua's `command` gave back, so far.
  var returnedFailures = 0
  /// The outcome of the last `try`.
  var lastAttempt = Attempt()
  /// True once a statement asked to leave.
  var hasQuit = false
  /// True if a script asked to leave whose run of `atomic` is open still: the conversation ends with that.
  var quitsBehindRun = false
  /// The status other than 0 that `quit` asked for; nil: that of what happened.
  var quitStatus: Int32?
  /// The status of what went wrong when the store was opened, although it is open.
  var openingStatus: Int32 = 0
  /// True once the end of the run was told of.
  var hasReportedStop = false

  /// Cuts the messages of the errors that are kept, where they are long.
  mutating func shortenErrors() {
    func shorten(_ error: ShellError?) -> ShellError? {
      guard var error, error.message.utf8.count > Self.longMessage else { return nil }
      error.message = "\(error.message.prefix(Self.longMessage / 4))…"
      return error
    }
    if let error = shorten(lastError) { lastError = error }
    if let error = shorten(lastAttempt.error) { lastAttempt = Attempt(error) }
  }

  private static let longMessage = 1 << 16

  /// Lets go of the value that was shown last if it is large: a conversation by a door keeps little while it rests.
  mutating func letGoOfLargeValue() {
    guard lastValue.roughSize > Self.largeValue else { return }
    lastValue = .none
    hasLetGoOfValue = true
  }

  private static let largeValue = 1 << 20

  /// Statements that are taken back together, up to `atomic end`.
  struct Run {
    /// The line of `atomic begin`.
    let line: Int
    /// True if a whole script is the run.
    var isWhole = false
    var stage = Stage.open

    /// The stage of the run.
    enum Stage {
      /// It goes on.
      case open
      /// The statement of a line failed, and all was taken back.
      case failed(line: Int)
      /// The connection on which it began is lost.
      case lost
    }
  }

  /// Statements that run whichever of them fail, up to `checks end`.
  struct Checks {
    /// The line of `checks begin`.
    let line: Int
    var count = 0
    var failed = 0
    /// The status of the first that failed.
    var status: Int32 = 0
    /// True if the Lua of the line that runs has run a step.
    var hasStep = false
    /// True if one of these has failed.
    var hasFailedStep = false
  }

  struct Tally {
    var reached = 0
    var failed = 0
    var firstStatus: Int32 = 0
    /// The status of the first step that failed, wherever it ran; 0: none did.
    var stepStatus: Int32 = 0

    /// Takes failures back that count for nothing, but for those of steps.
    mutating func excuse(to earlier: Tally) {
      failed = earlier.failed
      firstStatus = earlier.firstStatus == 0 ? stepStatus : earlier.firstStatus
    }
  }
}
