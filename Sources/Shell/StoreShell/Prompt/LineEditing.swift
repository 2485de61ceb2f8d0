/// The services that the prompt needs of an editor of lines.
///
/// The prompt's logic is written against this protocol alone, so that batch, tests and embedding programs load no
/// editor. An editor belongs to one thread, the one that waits in `nextEvent`.
public protocol LineEditing: AnyObject {
  /// Waits for one event.
  ///
  /// Shows `prompt` when no line is being edited yet. After `.deadline` and `.woken` the same line is still being
  /// edited, and the next call goes on with it. Between a finished line and the next call the terminal is in its usual
  /// mode, so that a command can print and start other programs.
  ///
  /// - Parameters:
  ///   - prompt: The text before the line. Colour sequences in it take no room.
  ///   - deadline: The time to wait from now; nil waits for ever.
  ///   - wakeDescriptors: File descriptors that end the wait as `.woken` when one becomes readable; the caller reads them.
  /// - Throws: An error of the operating system: the editor cannot wait.
  func nextEvent(prompt: String, until deadline: Duration?, wakeDescriptors: [Int32]) throws -> LineEvent

  /// Prints whole lines above the line being edited and puts line and cursor back as they were. When no line is being
  /// edited, just prints. A missing newline at the end is added.
  func printAbove(_ text: String, to target: OutputTarget)

  /// Whole lines that are kept above the line being edited, and drawn anew when they change; an editor may leave it out.
  var pinned: String { get set }

  /// Proposes what may stand at the cursor, when Tab is pressed: given the text of the line and the cursor's byte
  /// offset in its UTF-8. Earlier lines of an open statement are the prompt's to remember.
  var completer: ((_ line: String, _ cursor: Int) -> LineCompletion)? { get set }

  /// True if completion makes no difference between small and large letters.
  var ignoresCase: Bool { get }

  /// Says how the line is shown while it is typed, given what ``completer`` is given; nil: as plain text. An editor may
  /// leave it out.
  var decorator: ((_ line: String, _ cursor: Int) -> LineDecoration)? { get set }

  /// Asks ``decorator`` again, which knows more by now, and shows the line as it says; an editor may leave it out.
  func redecorate()

  /// The earlier lines of a statement that is still open, joined by newlines; nil when the line starts a statement. An
  /// external editor is given the whole statement.
  var openLines: String? { get set }

  /// The statements that Up and Ctrl-R find, oldest first. A statement of several lines is one entry.
  var history: [String] { get }

  /// The times at which the statements of ``history`` were entered, in seconds since 1970, where they are known; none where
  /// the editor knows no times.
  var historyTimes: [Int?] { get }

  /// The statements of ``history`` that failed when they were last given; an editor may know none.
  var failedStatements: Set<String> { get }

  /// Notes how a statement of ``history`` ended, for later sessions; an editor may leave it out.
  func noteEnd(of statement: String, hasFailed: Bool)

  /// The text that the next line begins with, to be edited; an editor may leave it out.
  var proposedLine: String? { get set }

  /// Keeps a statement in the history, unless it starts with a space or repeats the last one.
  /// - Throws: The reason why it cannot be stored for later sessions; this session remembers it all the same.
  func addHistory(_ statement: String) throws

  /// True, once, when Ctrl-C was pressed while no line was being edited: the running command is to be cancelled.
  func takeInterrupt() -> Bool

  /// A file descriptor that is readable while such an interrupt waits to be taken: for a command that waits in `poll`.
  /// The descriptor holds a byte for each interrupt.
  var interruptDescriptor: Int32 { get }

  /// Does what Ctrl-C does; may be called from any thread.
  var interruption: @Sendable () -> Void { get }

  /// Size of the terminal in characters.
  var screenSize: (rows: Int, columns: Int) { get }

  /// Restores the terminal. The editor is of no use afterwards.
  func close()
}

extension LineEditing {
  /// The statements of ``history`` with their times.
  package var pastLines: [PastLine] {
    let times = historyTimes
    return history.enumerated().map { PastLine($1, at: times.indices.contains($0) ? times[$0] : nil) }
  }

  /// Nothing: an editor whose lines come from elsewhere than a person.
  public var interruption: @Sendable () -> Void { {} }

  /// None: an editor that knows no times.
  public var historyTimes: [Int?] { [] }

  /// None: an editor that keeps nothing for later sessions.
  public var failedStatements: Set<String> { [] }

  /// Nothing: an editor that keeps nothing for later sessions.
  public func noteEnd(of statement: String, hasFailed: Bool) {}

  /// None: an editor that draws nothing by itself.
  public var pinned: String {
    get { "" }
    set {}
  }

  /// None: an editor whose lines begin empty.
  public var proposedLine: String? {
    get { nil }
    set {}
  }

  /// False: an editor that has no settings of a user.
  public var ignoresCase: Bool { false }

  /// Nothing: an editor that shows plain text.
  public func redecorate() {}

  /// None: an editor that shows plain text.
  public var decorator: ((_ line: String, _ cursor: Int) -> LineDecoration)? {
    get { nil }
    set {}
  }
}

/// The ways in which a wait for input ends.
public enum LineEvent: Equatable, Sendable {
  /// A finished line, without its newline. Pasted text may hold newlines.
  case line(String)
  /// A whole statement that was edited in an external editor: it takes the place of `openLines` as well.
  case statement(String)
  /// Ctrl-C. The text on the line is dropped, `^C` and a newline are printed.
  case interrupted(hadText: Bool)
  /// Ctrl-D on an empty line. A newline is printed.
  case endOfInput
  /// The terminal is gone.
  case hangUp
  /// The time given is over; the line is still being edited.
  case deadline
  /// The descriptor given is readable; the line is still being edited.
  case woken
}

/// The texts that may stand at the cursor.
public struct LineCompletion: Equatable, Sendable {
  /// Byte offset in the line's UTF-8 where the word at the cursor starts.
  public var replaceFrom: Int
  /// The texts that may take the word's place, in the order in which they are listed.
  public var candidates: [Candidate]
  /// Text to print above the line, such as a signature. Candidates follow it in its row; a sole one is inserted instead.
  public var note: String?
  /// The candidates that are left out; nil: none is.
  public var rest: Rest?
  /// True if the word names a file of the client, whose end knows the candidates.
  package var wantsClientFiles = false

  /// Creates a completion of the word that starts at `replaceFrom`.
  public init(replaceFrom: Int, candidates: [Candidate] = [], note: String? = nil, rest: Rest? = nil) {
    self.replaceFrom = replaceFrom
    self.candidates = candidates
    self.note = note
    self.rest = rest
  }

  /// Candidates that are left out.
  public struct Rest: Equatable, Sendable {
    /// Their number; nil: there may be some, nobody has counted them.
    public var count: Int?
    /// The start that all candidates have in common, these too.
    public var common: String
    /// The way to fewer candidates, in a few words.
    public var advice: String

    /// Creates a rest.
    public init(count: Int?, common: String, advice: String) {
      self.count = count
      self.common = common
      self.advice = advice
    }
  }

  /// A text that may take the place of the word at the cursor.
  public struct Candidate: Equatable, Sendable {
    /// The text that is inserted.
    public var text: String
    /// The text in the list: the last part of a path.
    public var display: String
    /// What it is, in a few words, for the list.
    public var meaning: String?
    /// The text that follows when it is the only candidate: `.`, `=`, a space or nothing.
    public var suffix: String

    /// Creates a candidate; without a `display` the list shows the text.
    public init(text: String, display: String? = nil, meaning: String? = nil, suffix: String = " ") {
      self.text = text
      self.display = display ?? text
      self.meaning = meaning
      self.suffix = suffix
    }
  }
}
