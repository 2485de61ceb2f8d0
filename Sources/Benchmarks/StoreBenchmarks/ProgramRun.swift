import Platform

struct ProgramRun {
  /// Wall time in milliseconds.
  let milliseconds: Double

  /// Why a run says nothing.
  struct Failure: Error {
    let reason: String
  }

  /// Runs a program; its output is discarded, or read through a pipe and then discarded.
  ///
  /// - Parameter program: nil: the `stsh` that was built beside the benchmarks.
  init(_ arguments: [String], program: String? = nil, readsOutput: Bool = false) throws {
    let path = try program ?? ProgramRun.stsh
    var ends: [Int32] = [-1, -1]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if readsOutput {
      guard pipe(&ends) == 0 else { throw Failure(reason: "no pipe") }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addclose(&actions, ends[0])
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    let start = monotonicNanoseconds()
    let process = try ProgramRun.spawn(path, arguments, actions: &actions, environment: [])
    if readsOutput {
      close(ends[1])
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while read(ends[0], &block, block.count) > 0 {}
      close(ends[0])
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    milliseconds = Double(monotonicNanoseconds() - start) / 1e6
    guard status == 0 else { throw Failure(reason: "\(path) \(arguments): status \(status >> 8)") }
  }

  /// The most memory that a run of `stsh` with discarded output holds, in MiB. Looked up while it runs, since what the
  /// system says at its end counts this process, too, from which it was spawned.
  static func peakMemory(_ arguments: [String]) throws -> Double {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    let process = try spawn(try stsh, arguments, actions: &actions, environment: [])
    var peak = 0.0
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      peak = max(peak, ProcessMemory.peak(of: process) ?? 0)
      usleep(1000)
    }
    return peak
  }

  /// Gives the number of things done in a second, from the number done in the run.
  func perSecond(_ count: Int) -> Double { Double(count) * 1000 / milliseconds }

  /// The program beside this one.
  static var stsh: String { get throws { try built("stsh") } }

  static func built(_ name: String) throws -> String {
    guard let path = realpath("/proc/self/exe", nil) else { throw Failure(reason: "no /proc") }
    defer { free(path) }
    let own = String(cString: path)
    guard let slash = own.lastIndex(of: "/") else { throw Failure(reason: "no folder") }
    return "\(own[..<slash])/\(name)"
  }

  /// Starts a program with variables added to the environment.
  static func spawn(
    _ path: String, _ arguments: [String], actions: inout posix_spawn_file_actions_t, environment: [String],
    isSessionLeader: Bool = false
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID, which glibc keeps behind `_GNU_SOURCE`.
    if isSessionLeader { posix_spawnattr_setflags(&attributes, 0x80) }
    var own: [String] = []
    var variable = environ
    while let text = variable.pointee {
      own.append(String(cString: text))
      variable += 1
    }
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = (environment + own).map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    let problem = posix_spawn(&process, path, &actions, &attributes, argv, envp)
    guard problem == 0 else { throw Failure(reason: "\(path): \(String(cString: strerror(problem)))") }
    return process
  }
}
