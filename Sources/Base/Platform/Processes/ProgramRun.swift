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
  /// Takes what it writes, as it comes, to standard output or to standard error; nil: the result holds it. False: nobody reads it any
  /// more, and the program finds so, as in a pipe.
  package var receiver: ((_ bytes: [UInt8], _ isError: Bool) -> Bool)?

  /// Plans a run.
  package init(_ words: [String]) { self.words = words }

  /// The output of a program, and how it ended.
  package struct Result {
    /// The status that it ended with; 128 and the number of the signal that ended it.
    package let status: Int
    /// The number of the signal that ended it; nil: none did.
    package let signal: Int?
    package let output: [UInt8]
    package let errors: [UInt8]
  }

  /// Why there is no result.
  package enum Failure: Error {
    /// It cannot be started.
    case notStarted(FileError)
    /// Its time is over.
    case timeOver(Duration)
    /// It wrote more than it may.
    case tooMuch(Int)
    /// A descriptor told it to end.
    case stopped
  }

  /// Runs it.
  package func toEnd() throws(Failure) -> Result {
    guard let given = Pipe(), let output = Pipe(), let errors = Pipe() else {
      throw .notStarted(FileError(path: words[0], code: errno))
    }
    let process: pid_t
    do {
      defer { for end in [given.read, output.write, errors.write] { close(end) } }
      var start = ProcessStart()
      start.descriptors = [(given.read, 0), (output.write, 1), (errors.write, 2)]
      start.folder = folder
      start.hasOwnSession = true
      process = try start.run(words)
    } catch {
      for end in [given.write, output.read, errors.read] { close(end) }
      throw .notStarted(error)
    }
    // A program that reads no more is no failure.
    let former = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, former) }
    var run = RunningProgram(process, given.write, output.read, errors.read, self)
    return try run.toEnd()
  }
}

/// A program while it runs.
private struct RunningProgram {
  private let process: pid_t
  private let plan: ProgramRun
  private var input: Int32
  /// The ends that its outputs are read from; -1: it has closed that one.
  private var ends: [Int32]
  private var taken: [[UInt8]] = [[], []]
  /// The number of bytes of each that were handed on.
  private var handed = [0, 0]
  private var rest: ArraySlice<UInt8>
  private let start = ContinuousClock.now

  init(_ process: pid_t, _ input: Int32, _ output: Int32, _ errors: Int32, _ plan: ProgramRun) {
    self.process = process
    self.plan = plan
    self.input = input
    ends = [output, errors]
    rest = plan.input[...]
    for end in [input, output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    if rest.isEmpty { endInput() }
  }

  mutating func toEnd() throws(ProgramRun.Failure) -> ProgramRun.Result {
    var status: Int32?
    do {
      while status == nil {
        try wait()
        status = reaped()
      }
    } catch {
      end()
      throw error
    }
    // The rest of its group ends with it, and holds no pipe any longer.
    kill(-process, SIGKILL)
    defer { closeAll() }
    for index in ends.indices { try take(index) }
    let raw = status ?? 0
    let number = raw & 0x7F
    return ProgramRun.Result(
      status: number == 0 ? Int(raw >> 8 & 0xFF) : 128 + Int(number), signal: number == 0 ? nil : Int(number),
      output: taken[0], errors: taken[1])
  }

  /// The status of the program; nil: it has not ended.
  private func reaped() -> Int32? {
    var status: Int32 = 0
    let isOpen = ends.contains { $0 >= 0 }
    while true {
      let found = waitpid(process, &status, isOpen ? WNOHANG : 0)
      if found == process { return status }
      if found == 0 { return nil }
      if errno != EINTR { return 0 }
    }
  }

  /// Waits until something happens, for a moment at most: what it has started may hold its outputs open.
  private mutating func wait() throws(ProgramRun.Failure) {
    var sources = ([input] + ends + plan.stops.filter { $0 >= 0 }).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    sources[0].events = Int16(POLLOUT)
    let count = poll(&sources, nfds_t(sources.count), 50)
    if let limit = plan.timeout, ContinuousClock.now - start >= limit { throw .timeOver(limit) }
    guard count > 0 else { return }
    if sources.dropFirst(3).contains(where: { $0.revents != 0 }) { throw .stopped }
    if input >= 0, sources[0].revents != 0 { give() }
    for index in ends.indices where sources[index + 1].revents != 0 { try take(index) }
  }

  private mutating func give() {
    let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) }
    guard rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) else { return }
    endInput()
  }

  private mutating func endInput() {
    close(input)
    input = -1
  }

  private mutating func take(_ index: Int) throws(ProgramRun.Failure) {
    guard ends[index] >= 0 else { return }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    // As much as a pipe holds: of a program that writes without end the time and the stops are looked at, too.
    for _ in 0..<16 {
      let count = read(ends[index], &block, block.count)
      if count > 0 {
        if let receiver = plan.receiver {
          handed[index] += count
          guard handed[index] <= plan.mostBytes else { throw .tooMuch(plan.mostBytes) }
          if receiver(Array(block[..<count]), index == 1) { continue }
          close(ends[index])
          ends[index] = -1
          return
        }
        taken[index] += block[..<count]
        guard taken[index].count <= plan.mostBytes else { throw .tooMuch(plan.mostBytes) }
      } else {
        if count < 0, errno == EINTR { continue }
        guard count == 0 || errno != EAGAIN else { return }
        close(ends[index])
        ends[index] = -1
        return
      }
    }
  }

  /// Ends it before its time: it is asked to, and a second later it has to.
  private mutating func end() {
    kill(-process, SIGTERM)
    kill(-process, SIGCONT)
    var status: Int32 = 0
    var hasEnded = false
    for _ in 0..<100 where !hasEnded {
      hasEnded = waitpid(process, &status, WNOHANG) == process
      if !hasEnded { usleep(10_000) }
    }
    kill(-process, SIGKILL)
    if !hasEnded { while waitpid(process, &status, 0) < 0, errno == EINTR {} }
    closeAll()
  }

  private mutating func closeAll() {
    for end in [input] + ends where end >= 0 { close(end) }
    (input, ends) = (-1, [-1, -1])
  }
}
