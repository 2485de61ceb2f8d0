import TerminalSupport
import Glibc
import Testing

/// POSIX_SPAWN_SETSID, which glibc keeps behind `_GNU_SOURCE`.
private let setNewSession: Int16 = 0x80

/// The program LineEditorProbe on a pseudo-terminal of its own.
final class ProbeTerminal {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var screen: TerminalScreen
  /// Every byte that the program has written to the terminal.
  private(set) var output: [UInt8] = []
  private var process: pid_t = 0
  private var terminal: Int32 = -1
  /// Kept open, so that the terminal outlives its program.
  private var programEnd: Int32 = -1
  private var wakeEnd: Int32 = -1
  private var hasEnded = false
  private var undecoded: [UInt8] = []

  /// Starts the probe and waits for its prompt.
  init(
    columns: Int = 60, environment: [String: String] = [:], arguments: [String] = [], standardInput: String? = nil
  ) throws {
    screen = TerminalScreen(columns: columns)
    var wake: [Int32] = [0, 0]
    try Self.check("openpty", openpty(&terminal, &programEnd, nil, nil, nil))
    try Self.check("pipe", pipe(&wake))
    wakeEnd = wake[1]
    defer { close(wake[0]) }
    // Another test's program must not keep this terminal open.
    for end in [terminal, programEnd] + wake { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var name = [CChar](repeating: 0, count: 64)
    try Self.check("ttyname", -ttyname_r(programEnd, &name, name.count))
    resize(columns: columns)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Opened by a session leader, the terminal becomes its controlling terminal: Ctrl-C reaches it as a signal.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    if let standardInput { posix_spawn_file_actions_addopen(&actions, 0, standardInput, O_RDWR, 0) }
    posix_spawn_file_actions_adddup2(&actions, wake[0], 9)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Tests run on threads that block signals, and a program inherits that.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, setNewSession | Int16(POSIX_SPAWN_SETSIGMASK))

    var variables = ["TERM": "xterm", "LANG": "C.UTF-8", "INPUTRC": "/dev/null", "PATH": "/usr/bin:/bin"]
    variables.merge(environment) { $1 }
    let path = try Self.folderOfThisProgram() + "/LineEditorProbe"
    var argv = Self.cStrings([path, "--wake", "9"] + arguments)
    var envp = Self.cStrings(variables.map { "\($0)=\($1)" })
    defer { for string in argv + envp { free(string) } }
    var started: pid_t = 0
    let problem = posix_spawn(&started, path, &actions, &attributes, &argv, &envp)
    guard problem == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(problem)))") }
    process = started
    if standardInput == nil { try waitForCursorLine("probe>") }
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(terminal)
    close(programEnd)
    close(wakeEnd)
  }

  // MARK: What a person does

  func type(_ keys: String) { type(Array(keys.utf8)) }

  /// Types bytes that need not be text.
  func type(_ keys: [UInt8]) { Self.writeAll(keys, to: terminal) }

  /// Types a line, waits for its event and for the next prompt.
  func enter(_ line: String) throws {
    let earlier = screen.lines.filter { $0 == "line(\"\(line)\")" }.count
    type(line + "\r")
    try wait(for: "the line '\(line)' and a prompt") { screen in
      screen.lines.filter { $0 == "line(\"\(line)\")" }.count > earlier && screen.cursorLine == "probe>"
    }
  }

  func resize(columns: Int) {
    screen.resize(columns: columns)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Has the program print a text above its prompt.
  func printAbove(_ text: String) {
    Self.writeAll(Array(text.utf8), to: wakeEnd)
  }

  func signal(_ number: Int32) {
    kill(process, number)
  }

  // MARK: What a person sees

  /// Reads what the program writes until the screen is as expected.
  func wait(for what: String, until isReached: (TerminalScreen) -> Bool) throws {
    let limit = ContinuousClock.now + .seconds(20)
    while !isReached(screen) {
      guard ContinuousClock.now < limit, read() else {
        let picture = screen.lines.joined(separator: "\n")
        throw Failure(
          description: "waited in vain for \(what); the cursor is at column \(screen.column) of:\n\(picture)")
      }
    }
  }

  func waitForLine(_ line: String) throws {
    try wait(for: "the line '\(line)'") { $0.lines.contains(line) }
  }

  /// Waits until the cursor's row reads `line`.
  func waitForCursorLine(_ line: String) throws {
    try wait(for: "the cursor on '\(line)'") { $0.cursorLine == line }
  }

  /// Waits until the program has taken all keys.
  func waitUntilTaken() throws {
    let limit = ContinuousClock.now + .seconds(20)
    var left: Int32 = 1
    while left > 0 {
      guard ContinuousClock.now < limit, ioctl(programEnd, UInt(FIONREAD), &left) == 0 else {
        throw Failure(description: "the program takes no keys: \(left) are left")
      }
      usleep(1000)
    }
  }

  /// Waits for the program's end and answers with its exit status.
  func waitForEnd() throws -> Int32 {
    var status: Int32 = 0
    let limit = ContinuousClock.now + .seconds(20)
    while waitpid(process, &status, WNOHANG) == 0 {
      guard ContinuousClock.now < limit else { throw Failure(description: "the program does not end") }
      _ = read()
    }
    hasEnded = true
    while read() {}
    return status >> 8 & 0xFF
  }

  /// Whether the terminal echoes and edits lines by itself, as programs expect it to.
  var isInUsualMode: Bool {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return modes.c_lflag & UInt32(ECHO | ICANON) == UInt32(ECHO | ICANON)
  }

  // MARK: Plumbing

  /// False when nothing can come any more.
  private func read() -> Bool {
    var source = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    guard poll(&source, 1, 50) > 0 else { return !hasEnded }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(terminal, &buffer, buffer.count)
    guard count > 0 else { return false }
    output += buffer[..<count]
    undecoded += buffer[..<count]
    // A chunk may end inside a character.
    while !undecoded.isEmpty, let text = String(validating: undecoded, as: UTF8.self) {
      screen.show(text)
      undecoded = []
    }
    return true
  }

  @discardableResult
  private static func check(_ what: String, _ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw Failure(description: "\(what): \(String(cString: strerror(errno)))") }
    return result
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { strdup($0) } + [nil]
  }

  private static func folderOfThisProgram() throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try check("readlink", Int32(readlink("/proc/self/exe", &path, Int(PATH_MAX))))
    let program = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
