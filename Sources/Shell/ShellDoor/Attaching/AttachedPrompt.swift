import Platform
import ShellLanguage
import StoreShell

/// The prompt of a store that is elsewhere. Lines are edited and remembered here; what they mean is known there.
public final class AttachedPrompt {
  private let shell: AttachedShell
  private let editor: any LineEditing
  private let pager: Pager?
  private let pastLines = PastLineIndex()
  private var open: [String] = []
  private var openPrompt: String?
  private var hasLostHistory = false
  /// The number of past lines that were told over there.
  private var told = 0
  /// True while a line stands that is not finished.
  private var isEditing = false
  /// True if what is open here is open over there.
  private var isOpenThere = false
  /// Why the connection was lost while a line was drawn or completed; nil: it was not.
  private var loss: ShellError?
  /// The time until which a lost connection is tried again; nil: it is there.
  private var outage: ContinuousClock.Instant?
  private let reconnect: (() throws(ShellError) -> DoorClient)?
  private let patience: Duration
  /// The time from one attempt to the next.
  private static let pause = Duration.milliseconds(250)

  /// A prompt on an editor.
  ///
  /// - Parameters:
  ///   - pager: the program that shows results that are taller than the screen; nil: they scroll by.
  ///   - patience: the time for which a lost connection is tried again.
  ///   - reconnect: comes in by the door again; nil: a lost connection ends the prompt.
  public init(
    _ shell: AttachedShell, on editor: any LineEditing, pager: Pager? = nil, patience: Duration = .seconds(60),
    reconnect: (() throws(ShellError) -> DoorClient)? = nil
  ) {
    self.shell = shell
    self.editor = editor
    self.pager = pager
    (self.patience, self.reconnect) = (patience, reconnect)
  }

  /// Takes statements until the person leaves, or something outside ends the run.
  ///
  /// - Returns: the status to exit with.
  public func run(until stop: RunStop? = nil) throws -> Int32 {
    stop?.setWake(editor.interruption)
    shell.stop = stop
    shell.interruptDescriptor = editor.interruptDescriptor
    shell.takeInterrupt = { [editor] in editor.takeInterrupt() }
    shell.screenRows = { [editor] in editor.screenSize.rows }
    editor.completer = { [weak self] line, cursor in
      self?.complete(line, cursor) ?? LineCompletion(replaceFrom: cursor)
    }
    do throws(ShellError) {
      return try converse(until: stop)
    } catch {
      // The error starts on a line of its own.
      if isEditing { shell.console.writeError("\n") }
      return shell.report(error)
    }
  }

  private func converse(until stop: RunStop?) throws(ShellError) -> Int32 {
    if let status = try shell.start() { return status }
    // A session begins with its first text: from then on it hears of what others cause.
    _ = try shell.run("", goesOn: true, isAnew: true)
    while true {
      shell.console.flush()
      // A signal has ended a command, and the run.
      if let stopped = stop?.error { return stopped.status }
      let isLost = outage != nil
      editor.decorator = isLost ? nil : decorator
      editor.pinned = isLost ? "" : shell.pinned
      let event: LineEvent
      do {
        event = try editor.nextEvent(
          prompt: prompt, until: isLost ? Self.pause : nil, wakeDescriptors: isLost ? [] : [shell.client.descriptor])
      } catch {
        throw ShellError(describing: error)
      }
      isEditing = event == .woken || event == .deadline
      if let stopped = stop?.error { return stopped.status }
      if let loss {
        self.loss = nil
        try aboveLine { () throws(ShellError) in try lose(loss) }
      }
      switch event {
      case .line(let line): if let status = try take(line, isAnew: false) { return status }
      case .statement(let text): if let status = try take(text, isAnew: true) { return status }
      case .interrupted(let hadText):
        if !hadText, open.isEmpty { shell.console.writeError("(Ctrl-D or quit leaves)\n") }
        forget()
      case .endOfInput:
        guard !open.isEmpty else {
          guard outage == nil else { return 6 }
          // The host answers with the fate of the run.
          if shell.openRun != nil { _ = try shell.run("quit\n", goesOn: true, isAnew: true) }
          return 0
        }
        forget()
      case .hangUp: return 128 + SIGHUP
      case .deadline, .woken:
        try aboveLine { () throws(ShellError) in try outage == nil ? showEvents() : tryAgain() }
        if shell.takeNewLook() { editor.redecorate() }
        continue
      }
      editor.openLines = open.isEmpty ? nil : open.joined(separator: "\n")
    }
  }

  private var prompt: String {
    guard outage != nil, openPrompt == nil, let end = shell.prompt.lastIndex(of: ">") else {
      return openPrompt ?? shell.prompt
    }
    return "\(shell.prompt[..<end]) (lost)\(shell.prompt[end...])"
  }

  private func forget() { (open, openPrompt, isOpenThere) = ([], nil, false) }

  /// Prints above the line where one is being edited.
  private func aboveLine(_ body: () throws(ShellError) -> Void) throws(ShellError) {
    guard isEditing else { return try body() }
    shell.console.interceptor = { [editor] text, target in
      editor.printAbove(String(decoding: text, as: UTF8.self), to: target)
    }
    defer { shell.console.interceptor = nil }
    try body()
    shell.console.flush()
  }

  private func showEvents() throws(ShellError) {
    do throws(ShellError) {
      try shell.showEvents()
    } catch {
      try lose(error)
    }
  }

  /// Begins to try a lost connection again.
  ///
  /// - Throws: the error itself, where nothing is to be tried.
  private func lose(_ error: ShellError) throws(ShellError) {
    guard reconnect != nil, error.code == .connectionLost, shell.client.isLost else { throw error }
    guard outage == nil else { return }
    _ = shell.report(error)
    shell.note("the connection is tried again for \(patience.components.seconds)s; Ctrl-D leaves")
    outage = .now + patience
    // Another conversation knows nothing of what this one was told.
    (told, isOpenThere) = (0, false)
  }

  /// Tries a lost connection again.
  private func tryAgain() throws(ShellError) {
    guard let reconnect, let end = outage else { return }
    // A door may be silent.
    let key = InterruptKey()
    defer { key?.release() }
    let client: DoorClient
    do throws(ShellError) {
      client = try reconnect()
    } catch {
      // The editor takes what interrupts it.
      guard [.noDoor, .connectionLost, .interrupted].contains(error.code) else { throw error }
      guard .now > end else { return }
      throw ShellError(
        code: .connectionLost,
        message: "\(shell.client.address.text) is not back within \(patience.components.seconds)s", status: 6)
    }
    outage = nil
    do throws(ShellError) {
      try shell.goOn(by: client)
    } catch {
      guard shell.client === client else { throw error }
      try lose(error)
    }
  }

  /// Has a line run, or what it completes.
  ///
  /// - Returns: the status to leave with; nil: it goes on.
  private func take(_ line: String, isAnew: Bool) throws(ShellError) -> Int32? {
    let startsAnew = isAnew || open.isEmpty
    if isAnew { open = [] }
    open.append(line)
    guard open.contains(where: { $0.contains { !$0.isWhitespace } }) else {
      forget()
      return nil
    }
    if startsAnew, let recalled = PastLines.recalled(by: line, from: editor.history) {
      forget()
      switch recalled {
      case .success(let line): editor.proposedLine = line
      case .failure(let error): _ = shell.report(error)
      }
      return nil
    }
    if startsAnew, let command = OwnShell.line(of: line) {
      forget()
      remember(line)
      runHere(command, of: line)
      return nil
    }
    guard outage == nil else {
      open.removeLast()
      guard line.split(separator: " ") != ["quit"] else { return 6 }
      _ = shell.report(
        ShellError(
          code: .connectionLost, message: "\(shell.client.address.text) is not back yet",
          hint: "Enter gives the line once it is; Ctrl-D leaves", status: 6))
      editor.proposedLine = line
      return nil
    }
    // Lines are remembered here; those that were not given yet are given with the next one.
    let lines = editor.pastLines
    let past = PastLines.newest(of: lines[told...])
    told = lines.count
    var outcome: Result<AttachedShell.Outcome, ShellError> = .success(AttachedShell.Outcome())
    shell.console.paging(with: pager, until: editor.interruptDescriptor) {
      outcome = Result { () throws(ShellError) in
        // Another conversation may have taken the lines before.
        try shell.run(
          (isOpenThere ? line : open.joined(separator: "\n")) + "\n", goesOn: true, isAnew: !isOpenThere,
          pastLines: past, firstPastLine: lines.count - past.count + 1)
      }
    }
    let done: AttachedShell.Outcome
    do throws(ShellError) {
      done = try outcome.get()
    } catch  where error.code == .lineTooLong {
      forget()
      _ = shell.report(error)
      return nil
    } catch  where shell.client.isLost {
      remember(open.joined(separator: "\n"))
      forget()
      try lose(error)
      return nil
    }
    openPrompt = done.open
    isOpenThere = done.open != nil
    if done.open == nil {
      remember(open.joined(separator: "\n"))
      note(PastLines.kept(open.joined(separator: "\n")), hasFailed: done.status != 0)
      forget()
    }
    return done.quit
  }

  /// Has the person's own shell run a line at this end: the store over there is not told.
  private func runHere(_ command: String, of line: String) {
    do throws(ShellError) {
      guard shell.options.runsPrograms else {
        throw ShellError(code: .notAllowed, message: "programs may not be run here (--no-exec)")
      }
      guard !command.isEmpty else {
        throw ShellError(code: .missingArgument, message: "! needs a line for your shell", hint: "usage: ! LINE")
      }
      shell.console.flush()
      try OwnShell.run(command, until: editor.interruptDescriptor)
      note(line, hasFailed: false)
    } catch {
      note(line, hasFailed: true)
      _ = editor.takeInterrupt()
      _ = shell.report(error)
    }
  }

  /// The look of lines; nil: they are plain.
  private var decorator: ((_ line: String, _ cursor: Int) -> LineDecoration)? {
    guard shell.decorates else { return nil }
    return { [weak self] line, cursor in self?.decorate(line, cursor) ?? LineDecoration() }
  }

  private func decorate(_ line: String, _ cursor: Int) -> LineDecoration? {
    guard outage == nil, loss == nil else { return nil }
    pastLines.take(editor.history, failed: editor.failedStatements)
    do throws(ShellError) {
      return try shell.decoration(
        of: AttachedLook.Line(text: line, cursor: cursor, openLines: open), past: pastLines)
    } catch {
      loss = error
      return nil
    }
  }

  private func complete(_ line: String, _ cursor: Int) -> LineCompletion? {
    guard outage == nil, loss == nil else { return nil }
    // A door may be silent.
    let key = InterruptKey()
    defer { key?.release() }
    do throws(ShellError) {
      return try shell.complete(line, cursor, openLines: open)
    } catch {
      if error.code != .lineTooLong { loss = error }
      return nil
    }
  }

  private func note(_ line: String, hasFailed: Bool) {
    pastLines.note(line, hasFailed: hasFailed)
    editor.noteEnd(of: line, hasFailed: hasFailed)
  }

  private func remember(_ text: String) {
    do {
      try editor.addHistory(PastLines.kept(text))
    } catch {
      guard !hasLostHistory else { return }
      hasLostHistory = true
      shell.console.write(note: "lines are kept for this session only: \(error)")
    }
  }
}
