/// A program that runs in a process group of its own, which all that it starts belongs to.
package final class ChildProcess {
  package enum Event {
    /// A signal of that number stopped it; it goes on when it is told to.
    case stopped(by: Int32)
    /// The process has ended; ``reap()`` says how.
    case ended
  }

  /// The number of the process and of its group.
  package let id: pid_t
  /// Readable once it has ended; -1: the system gives no such descriptor.
  package let descriptor: Int32
  /// The milliseconds after which ``takeEvent()`` is to be asked at the latest: the system tells of a stop by no descriptor.
  package var pause: Int32 { descriptor < 0 ? 5 : 20 }

  /// Starts a command line of the system's shell.
  ///
  /// - Parameters:
  ///   - arguments: the arguments that the line finds as `$1` and so on.
  ///   - path: the shell.
  ///   - input: the descriptor that becomes its standard input.
  ///   - output: the descriptor that becomes its standard output; nil: ours.
  /// - Throws: `FileError` with the system's reason.
  package init(
    shell line: String, _ arguments: [String], at path: String, input: Int32, output: Int32?
  ) throws(FileError) {
    var start = ProcessStart()
    start.descriptors = [(input, 0)]
    if let output { start.descriptors.append((output, 1)) }
    id = try start.run(["sh", "-c", line] + (arguments.isEmpty ? [] : ["sh"] + arguments), at: path)
    descriptor = Self.open(id)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A descriptor of a process, by pidfd_open(2), which Swift does not see.
  private static func open(_ process: pid_t) -> Int32 {
    typealias Call = @convention(c) (Int, Int, Int) -> Int
    guard let symbol = dlsym(nil, "syscall") else { return -1 }
    return Int32(truncatingIfNeeded: unsafeBitCast(symbol, to: Call.self)(434, Int(process), 0))
  }

  /// What has become of it; nil: nothing new.
  package func takeEvent() -> Event? {
    var info = siginfo_t()
    // An end is left to be reaped, so that the number stays that of this process.
    while waitid(P_PID, id_t(id), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 {
      guard errno == EINTR else { return .ended }
    }
    guard info.si_signo != 0 else { return nil }
    guard info.si_code == CLD_STOPPED else { return .ended }
    var status: Int32 = 0
    waitpid(id, &status, WUNTRACED)
    return .stopped(by: status >> 8 & 0xFF)
  }

  /// Sends a signal to the whole group.
  package func signal(_ number: Int32) { kill(-id, number) }

  /// True if any process of the group is left.
  package var hasGroup: Bool { kill(-id, 0) == 0 }

  /// Waits for the end.
  ///
  /// - Returns: the exit status as `waitpid` gives it.
  package func reap() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    Lifeline.release(id)
    return status
  }
}
