/// A program that runs to its end, without a shell in between: it gets a text to read, and its output is taken. It has no terminal
/// and none of our descriptors, and ends with all that it has started.
package struct ProgramRun {
  /// The program, by its path or to be found by `PATH`, and its arguments.
  package var words: [String]
  /// The text that it reads.
  package var input: [UInt8] = []
  /// The folder that it runs in; nil: ours.
  package var folder: String?
  /// The time that it may take; nil: any.
  package var timeout: Duration?
  /// The number of bytes that it may write, to each of its outputs.
  package var mostBytes = 16 << 20
  /// It is ended once one of these descriptors is readable.
  package var stops: [Int32] = []
  /// It is ended once the other end of one of these sockets is closed.
  package var connections: [Int32] = []
  /// Takes what it writes, as it comes, to standard output or to standard error; nil: the result holds it. False: nobody reads it any
  /// more, and the program finds so, as in a pipe.
  package var receiver: ((_ bytes: [UInt8], _ isError: Bool) -> Bool)?

  package init(_ words: [String]) { self.words = words }

  package struct Result {
    /// The status that it ended with; 128 and the number of the signal that ended it.
    package let status: Int
    /// The number of the signal that ended it; nil: none did.
    package let signal: Int?
    package let output: [UInt8]
    package let errors: [UInt8]

    package init(_ ending: ProgramEnding, output: [UInt8] = [], errors: [UInt8] = []) {
      switch ending {
      case .exited(let status): (self.status, signal) = (Int(status), nil)
      case .signalled(let number): (status, signal) = (128 + Int(number), Int(number))
      case .interrupted: (status, signal) = (128 + Int(SIGINT), Int(SIGINT))
      }
      (self.output, self.errors) = (output, errors)
    }
  }

  /// Why there is no result.
  package enum Failure: Error {
    /// It cannot be started.
    case notStarted(FileError)
    /// There is no such folder to run in.
    case noFolder(String)
    /// Whoever would run it does not, for that reason.
    case refused(String)
    /// Its time is over.
    case timeOver(Duration)
    /// It wrote more than it may.
    case tooMuch(Int)
    /// A descriptor told it to end.
    case stopped
  }

  package func toEnd() throws(Failure) -> Result {
    let program = try start()
    return try collect { () throws(Failure) in
      try program.next()
    } refuse: { isError in
      program.refuse(isError: isError)
    }
  }

  package func start() throws(Failure) -> RunningProgram {
    if let folder, !Files.isDirectory(folder) { throw .noFolder(folder) }
    guard let given = Pipe(), let output = Pipe(), let errors = Pipe() else {
      throw .notStarted(FileError(path: words[0], code: errno))
    }
    do {
      defer { for end in [given.read, output.write, errors.write] { close(end) } }
      var start = ProcessStart()
      start.descriptors = [(given.read, 0), (output.write, 1), (errors.write, 2)]
      start.folder = folder
      start.hasOwnSession = true
      return RunningProgram(try start.run(words), given.write, output.read, errors.read, self)
    } catch {
      for end in [given.write, output.read, errors.read] { close(end) }
      throw .notStarted(error)
    }
  }

  /// Takes all that a program writes, wherever it runs, up to its end.
  ///
  /// - Parameters:
  ///   - next: waits for its next event.
  ///   - refuse: has it find that nobody reads one of its outputs any more.
  package func collect(
    _ next: () throws(Failure) -> ProgramEvent, refuse: (_ isError: Bool) -> Void
  ) throws(Failure) -> Result {
    var (taken, counts): ([[UInt8]], [Int]) = ([[], []], [0, 0])
    while true {
      switch try next() {
      case .wrote(let bytes, let isError):
        let index = isError ? 1 : 0
        counts[index] += bytes.count
        guard counts[index] <= mostBytes else { throw .tooMuch(mostBytes) }
        if let receiver {
          if !receiver(bytes, isError) { refuse(isError) }
        } else {
          taken[index] += bytes
        }
      case .ended(let ending): return Result(ending, output: taken[0], errors: taken[1])
      }
    }
  }
}

/// The ways in which a program or a command line ends.
package enum ProgramEnding: Hashable, Sendable {
  /// With that status.
  case exited(Int32)
  /// By a signal of that number.
  case signalled(Int32)
  /// Because it was to stop, or by Ctrl-C on the terminal that it had been given.
  case interrupted
}

package enum ProgramEvent {
  /// It wrote bytes, 64 KiB at most, to standard output or to standard error.
  case wrote([UInt8], isError: Bool)
  case ended(ProgramEnding)
}

/// A program while it runs. It waits for its reader, as behind a pipe, and ends where nobody holds it any more.
package final class RunningProgram {
  private let process: pid_t
  private let plan: ProgramRun
  private var input: Int32
  /// The ends that its outputs are read from; -1: it has closed that one.
  private var ends: [Int32]
  private var rest: ArraySlice<UInt8>
  private let start = ContinuousClock.now
  /// The status of the program as `waitpid` gives it; nil: it has not ended.
  private var status: Int32?
  private var turn = 0
  /// The blocks that are still read of each output once it has ended: as much as a pipe holds.
  private var left = [16, 16]
  /// The milliseconds of the last wait behind the end of its outputs.
  private var idle: Int32 = 0
  /// The longest wait, in milliseconds.
  private static let moment: Int32 = 50
  private var hasEnded = false

  fileprivate init(_ process: pid_t, _ input: Int32, _ output: Int32, _ errors: Int32, _ plan: ProgramRun) {
    self.process = process
    self.plan = plan
    self.input = input
    ends = [output, errors]
    rest = plan.input[...]
    for end in [input, output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    if rest.isEmpty { endInput() }
  }

  deinit { end() }

  /// Waits for its next event; behind the end there is none.
  ///
  /// - Throws: `ProgramRun.Failure` where it is to end before its time, and has.
  package func next() throws(ProgramRun.Failure) -> ProgramEvent {
    do throws(ProgramRun.Failure) {
      while true {
        if let status { return remains(after: status) }
        if let bytes = try wait() { return bytes }
        var found: Int32 = 0
        if waitpid(process, &found, WNOHANG) == process {
          status = found
          // The rest of its group ends with it, and holds no pipe any longer.
          kill(-process, SIGKILL)
          Lifeline.release(process)
        }
      }
    } catch {
      end()
      throw error
    }
  }

  /// Reads one of its outputs no further.
  package func refuse(isError: Bool) { closeEnd(isError ? 1 : 0) }

  /// What it wrote before it ended, and then its end.
  private func remains(after status: Int32) -> ProgramEvent {
    for index in ends.indices {
      while left[index] > 0, ends[index] >= 0 {
        left[index] -= 1
        if let bytes = read(index) { return .wrote(bytes, isError: index == 1) }
      }
    }
    hasEnded = true
    closeAll()
    let number = status & 0x7F
    return .ended(number == 0 ? .exited(status >> 8 & 0xFF) : .signalled(number))
  }

  /// Waits until something happens, for a moment at most: what it has started may hold its outputs open.
  private func wait() throws(ProgramRun.Failure) -> ProgramEvent? {
    var sources = ([input] + ends).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    sources[0].events = Int16(POLLOUT)
    sources += plan.stops.filter { $0 >= 0 }.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    sources += plan.connections.filter { $0 >= 0 }.map { pollfd(fd: $0, events: Pipe.closedConnection, revents: 0) }
    // Behind the end of its outputs its own end mostly follows at once.
    let isOpen = ends != [-1, -1]
    idle = isOpen ? 0 : min(idle + 1, Self.moment)
    let count = poll(&sources, nfds_t(sources.count), isOpen ? Self.moment : idle)
    if let limit = plan.timeout, ContinuousClock.now - start >= limit { throw .timeOver(limit) }
    guard count > 0 else { return nil }
    if sources.dropFirst(3).contains(where: { $0.revents != 0 }) { throw .stopped }
    if input >= 0, sources[0].revents != 0 { give() }
    for index in [turn, 1 - turn] where sources[index + 1].revents != 0 {
      guard let bytes = read(index) else { continue }
      turn = 1 - index
      return .wrote(bytes, isError: index == 1)
    }
    return nil
  }

  private func give() {
    // A program that reads no more is no failure.
    let former = signal(SIGPIPE, SIG_IGN)
    let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    let code = errno
    signal(SIGPIPE, former)
    if count > 0 { rest = rest.dropFirst(count) }
    guard rest.isEmpty || (count < 0 && code != EAGAIN && code != EINTR) else { return }
    endInput()
  }

  private func endInput() {
    close(input)
    input = -1
  }

  private func closeEnd(_ index: Int) {
    guard ends[index] >= 0 else { return }
    close(ends[index])
    ends[index] = -1
  }

  /// The next block of an output; nil: nothing is there now.
  private func read(_ index: Int) -> [UInt8]? {
    guard ends[index] >= 0 else { return nil }
    var count = 0
    var code: Int32 = 0
    let block = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, length in
      repeat { count = Platform.read(ends[index], buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
      code = errno
      length = max(count, 0)
    }
    if count > 0 { return block }
    if count == 0 || code != EAGAIN { closeEnd(index) }
    return nil
  }

  /// Ends it before its time: it is asked to, and a second later it has to.
  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    var found: Int32 = 0
    var isReaped = status != nil
    if !isReaped {
      kill(-process, SIGTERM)
      kill(-process, SIGCONT)
    }
    for _ in 0..<100 where !isReaped {
      isReaped = waitpid(process, &found, WNOHANG) == process
      if !isReaped { usleep(10_000) }
    }
    kill(-process, SIGKILL)
    if !isReaped { while waitpid(process, &found, 0) < 0, errno == EINTR {} }
    Lifeline.release(process)
    closeAll()
  }

  private func closeAll() {
    if input >= 0 { endInput() }
    for index in ends.indices { closeEnd(index) }
  }
}
