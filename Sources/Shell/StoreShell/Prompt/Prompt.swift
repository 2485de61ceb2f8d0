import Platform
import ShellLanguage

/// The conversation with a person: reads statements line by line, shows what is open, prints above the line.
public final class Prompt {
  private let session: Session
  private let editor: any LineEditing
  private var open: [String] = []
  /// The lines that were typed ahead of a question.
  private var postponed: [String] = []
  private let pager: Pager?
  private let pastLines = PastLineIndex()
  /// True if it was said that lines cannot be stored for later sessions.
  private var hasLostHistory = false
  /// The time, by the clock on the wall, from which on the pinned values are looked at again.
  private var nextLook = Duration.zero
  /// Lets something outside end the conversation, such as a signal.
  public var stop: RunStop?

  /// A prompt of a session on an editor. From now on the session may ask questions there, also before ``run()``.
  ///
  /// - Parameter pager: the program that shows results that are taller than the screen; nil: they scroll by.
  public init(_ session: Session, on editor: any LineEditing, pager: Pager? = nil) {
    self.session = session
    self.editor = editor
    self.pager = pager
    session.ask = { [weak self] question in self?.answer(to: question) }
    session.person.postpone = { [weak self] in self?.postponed.append($0) }
  }

  /// Runs the file with statements that the prompt starts with; Ctrl-C ends it.
  public func run(initFile file: String) {
    listen()
    _ = InterruptWatch.run(editor.interruptDescriptor, session.interruptHandlers) { session.run(initFile: file) }
  }

  /// Has the session obey what comes from the terminal and from outside.
  private func listen() {
    session.obey(stop)
    stop?.setWake(editor.interruption)
    session.expectPrompt()
    session.interrupts.take = { [editor] in editor.takeInterrupt() }
    session.interrupts.descriptor = editor.interruptDescriptor
    session.console.delivery.interrupt = editor.interruptDescriptor
  }

  /// Takes statements until the person leaves.
  ///
  /// - Returns: the status to exit with.
  public func run() throws -> Int32 {
    session.running.origin = .prompt
    session.greet()
    session.store.live.setDefaultPurity(.always)
    let completer = Completer(session)
    editor.completer = { [weak self] line, cursor in
      completer.complete(
        line: line, cursor: cursor, openLines: self?.open ?? [], ignoresCase: self?.editor.ignoresCase ?? false)
    }
    session.person.pastLines = { [editor] in editor.pastLines }
    listen()
    var number = 0
    while !session.hasQuit {
      // The next prompt also answers a statement that printed nothing.
      session.console.flush()
      session.writeOutputFailure()
      if let status = session.stoppedStatus() { return status }
      followPins()
      let continuation = open.isEmpty ? nil : continuation
      editor.decorator = decorator
      let event =
        postponed.isEmpty
        ? try editor.nextEvent(
          prompt: continuation?.prompt ?? session.prompt, until: untilNext,
          wakeDescriptors: session.wakeDescriptors) : .line(postponed.removeFirst())
      switch event {
      case .line(let line): try take(line, number: &number)
      case .statement(let text):
        open = []
        try take(text, number: &number)
      case .interrupted(let hadText):
        if !hadText, open.isEmpty, stop?.isStopped != true { session.console.writeError("(Ctrl-D or quit leaves)\n") }
        open = []
      case .endOfInput:
        guard open.isEmpty else {
          open = []
          continue
        }
        return 0
      case .hangUp:
        // The signal may come later, or never.
        stop?.stop(.signal(SIGHUP))
        return 128 + SIGHUP
      case .deadline, .woken:
        // The line goes on being edited; what tasks say appears above it.
        session.console.interceptor = { [editor] text, target in
          editor.printAbove(String(decoding: text, as: UTF8.self), to: target)
        }
        session.runDue()
        session.console.interceptor = nil
        continue
      }
      editor.openLines = open.isEmpty ? nil : open.joined(separator: "\n")
    }
    return session.status
  }

  /// Has the editor show the pinned values, ten times a second at most.
  private func followPins() {
    let now = session.clock.wallTime()
    guard now >= nextLook || session.pins.isEmpty else { return }
    nextLook = now + .milliseconds(100)
    let (rows, columns) = editor.screenSize
    editor.pinned = session.pinned(rows: rows, columns: columns)
  }

  /// The time until something is to be done without a key.
  private var untilNext: Duration? {
    guard !session.pins.isEmpty else { return session.untilNext }
    let rest = max(nextLook - session.clock.wallTime(), .zero)
    return min(session.untilNext ?? rest, rest)
  }

  /// The look of lines; nil: they are plain.
  private var decorator: ((_ line: String, _ cursor: Int) -> LineDecoration)? {
    guard session.options.usesColor, session.settings.highlights || session.settings.showsHints else { return nil }
    return { [weak self] line, cursor in
      guard let self else { return LineDecoration() }
      pastLines.take(editor.history, failed: editor.failedStatements)
      return LineDecorator(session).decoration(of: line, cursor: cursor, openLines: open, past: pastLines)
    }
  }

  private var continuation: Continuation? {
    StatementReader.continuation(of: open.joined(separator: "\n"), grammar: session.grammar)
  }

  // A text is scanned twice: all of it must be whole before any of it runs, and each statement is read once those before it
  // have run, which may bring the verbs that it is read by.
  private func take(_ line: String, number: inout Int) throws {
    open.append(line)
    guard continuation == nil else { return }
    let text = open.joined(separator: "\n")
    open = []
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    if let recalled = PastLines.recalled(by: text, from: editor.history) {
      switch recalled {
      case .success(let line): editor.proposedLine = line
      case .failure(let error): _ = session.writeError(error)
      }
      return
    }
    remember(text)
    var reader = StatementReader(Array(text.utf8), grammar: session.grammar)
    var isInterrupted = false
    let before = session.outcome.tally.failed
    defer {
      let (line, hasFailed) = (PastLines.kept(text), session.outcome.tally.failed > before)
      pastLines.note(line, hasFailed: hasFailed)
      editor.noteEnd(of: line, hasFailed: hasFailed)
    }
    // A pasted text may hold several statements; each has a number of its own.
    while !session.hasQuit {
      do throws(SyntaxFault) {
        guard let read = try reader.next() else { return }
        number += 1
        let statement = read.numbered(number)
        session.console.paging(with: pager, until: session.interrupts.descriptor) {
          let presses = InterruptWatch.run(editor.interruptDescriptor, session.interruptHandlers) {
            isInterrupted = session.run(statement) == ShellError.interrupted.status
          }
          if presses > 0 { session.followInterruption(statement, wasRepeated: presses > 1) }
          isInterrupted = isInterrupted || presses > 0
        }
        session.followDroppedResults(of: statement)
        // Ctrl-C is meant for all that was entered at once.
        if isInterrupted { return try noteRest(of: reader) }
      } catch {
        number += 1
        session.console.transcribe(error, program: session.options.name)
        session.report(error)
        return
      }
    }
  }

  /// Says where statements were not run.
  private func noteRest(of reader: StatementReader) throws(SyntaxFault) {
    var reader = reader
    if try reader.next() != nil { session.console.write(note: "the lines entered with it were not run") }
  }

  /// Keeps a statement in the history, and says once where later sessions will not find it.
  private func remember(_ text: String) {
    do {
      try editor.addHistory(PastLines.kept(text))
    } catch {
      guard !hasLostHistory else { return }
      hasLostHistory = true
      session.console.write(note: "lines are kept for this session only: \(error)")
    }
  }

  /// Asks a question on a line of its own.
  private func answer(to question: String) -> String? {
    session.console.flush()
    let lines = question.split(separator: "\n", omittingEmptySubsequences: false)
    session.console.writeError(lines.dropLast().map { "\($0)\n" }.joined())
    let (completer, decorator) = (editor.completer, editor.decorator)
    (editor.completer, editor.decorator) = (nil, nil)
    defer { (editor.completer, editor.decorator) = (completer, decorator) }
    guard
      case .line(let line) = try? editor.nextEvent(
        prompt: String(lines.last ?? ""), until: nil, wakeDescriptors: [])
    else { return nil }
    return line
  }
}
