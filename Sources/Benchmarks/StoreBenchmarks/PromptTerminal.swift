import Platform

/// `stsh` at its prompt on a pseudo-terminal.
final class PromptTerminal {
  let process: pid_t
  private let terminal: Int32
  /// The output that has come and was not waited for yet.
  private var pending = ""

  /// Starts the program; its first prompt comes when it comes.
  init(_ arguments: [String] = [], environment: [String]) throws {
    var control: Int32 = -1
    var programEnd: Int32 = -1
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&control, &programEnd, nil, nil, &size) == 0, let name = ttyname(programEnd) else {
      throw ProgramRun.Failure(reason: "no pseudo-terminal")
    }
    let path = String(cString: name)
    defer { close(programEnd) }
    _ = fcntl(control, F_SETFD, FD_CLOEXEC)
    _ = fcntl(programEnd, F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    terminal = control
    process = try ProgramRun.spawn(
      try ProgramRun.stsh, arguments, actions: &actions, environment: ["TERM=xterm"] + environment,
      isSessionLeader: true)
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(terminal)
  }

  func type(_ keys: String) {
    _ = keys.withCString { write(terminal, $0, strlen($0)) }
  }

  /// Reads what the program writes until it writes no more for so many milliseconds, and forgets it.
  ///
  /// - Returns: the time at which the last of it came.
  func settle(within pause: Int32) throws -> Int {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var source = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    var last = 0
    while poll(&source, 1, last == 0 ? 10_000 : pause) > 0 {
      guard read(terminal, &block, block.count) > 0 else { throw ProgramRun.Failure(reason: "stsh ended: \(pending)") }
      last = monotonicNanoseconds()
    }
    guard last > 0 else { throw ProgramRun.Failure(reason: "nothing came of a key") }
    pending = ""
    return last
  }

  /// Reads what the program writes until a text has come, and goes on behind it.
  func wait(for text: String) throws {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let found = pending.firstRange(of: text) {
        pending = String(pending[found.upperBound...])
        return
      }
      let count = read(terminal, &block, block.count)
      guard count > 0 else { throw ProgramRun.Failure(reason: "stsh ended before '\(text)': \(pending)") }
      pending += String(decoding: block[..<count], as: UTF8.self)
    }
  }
}
