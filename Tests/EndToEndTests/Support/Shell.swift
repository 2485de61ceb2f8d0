import Glibc
import TerminalSupport
import Testing

/// The built `stsh`, run in a folder of its own where nothing of the user's reaches it.
struct Shell {
  /// The folder that it starts in, unless said otherwise; its home is below.
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The folder of the package.
  static let packageFolder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")

  /// What a run left behind.
  struct Outcome: Equatable {
    /// What it wrote to standard output.
    var output = ""
    /// What it wrote to standard error.
    var errors = ""
    /// Its exit status; 128 and the signal's number where one ended it.
    var status: Int32 = 0
  }

  /// Runs the program to its end.
  func run(_ arguments: String..., input: String = "", in directory: String? = nil) throws -> Outcome {
    try run(arguments, input: Array(input.utf8), in: directory)
  }

  /// Runs another program that was built with the tests, or one of a path, to its end.
  func run(program: String, _ arguments: String..., input: String = "") throws -> Outcome {
    try run(arguments, input: Array(input.utf8), program: program)
  }

  /// Runs the program to its end.
  func run(
    _ arguments: [String], input: [UInt8] = [], in directory: String? = nil, program: String = "stsh"
  ) throws -> Outcome {
    guard let given = tmpfile(), let output = tmpfile(), let errors = tmpfile() else {
      throw ProgramFailure("no temporary files")
    }
    defer { for file in [given, output, errors] { fclose(file) } }
    fwrite(input, 1, input.count, given)
    rewind(given)
    let running = try start(
      arguments, in: directory, descriptors: [(0, fileno(given)), (1, fileno(output)), (2, fileno(errors))],
      program: program)
    let status = try running.waitForEnd()
    rewind(output)
    rewind(errors)
    return Outcome(
      output: String(decoding: bytes(of: output), as: UTF8.self),
      errors: String(decoding: bytes(of: errors), as: UTF8.self), status: status)
  }

  /// Runs a command line of a shell, in which `stsh` is the program; what it writes to both outputs stands together.
  func runInShell(_ line: String) throws -> Outcome {
    let folder = try Launch.folderOfThisProgram()
    guard let output = tmpfile() else { throw ProgramFailure("no temporary files") }
    defer { fclose(output) }
    var launch = launch(["-c", "PATH=\(folder):$PATH; \(line)"])
    launch.program = "/bin/sh"
    launch.descriptors = [(1, fileno(output)), (2, fileno(output))]
    let status = try RunningProgram(process: try launch.start()).waitForEnd()
    rewind(output)
    return Outcome(output: String(decoding: bytes(of: output), as: UTF8.self), status: status)
  }

  /// Starts the program; standard input and outputs are as given.
  func start(
    _ arguments: [String], in directory: String? = nil, descriptors: [(theirs: Int32, ours: Int32)],
    program: String = "stsh"
  ) throws -> RunningProgram {
    var launch = launch(arguments, program)
    if let directory { launch.folder = directory }
    launch.descriptors = descriptors
    return RunningProgram(process: try launch.start())
  }

  /// Starts the program on a terminal of its own and waits for its prompt.
  func prompt(
    _ arguments: String..., program: String = "stsh", prompt: String = "stsh>", terminal: String = "xterm",
    columns: Int = 200
  ) throws -> Terminal {
    try self.prompt(
      arguments, program: program, prompt: prompt, environment: ["TERM": terminal], columns: columns)
  }

  /// Starts a program on a terminal of its own, with some variables of the environment, and waits for its prompt.
  func prompt(
    _ arguments: [String] = [], program: String = "stsh", prompt: String = "stsh>", environment: [String: String],
    without unset: [String] = [], columns: Int = 200
  ) throws -> Terminal {
    var launch = launch(arguments, program)
    launch.environment["TERM"] = "xterm"
    launch.environment.merge(environment) { $1 }
    for name in unset { launch.environment[name] = nil }
    let started = try Terminal(launch, columns: columns)
    try started.waitForCursorLine(prompt)
    started.leaveOut(lineEndingWith: "; help explains, Ctrl-D leaves")
    return started
  }

  /// How a program is started here.
  func launch(_ arguments: [String], _ program: String = "stsh") -> Launch {
    var launch = Launch(program: program)
    launch.arguments = arguments
    launch.folder = folder.path
    launch.environment = [
      "HOME": folder.path + "/home", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
      "INPUTRC": "/dev/null", "PAGER": "cat",
      "XDG_RUNTIME_DIR": folder.path,
    ]
    return launch
  }
}

/// A program that was started and has not been waited for.
struct RunningProgram {
  let process: pid_t

  /// Waits two minutes for the program's end and answers with its exit status, or 128 and a signal's number.
  func waitForEnd() throws -> Int32 {
    let limit = ContinuousClock.now + .seconds(120)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      guard ContinuousClock.now < limit else {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        throw ProgramFailure("the program does not end")
      }
      usleep(1000)
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

extension Terminal {
  /// Types a line and waits for the prompt that follows what it prints.
  func enter(_ line: String, prompt: String = "stsh>") throws {
    let row = screen.row
    type(line + "\r")
    try wait(for: "the prompt after '\(line)'") { $0.row > row && $0.cursorLine == prompt }
  }

  /// What the program wrote, without the sequences that control the terminal, and without what it drew once more in colour,
  /// between keeping the cursor and putting it back.
  var text: String {
    var text = String.UnicodeScalarView()
    var rest = String(decoding: output, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r", "\u{7}": break
      case "\u{1B}":
        let kind = rest.popFirst()
        if kind == "7" {
          while let next = rest.popFirst(), next != "\u{1B}" || rest.first != "8" {}
          _ = rest.popFirst()
        }
        guard kind == "[" else { break }
        // The mark of a row that a prompt would not begin; it is over where the row is empty.
        if String(rest.prefix(7)) == "2m%\u{1B}[0m" {
          while let next = rest.popFirst(), next != "\r" {}
          if let last = text.last, last != "\n" { text.append(contentsOf: "%\n".unicodeScalars) }
          break
        }
        while let next = rest.popFirst(), !("@"..."~").contains(next) {}
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
