#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One run of `stsh` on a pseudo-terminal, up to its first prompt.
struct PromptRun {
  /// Wall time to the prompt, in milliseconds.
  let milliseconds: Double
  /// Memory held at the prompt, in MiB.
  let memory: Double

  /// - Parameter dataHome: the directory below which plugins are installed.
  init(dataHome: String) throws {
    var control: Int32 = -1
    var programEnd: Int32 = -1
    guard openpty(&control, &programEnd, nil, nil, nil) == 0, let terminal = ttyname(programEnd) else {
      throw ProgramRun.Failure(reason: "no pseudo-terminal")
    }
    let name = String(cString: terminal)
    _ = fcntl(control, F_SETFD, FD_CLOEXEC)
    _ = fcntl(programEnd, F_SETFD, FD_CLOEXEC)
    defer {
      close(control)
      close(programEnd)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let start = monotonicNanoseconds()
    let process = try ProgramRun.spawn(
      try ProgramRun.stsh, [], actions: &actions,
      environment: ["TERM=xterm", "XDG_DATA_HOME=\(dataHome)", "XDG_STATE_HOME=\(dataHome)/state"],
      isSessionLeader: true)
    var seen = ""
    var block = [UInt8](repeating: 0, count: 4096)
    while !seen.contains("stsh> ") {
      let count = read(control, &block, block.count)
      guard count > 0 else { throw ProgramRun.Failure(reason: "stsh ended before its prompt: \(seen)") }
      seen += String(decoding: block[..<count], as: UTF8.self)
    }
    milliseconds = Double(monotonicNanoseconds() - start) / 1e6
    memory = ProcessMemory.resident(of: process) ?? .nan
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }
}
