import CReadline
import Platform
import StoreShell

/// GNU readline as the prompt's editor of lines.
///
/// There is one at a time in a process. While it exists, SIGINT sets a flag instead of ending the process. `nextEvent`
/// reports it while a line is edited, and `takeInterrupt` or `interruptPending` while a command runs. SIGTERM and
/// SIGHUP are the program's own: it should call `interruption`, and `close` before it ends, since a line being edited
/// holds the terminal.
public final class ReadlineEditor: LineEditing {
  /// Proposes what may stand at the cursor.
  public var completer: ((_ line: String, _ cursor: Int) -> LineCompletion)?
  /// Says how the line is shown while it is typed.
  public var decorator: ((_ line: String, _ cursor: Int) -> LineDecoration)?
  /// Readable once the program is to end, which ends an external editor too; -1: nothing says so.
  public var stopDescriptor: Int32 = -1
  /// The earlier lines of an open statement.
  public var openLines: String?
  /// The statements that Up and Ctrl-R find, oldest first.
  public private(set) var history: [String] = []
  /// When they were entered.
  public private(set) var historyTimes: [Int?] = []
  /// The statements that failed when they were last given.
  public private(set) var failedStatements: Set<String> = []
  /// The text that the next line begins with.
  public var proposedLine: String?
  /// Whole lines that stay above the line.
  public var pinned = "" {
    didSet { if pinned != oldValue, creadline_is_editing() { redrawPinned() } }
  }
  /// Those lines as they stand there; empty: they do not.
  private var drawn = ""
  /// The prompt that stands before the line.
  private var shownPrompt = ""
  private var historyFile: HistoryFile?
  private var isOpen = false
  /// True once an external editor has been given the open lines along with the line.
  private var holdsOpenLines = false
  /// The prompt before the first line of the statement.
  private var firstPrompt = ""

  /// Takes the terminal's signals; the terminal itself only while a line is edited.
  /// - Parameters:
  ///   - program: The name that `$if` in the user's `.inputrc` knows.
  ///   - historyFile: The file in which statements outlive the session; nil keeps them in memory.
  /// - Throws: `alreadyOpen`, `notATerminal`, or what the system answered. A history that cannot be read is empty.
  public init(program: String, historyFile: HistoryFile? = nil) throws(LineEditorError) {
    self.historyFile = historyFile
    // Unretained: `deinit` closes, after which readline calls neither.
    let context = Unmanaged.passUnretained(self).toOpaque()
    let actions = creadline_actions(
      context: context,
      complete: { $0.map { Unmanaged<ReadlineEditor>.fromOpaque($0).takeUnretainedValue().complete() } },
      offer: { $0.map { Unmanaged<ReadlineEditor>.fromOpaque($0).takeUnretainedValue().offer() } },
      edit: { $0.map { Unmanaged<ReadlineEditor>.fromOpaque($0).takeUnretainedValue().editExternally() } },
      decorate: { $0.map { Unmanaged<ReadlineEditor>.fromOpaque($0).takeUnretainedValue().decorate() } })
    let problem = creadline_open(program, actions)
    switch problem {
    case 0: break
    case EBUSY: throw .alreadyOpen
    case ENOTTY: throw .notATerminal
    default: throw .system(subject: "line editor", code: problem)
    }
    isOpen = true
    for line in (try? self.historyFile?.lines()) ?? [] { remember(line) }
  }

  deinit { close() }

  /// Restores the terminal and the handlers of signals.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    creadline_close()
  }

  /// Size of the terminal in characters.
  public var screenSize: (rows: Int, columns: Int) {
    var rows: Int32 = 0
    var columns: Int32 = 0
    creadline_screen_size(&rows, &columns)
    return (Int(rows), Int(columns))
  }

  /// True if the user's inputrc says so.
  public var ignoresCase: Bool { creadline_ignores_case() }

  // MARK: Interrupts

  /// True when Ctrl-C was pressed since `takeInterrupt` was last called. Any thread; costs one atomic load.
  public static var interruptPending: Bool { creadline_interrupt_pending() }

  /// True, once, when Ctrl-C was pressed while no line was being edited.
  public func takeInterrupt() -> Bool { creadline_take_interrupt() }

  /// Readable while an interrupt waits to be taken.
  public var interruptDescriptor: Int32 { creadline_interrupt_descriptor() }

  /// Does what Ctrl-C does; may be called from any thread.
  public var interruption: @Sendable () -> Void { { creadline_note_interrupt() } }

  // MARK: Events

  /// Waits for one event. While it waits, timers and effects are served by `deadline` and `wakeDescriptors`.
  public func nextEvent(
    prompt: String, until deadline: Duration? = nil, wakeDescriptors: [Int32] = []
  ) throws -> LineEvent {
    let end = deadline.map { ContinuousClock.now + $0 }
    if openLines == nil, !creadline_is_editing() { takeNewHistory() }
    show(prompt)
    while true {
      let own = [STDIN_FILENO, creadline_interrupt_descriptor(), creadline_notice_descriptor()]
      var sources = (own + wakeDescriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let count = poll(&sources, nfds_t(sources.count), Self.milliseconds(until: end))
      if count < 0 && errno != EINTR { throw LineEditorError.system(subject: "poll", code: errno) }
      if creadline_take_interrupt() { return .interrupted(hadText: dropLine()) }
      serveNotices()
      guard count > 0 else {
        if let end, end <= .now { return .deadline }
        continue
      }
      if sources[0].revents != 0, let event = readKeys() { return event }
      if sources.dropFirst(own.count).contains(where: { $0.revents != 0 }) { return .woken }
      if let end, end <= .now { return .deadline }
    }
  }

  private func show(_ prompt: String) {
    if openLines == nil { firstPrompt = prompt }
    let text = marked(holdsOpenLines ? firstPrompt : prompt)
    shownPrompt = holdsOpenLines ? firstPrompt : prompt
    if creadline_is_editing() {
      creadline_set_prompt(text)
    } else {
      drawn = ""
      if decorator != nil || !pinned.isEmpty { creadline_begin_row() }
      drawPinned()
      creadline_begin_line(text)
      if let proposedLine { creadline_begin_text(proposedLine) }
      proposedLine = nil
    }
  }

  private func marked(_ prompt: String) -> String { PromptText.marked(prompt, isDumb: creadline_is_dumb()) }

  /// Rounded up, so that the wait never ends before the deadline.
  private static func milliseconds(until end: ContinuousClock.Instant?) -> Int32 {
    guard let end else { return -1 }
    let (seconds, attoseconds) = (end - .now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let most: Int64 = 1_000_000
    return Int32(min(seconds, most) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  private func readKeys() -> LineEvent? {
    switch creadline_read_keys() {
    case CREADLINE_LINE:
      let bytes = creadline_take_line()
      defer { free(bytes) }
      let line = bytes.map { String(cString: $0) } ?? ""
      dropPinned(above: line)
      defer { holdsOpenLines = false }
      return holdsOpenLines ? .statement(line) : .line(line)
    case CREADLINE_END_OF_INPUT:
      // A terminal that is gone tells nothing of itself any more.
      var settings = termios()
      return tcgetattr(STDIN_FILENO, &settings) == 0 ? .endOfInput : .hangUp
    default:
      return nil
    }
  }

  private func dropLine() -> Bool {
    holdsOpenLines = false
    let line = String(cString: creadline_text())
    defer { dropPinned(above: line + "^C") }
    return creadline_drop_line()
  }

  private func serveNotices() {
    var resized = false
    var suspended = false
    creadline_take_notices(&resized, &suspended)
    if suspended {
      // Others print meanwhile: what stood above the line then is not there any more.
      drawn = ""
      creadline_suspend()
      if !pinned.isEmpty { redrawPinned() }
    }
    if resized { creadline_resize() }
  }

  // MARK: Printing

  /// Prints whole lines above the line being edited.
  public func printAbove(_ text: String, to target: OutputTarget) {
    let descriptor = target == .standardOutput ? STDOUT_FILENO : STDERR_FILENO
    // Output that goes to a file does not touch the line.
    let covers = creadline_is_editing() && isatty(descriptor) != 0
    if covers {
      creadline_hide_line()
      erasePinned()
    }
    // There is nowhere left to report that the terminal is gone; the next read of a key finds out.
    try? FileAccess.writeAll(text.hasSuffix("\n") ? text : text + "\n", to: descriptor, subject: "output")
    if covers {
      drawPinned()
      creadline_show_line()
    }
  }

  // MARK: Pinned lines

  private func redrawPinned() {
    creadline_hide_line()
    erasePinned()
    drawPinned()
    creadline_show_line()
  }

  private func drawPinned() {
    guard !pinned.isEmpty, !creadline_is_dumb() else { return }
    write(pinned)
    drawn = pinned
  }

  /// Takes the lines away, from the row below them.
  private func erasePinned() {
    guard !drawn.isEmpty else { return }
    write("\u{1B}[\(rowsOfPinned)A\r\u{1B}[J")
    drawn = ""
  }

  /// Has a line that was entered close up to what stands above the pinned lines, where all of them are on the screen.
  private func dropPinned(above line: String) {
    guard !drawn.isEmpty else { return }
    let width = CandidateList.width(Self.plain(shownPrompt)) + CandidateList.width(line)
    let columns = max(screenSize.columns, 1)
    let rows = rowsOfPinned + width / columns + 1
    drawn = ""
    guard rows < screenSize.rows, width % columns != 0, !line.contains("\n") else { return }
    write("\u{1B}[\(rows)A\r\u{1B}[J\(shownPrompt)\(line)\n")
  }

  /// The rows that the lines take; the terminal may have become narrower since they were drawn.
  private var rowsOfPinned: Int {
    let columns = max(screenSize.columns, 1)
    return drawn.split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(0) { rows, line in
      rows + max(1, (CandidateList.width(String(line)) + columns - 1) / columns)
    }
  }

  /// A prompt without its colours.
  private static func plain(_ prompt: String) -> String {
    var plain = ""
    var rest = prompt[...]
    while let start = rest.firstIndex(of: "\u{1B}") {
      plain += rest[..<start]
      let end = rest[start...].dropFirst(2).firstIndex { $0.isLetter }
      rest = end.map { rest[rest.index(after: $0)...] } ?? ""
    }
    return plain + rest
  }

  private func write(_ text: String) {
    // There is nowhere left to report that the terminal is gone; the next read of a key finds out.
    try? FileAccess.writeAll(text, to: STDOUT_FILENO, subject: "output")
  }

  // MARK: History

  /// Keeps a statement in memory and in the history file.
  public func addHistory(_ statement: String) throws {
    // The statements that others have entered before it stand before it.
    takeNewHistory()
    guard PastLines.keeps(statement, after: history.last) else { return }
    remember(PastLine(statement, at: time(nil)))
    try historyFile?.append(statement)
  }

  /// Takes in what other sessions have kept meanwhile.
  private func takeNewHistory() {
    for line in (try? historyFile?.newLines()) ?? [] where PastLines.keeps(line.text, after: history.last) {
      remember(line)
    }
  }

  /// Notes how a statement ended, here and in the history file. Where that cannot be written, a later session offers the line.
  public func noteEnd(of statement: String, hasFailed: Bool) {
    if hasFailed { failedStatements.insert(statement) } else { failedStatements.remove(statement) }
    try? historyFile?.noteEnd(of: statement, hasFailed: hasFailed)
  }

  private func remember(_ line: PastLine) {
    history.append(line.text)
    historyTimes.append(line.time)
    if line.hasFailed { failedStatements.insert(line.text) } else { failedStatements.remove(line.text) }
    creadline_add_history(line.text)
  }

  // MARK: Decoration

  /// Shows the line as ``decorator`` says by now.
  public func redecorate() { creadline_redecorate() }

  private func decorate() {
    guard let decorator else { return }
    let decoration = decorator(String(cString: creadline_text()), Int(creadline_cursor()))
    for span in decoration.spans {
      creadline_paint(Int32(span.bytes.lowerBound), Int32(span.bytes.upperBound), span.style.number)
    }
    switch decoration.hint {
    case .form(let text): creadline_hint(creadline_is_multibyte() ? text : text.replacing("…", with: "..."), false)
    case .suggestion(let text):
      if creadline_is_multibyte() || text.utf8.allSatisfy({ $0 < 0x80 }) { creadline_hint(text, true) }
    case nil: break
    }
  }

  // MARK: Keys

  /// Tab.
  private func complete() {
    let line = String(cString: creadline_text())
    let cursor = Int(creadline_cursor())
    guard let completion = completer?(line, cursor), (0...cursor).contains(completion.replaceFrom) else {
      return creadline_ring()
    }
    let word = String(
      decoding: line.utf8.dropFirst(completion.replaceFrom).prefix(cursor - completion.replaceFrom), as: UTF8.self)
    switch CompletionInsertion(completion, word: word) {
    case .replace(let text, let suffix):
      let present = suffix.utf8.elementsEqual(line.utf8.dropFirst(cursor).prefix(suffix.utf8.count))
      let end = present ? cursor + suffix.utf8.count : cursor
      creadline_replace(Int32(completion.replaceFrom), Int32(end), text + suffix)
    case .list:
      let list = CandidateList(completion.candidates, rest: completion.rest)
      printAbove(list.text(rows: screenSize.rows, columns: screenSize.columns), to: .standardOutput)
    case .note(let note):
      let list = CandidateList(completion.candidates, rest: completion.rest)
      printAbove(list.row(behind: note, columns: screenSize.columns), to: .standardOutput)
    case .nothing:
      creadline_ring()
    }
  }

  /// A key to which the user has bound one of readline's own functions, such as `menu-complete` or `possible-completions`.
  private func offer() {
    let cursor = Int(creadline_cursor())
    guard let completion = completer?(String(cString: creadline_text()), cursor),
      (0...cursor).contains(completion.replaceFrom)
    else { return }
    for candidate in completion.candidates {
      let suffix = candidate.suffix.utf8.count == 1 ? candidate.suffix.utf8.first ?? 0 : 0
      creadline_offer(Int32(completion.replaceFrom), candidate.text, CChar(bitPattern: suffix))
    }
  }

  /// Ctrl-X Ctrl-E.
  private func editExternally() {
    let line = String(cString: creadline_text())
    let statement = holdsOpenLines ? line : [openLines, line].compactMap(\.self).joined(separator: "\n")
    let editor = ExternalEditor(until: stopDescriptor) { name in getenv(name).flatMap { String(validatingCString: $0) }
    }
    var failure: LineEditorError?
    creadline_lend_terminal()
    do {
      if let edited = try editor.edit(statement) {
        creadline_replace(0, Int32(line.utf8.count), edited)
        holdsOpenLines = openLines != nil
        if holdsOpenLines { creadline_set_lent_prompt(marked(firstPrompt)) }
      }
    } catch {
      failure = error
    }
    // Ctrl-C in the editor was the editor's.
    _ = creadline_take_interrupt()
    creadline_reclaim_terminal()
    var stop = pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)
    if poll(&stop, 1, 0) > 0 { creadline_note_interrupt() }
    if let failure { printAbove(failure.description, to: .standardError) }
  }
}

extension LineDecoration.Style {
  fileprivate var number: creadline_style {
    switch self {
    case .verb: CREADLINE_VERB
    case .unknown: CREADLINE_UNKNOWN
    case .open: CREADLINE_OPEN
    case .bracket: CREADLINE_BRACKET
    }
  }
}
