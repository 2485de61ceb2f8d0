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
  ///   - arguments: the arguments that the line finds as `$1` and so on.
  ///   - path: the shell.
  ///   - input: the descriptor that becomes its standard input.
  ///   - output: the descriptor that becomes its standard output; nil: ours.
  /// - Throws: `FileError` with the system's reason.
  package init(
    shell line: String, _ arguments: [String], at path: String, input: Int32, output: Int32?
  ) throws(FileError) {
    guard let ends = Pipe() else { throw FileError(path: line, code: errno) }
    (descriptor, end) = (ends.read, ends.write)
    var start = ProcessStart()
    start.descriptors = [(input, 0)]
    if let output { start.descriptors.append((output, 1)) }
    do {
      id = try start.run(["sh", "-c", line] + (arguments.isEmpty ? [] : ["sh"] + arguments), at: path)
    } catch {
      for end in [ends.read, ends.write] { close(end) }
      throw error
    }
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
