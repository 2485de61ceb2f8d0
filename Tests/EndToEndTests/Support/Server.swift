import Glibc
import TerminalSupport

/// A program that serves a store at a door in the folder of a shell, and ends with the test.
final class Server {
  private let running: RunningProgram
  /// The socket of the door.
  let path: String
  /// The number of the process.
  var process: pid_t { running.process }
  private var hasEnded = false

  /// Starts it, and waits for its socket.
  convenience init(_ shell: Shell, _ arguments: String...) throws { try self.init(shell, arguments) }

  /// The same with a list, and perhaps another program or place.
  ///
  /// - Parameter before: the arguments of a program that starts `stsh`.
  init(
    _ shell: Shell, _ arguments: [String], program: String = "stsh", before: [String] = [], at place: String? = nil
  ) throws {
    path = place ?? shell.folder.path + "/door"
    let quiet = open("/dev/null", O_RDWR)
    defer { close(quiet) }
    running = try shell.start(
      before + ["serve", "--listen", path] + arguments, descriptors: [(0, quiet), (1, quiet), (2, quiet)],
      program: program)
    for _ in 0..<3000 where !Self.isListening(at: path) { usleep(10_000) }
  }

  /// True once a socket lets clients wait: it is then at its path, where a server that was killed may have left another.
  static func isListening(at path: String) -> Bool {
    let sockets = contents(ofFile: "/proc/net/unix")?.split(separator: "\n") ?? []
    // The flag of a socket that accepts connections, which the system calls by the name that the socket had first.
    return access(path, F_OK) == 0 && sockets.contains { $0.hasSuffix(" \(path)~") && $0.contains(" 00010000 ") }
  }

  /// Waits until a statement runs, as `who` tells it.
  func waitUntilRuns(_ statement: String, _ shell: Shell) throws {
    while true {
      let found = try shell.run("--attach", path, "-c", "who --as csv")
      if found.output.contains(statement) { return }
      guard found.status == 0 else { throw ProgramFailure("\(found)") }
    }
  }

  deinit { if !hasEnded { kill(process, SIGKILL) } }

  /// Ends it by a signal.
  ///
  /// - Returns: its status.
  func end(by signal: Int32) throws -> Int32 {
    hasEnded = true
    kill(process, signal)
    return try running.waitForEnd()
  }

  /// Has all of its threads stand still.
  func stop() {
    kill(process, SIGSTOP)
    var status: Int32 = 0
    _ = waitpid(process, &status, WUNTRACED)
  }
}
