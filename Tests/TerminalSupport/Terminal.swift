import Glibc

/// A program on a pseudo-terminal of its own, and what a person sees there.
public final class Terminal {
  /// What the terminal shows.
  public private(set) var screen: TerminalScreen
  /// Whether `screen` follows what the program writes. One that a million bytes are pasted to has no use for a picture.
  public var isWatched = true
  /// Every byte that the program has written to the terminal.
  public private(set) var output: [UInt8] = []
  private var process: pid_t = 0
  private var terminal: Int32 = -1
  /// Kept open, so that the terminal outlives its program.
  private var programEnd: Int32 = -1
  private var hasEnded = false
  private var undecoded: [UInt8] = []

  /// Starts a program on a terminal of 24 rows.
  public init(_ launch: Launch, columns: Int) throws {
    screen = TerminalScreen(columns: columns)
    try ProgramFailure.check("openpty", openpty(&terminal, &programEnd, nil, nil, nil))
    // Another test's program must not keep this terminal open.
    for end in [terminal, programEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
    var name = [CChar](repeating: 0, count: 64)
    try ProgramFailure.check("ttyname", -ttyname_r(programEnd, &name, name.count))
    resize(columns: columns)
    var launch = launch
    launch.terminal = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    process = try launch.start()
  }

  deinit {
    if !hasEnded, process > 0 {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(terminal)
    close(programEnd)
  }

  // MARK: What a person does

  /// Presses keys.
  public func type(_ keys: String) { type(Array(keys.utf8)) }

  /// Presses keys of any bytes. What the program writes meanwhile is read, so that neither waits for the other.
  public func type(_ keys: [UInt8]) {
    var rest = keys[...]
    let limit = ContinuousClock.now + .seconds(60)
    while !rest.isEmpty, ContinuousClock.now < limit {
      let count = rest.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else {
        guard errno == EAGAIN, read(within: 1) else { return }
      }
    }
  }

  /// Looks on for some milliseconds while the program writes.
  public func lookOn(milliseconds: Int32) {
    let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while case let left = Int32((end - .now) / .milliseconds(1)), left > 0, read(within: left) {}
  }

  /// Makes the window wider or narrower.
  public func resize(columns: Int) {
    screen.resize(columns: columns)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Closes the window: the program is told, and its terminal is gone.
  public func hangUp() {
    for end in [terminal, programEnd] { close(end) }
    (terminal, programEnd) = (-1, -1)
  }

  /// Sends the program a signal.
  public func signal(_ number: Int32) {
    kill(process, number)
  }

  // MARK: What a person sees

  /// Reads what the program writes until the screen is as expected.
  public func wait(for what: String, until isReached: (TerminalScreen) -> Bool) throws {
    let limit = ContinuousClock.now + .seconds(60)
    while !isReached(screen) {
      guard ContinuousClock.now < limit, read() else {
        let picture = screen.picture.joined(separator: "\n")
        throw ProgramFailure("waited in vain for \(what); the cursor is at column \(screen.column) of:\n\(picture)")
      }
    }
  }

  /// Waits until a row reads `line`.
  public func waitForLine(_ line: String) throws {
    try wait(for: "the line '\(line)'") { $0.lines.contains(line) }
  }

  /// Waits until the cursor's row reads `line`.
  public func waitForCursorLine(_ line: String) throws {
    try wait(for: "the cursor on '\(line)'") { $0.cursorLine == line }
  }

  /// Shows what came so far as if a line of it had not come.
  public func leaveOut(lineEndingWith ending: String) {
    let text = String(decoding: output, as: UTF8.self)
    guard let range = text.firstRange(of: "\(ending)\r\n") ?? text.firstRange(of: "\(ending)\n") else { return }
    let start = text[..<range.lowerBound].lastIndex { $0.isNewline }.map { text.index(after: $0) } ?? text.startIndex
    let rest = text[..<start] + text[range.upperBound...]
    output = Array(rest.utf8)
    screen = TerminalScreen(columns: screen.columns)
    screen.show(String(rest))
  }

  /// Looks away from what was shown so far: an empty screen follows what comes now.
  public func clearScreen() {
    screen = TerminalScreen(columns: screen.columns)
    undecoded = []
    isWatched = true
  }

  /// Whether the program has ended, by itself or by a signal.
  public var isOver: Bool {
    var info = siginfo_t()
    return hasEnded || waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
  }

  /// Waits for the program's end and answers with its exit status; 128 and the signal's number where one ended it.
  public func waitForEnd() throws -> Int32 {
    var status: Int32 = 0
    let limit = ContinuousClock.now + .seconds(60)
    while waitpid(process, &status, WNOHANG) == 0 {
      guard ContinuousClock.now < limit else { throw ProgramFailure("the program does not end") }
      _ = read()
    }
    hasEnded = true
    while read() {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Whether the terminal echoes and edits lines by itself, as programs expect it to.
  public var isInUsualMode: Bool {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return modes.c_lflag & UInt32(ECHO | ICANON) == UInt32(ECHO | ICANON)
  }

  /// Waits until the program takes keys one by one, or until it takes lines, with the end of the line before them shown:
  /// Ctrl-C has the terminal discard output that nobody has read.
  public func waitForKeys(_ takesKeys: Bool) throws {
    try wait(for: takesKeys ? "keys one by one" : "whole lines") {
      isInUsualMode != takesKeys && (takesKeys || $0.column == 0)
    }
  }

  /// Waits until Ctrl-C is a signal, although the program takes keys one by one.
  public func waitForSignals() throws {
    try wait(for: "a signal at Ctrl-C") { _ in
      var modes = termios()
      tcgetattr(terminal, &modes)
      return withUnsafeBytes(of: modes.c_cc) { $0[Int(VINTR)] } == 3
    }
  }

  /// False when nothing can come any more.
  private func read(within milliseconds: Int32 = 50) -> Bool {
    var source = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    guard poll(&source, 1, milliseconds) > 0 else { return !hasEnded }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(terminal, &buffer, buffer.count)
    guard count > 0 else { return false }
    output += buffer[..<count]
    guard isWatched else { return true }
    undecoded += buffer[..<count]
    // A chunk may end inside a character.
    while !undecoded.isEmpty, let text = String(validating: undecoded, as: UTF8.self) {
      screen.show(text)
      undecoded = []
    }
    return true
  }
}
