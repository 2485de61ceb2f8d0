/// A command line of the system's shell that reads a text, as `| command` and the pager do, or the terminal, as an editor
/// does.
package struct ShellCommand {
  package let line: String
  /// Takes what it writes to standard output, as it comes; nil: it writes to ours.
  package var receiver: (([UInt8]) -> Void)?
  /// The terminal where what is taken is shown: it finds one like it behind its standard output; nil: it finds a pipe.
  package var terminal: Int32?
  /// The command is ended, with all that it has started, once one of these descriptors is readable.
  package var stops: [Int32] = []
  /// The same once the other end of one of these sockets is closed.
  package var connections: [Int32] = []
  /// True if it reads from our standard input instead of a text.
  package var readsTerminal = false
  /// The arguments that the line finds as `$1` and so on.
  package var arguments: [String] = []
  package var shell = "/bin/sh"

  /// A command line, and what becomes of its output.
  package init(
    line: String, receiver: (([UInt8]) -> Void)? = nil, terminal: Int32? = nil, stops: [Int32] = [],
    readsTerminal: Bool = false
  ) {
    self.line = line
    self.receiver = receiver
    self.terminal = terminal
    self.stops = stops
    self.readsTerminal = readsTerminal
  }

  /// The time that a command has to end by itself when it is told to.
  private static let grace = Duration.seconds(1)

  /// Runs it to its end. Input that the command leaves unread is no failure.
  ///
  /// - Throws: `FileError` where it cannot be started.
  package func run(_ input: [UInt8]) throws(FileError) -> ProgramEnding {
    let given = readsTerminal ? nil : Pipe()
    guard readsTerminal || given != nil else { throw FileError(path: line, code: errno) }
    let taken = receiver == nil ? nil : terminal.flatMap { Pipe(like: $0) } ?? Pipe()
    let process: ChildProcess
    do {
      defer {
        if let given { close(given.read) }
        if let taken { close(taken.write) }
      }
      process = try ChildProcess(
        shell: line, arguments, at: shell, input: given?.read ?? STDIN_FILENO, output: taken?.write)
    } catch {
      if let given { close(given.write) }
      if let taken { close(taken.read) }
      throw error
    }
    // A command that reads no more, such as head, is no failure.
    let former = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, former) }
    var run = ShellCommandRun(
      process, input: given?.write ?? -1, output: taken?.read ?? -1, receiver: receiver, terminal: terminal,
      stops: stops, connections: connections, grace: Self.grace)
    run.toEnd(rest: input[...])
    return run.ending
  }
}

/// A command line while it runs.
private struct ShellCommandRun {
  private let process: ChildProcess
  private let stops: [Int32]
  private let connections: [Int32]
  private let grace: Duration
  /// The descriptor that the command reads from; -1: all is written, or the command reads no more.
  private var input: Int32
  /// The descriptor that the command writes to; -1: nobody takes its output.
  private var output: Int32
  private let receiver: (([UInt8]) -> Void)?
  /// The terminal whose size what it writes to has.
  private let terminal: Int32?
  private var loan = TerminalLoan()
  private var isStopping = false
  private var deadline: ContinuousClock.Instant?
  /// The way in which the command ended.
  private(set) var ending = ProgramEnding.exited(0)

  init(
    _ process: ChildProcess, input: Int32, output: Int32, receiver: (([UInt8]) -> Void)?,
    terminal: Int32?, stops: [Int32], connections: [Int32], grace: Duration
  ) {
    self.process = process
    self.input = input
    self.output = output
    self.receiver = receiver
    self.terminal = terminal
    self.stops = stops.filter { $0 >= 0 }
    self.connections = connections.filter { $0 >= 0 }
    self.grace = grace
    for end in [input, output] where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  mutating func toEnd(rest: ArraySlice<UInt8>) {
    var rest = rest
    while true {
      var sources = [
        pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      ]
      if !isStopping {
        sources += stops.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        sources += connections.map { pollfd(fd: $0, events: Pipe.closedConnection, revents: 0) }
      }
      let count = poll(&sources, nfds_t(sources.count), milliseconds)
      if count < 0, errno != EINTR { break }
      endLateOne()
      passOnSize()
      if count > 0 {
        if sources[1].revents != 0 { give(&rest) }
        if sources[2].revents != 0 { take() }
        if sources.dropFirst(3).contains(where: { $0.revents != 0 }) { stop() }
      }
      if hasEnded() { break }
    }
    finish()
  }

  /// The longest time to wait for something to happen.
  private var milliseconds: Int32 {
    guard let deadline else { return process.pause }
    return Int32(max(0, min(((deadline - .now) / .milliseconds(1)).rounded(.up), Double(process.pause))))
  }

  /// Makes what it writes to as large as the terminal is by now: the terminal tells only those who stand in the foreground.
  private func passOnSize() {
    var size = winsize()
    var known = winsize()
    guard let terminal, output >= 0, ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0,
      ioctl(output, UInt(TIOCGWINSZ), &known) == 0, (size.ws_row, size.ws_col) != (known.ws_row, known.ws_col)
    else { return }
    _ = ioctl(output, UInt(TIOCSWINSZ), &size)
    process.signal(SIGWINCH)
  }

  private mutating func give(_ rest: inout ArraySlice<UInt8>) {
    let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) }
    guard rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) else { return }
    close(input)
    input = -1
  }

  /// Hands on what it has written so far.
  private mutating func take() {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(output, &block, block.count)
      if count > 0 {
        receiver?(Array(block[..<count]))
      } else {
        if count < 0, errno == EINTR { continue }
        guard count == 0 || errno != EAGAIN else { return }
        close(output)
        output = -1
        return
      }
    }
  }

  /// Tells it to end.
  private mutating func stop() {
    isStopping = true
    deadline = .now + grace
    process.signal(SIGTERM)
    process.signal(SIGCONT)
  }

  private mutating func endLateOne() {
    guard let limit = deadline, limit <= .now else { return }
    deadline = nil
    process.signal(SIGKILL)
  }

  /// Returns true if the command has ended; a command that was stopped instead goes on when it can.
  private mutating func hasEnded() -> Bool {
    guard let event = process.takeEvent() else { return false }
    guard case .stopped(let number) = event else { return true }
    let wantsTerminal = [SIGTTIN, SIGTTOU].contains(number)
    if !(wantsTerminal && loan.lend(to: process.id)) { suspend(by: number, wantsTerminal: wantsTerminal) }
    process.signal(SIGCONT)
    return false
  }

  /// Stops us too, as the terminal does with all who stand in the foreground; we are back when somebody continues us.
  private mutating func suspend(by number: Int32, wantsTerminal: Bool) {
    let wasLent = loan.isLent
    loan.end()
    kill(0, number)
    // A command that cannot have the terminal would wait for ever.
    if wasLent || wantsTerminal, !loan.lend(to: process.id), wantsTerminal { process.signal(SIGTERM) }
  }

  private mutating func finish() {
    if output >= 0 { take() }
    for end in [input, output] where end >= 0 { close(end) }
    let hadTerminal = loan.isLent
    let status = process.reap()
    loan.end()
    let number = status & 0x7F
    ending = number == 0 ? .exited(status >> 8 & 0xFF) : .signalled(number)
    if isStopping {
      ending = .interrupted
      endRest()
    } else if hadTerminal, number == SIGINT {
      ending = .interrupted
      passOnInterrupt()
    }
  }

  /// Ends what it has started, which was told to end with it. A process that has ended counts until its parent asks for
  /// it, which may take a while: nobody waits long for that.
  private func endRest() {
    for _ in 0..<10 {
      guard process.hasGroup else { return }
      usleep(10_000)
    }
    process.signal(SIGKILL)
  }

  /// Ctrl-C was meant for us as well, but the terminal told only the one that had it.
  private func passOnInterrupt() {
    kill(getpid(), SIGINT)
    var sources = stops.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&sources, nfds_t(sources.count), 1000)
  }
}
