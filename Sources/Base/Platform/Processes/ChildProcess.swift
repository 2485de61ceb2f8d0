import Dispatch

/// A program that runs in a process group of its own, which all that it starts belongs to.
package final class ChildProcess {
  /// The events of a process that its parent is told of.
  package enum Event {
    /// A signal of that number stopped it; it goes on when it is told to.
    case stopped(by: Int32)
    /// The process has ended; ``reap()`` says how.
    case ended
  }

  /// The number of the process and of its group.
  package let id: pid_t
  /// Readable when ``takeEvent()`` has something to say.
  package let descriptor: Int32
  private let end: Int32
  // A thread of its own, since it waits in a system call.
  private let watch = DispatchQueue(label: "changes of a process")

  /// Starts a command line of the system's shell.
  ///
  /// - Parameters:
  ///   - input: the descriptor that becomes its standard input.
  ///   - output: the descriptor that becomes its standard output; nil: ours.
  /// - Throws: `FileError` with the system's reason.
  package init(shell line: String, input: Int32, output: Int32?) throws(FileError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    // Whoever started us may have the first two ignored; then it would be refused the terminal instead of being stopped for it.
    // The program itself may have the others ignored.
    var stopping = sigset_t()
    sigemptyset(&stopping)
    for number in [SIGTTIN, SIGTTOU, SIGXFSZ, SIGPIPE] { sigaddset(&stopping, number) }
    posix_spawnattr_setsigdefault(&attributes, &stopping)
    let arguments = ["sh", "-c", line]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    guard let ends = Pipe() else { throw FileError(path: line, code: errno) }
    var process: pid_t = 0
    let problem = posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ)
    (id, descriptor, end) = (process, ends.read, ends.write)
    guard problem == 0 else { throw FileError(path: line, code: problem) }
    watch.async { [id, end] in ChildProcess.watch(id, tell: end) }
  }

  deinit {
    close(descriptor)
    close(end)
  }

  /// Waits for changes of the process and tells of them through the pipe, until its end.
  private static func watch(_ process: pid_t, tell descriptor: Int32) {
    func tell(_ byte: UInt8) { _ = write(descriptor, [byte], 1) }
    while true {
      var info = siginfo_t()
      // An end is left to be reaped, so that the number stays that of this process.
      guard waitid(P_PID, id_t(process), &info, WEXITED | WSTOPPED | WNOWAIT) == 0 else {
        if errno == EINTR { continue }
        return tell(0)
      }
      guard info.si_code == CLD_STOPPED else { return tell(0) }
      var status: Int32 = 0
      waitpid(process, &status, WUNTRACED)
      tell(UInt8(truncatingIfNeeded: status >> 8))
    }
  }

  /// Waits for the next change and gives it.
  package func takeEvent() -> Event {
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) != 1, errno == EINTR {}
    return byte == 0 ? .ended : .stopped(by: Int32(byte))
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
    watch.sync {}
    return status
  }
}
