import Platform
import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

/// Programs that statements run: by the command `run`, by Lua's `run`, and by the person's own shell.
extension Session {
  private static let programLayout = RecordLayout(
    name: "Program", fields: ["status", "ok", "signal", "stdout", "stderr", "text"])

  /// Runs a program for Lua: `run("git", "log")` or `run { "git", "log", stdin = …, cwd = …, timeout = …, max_bytes = … }`.
  func runProgram(_ arguments: [Value]) throws -> Value {
    let result = try end(of: Self.program(arguments)).result
    if result.status != 0 { outcome.failedPrograms += 1 }
    func text(_ bytes: [UInt8]) -> Value { .string(String(decoding: bytes, as: UTF8.self)) }
    return .record(
      Record(
        Self.programLayout,
        [
          .int(result.status), .bool(result.status == 0), result.signal.map { .int($0) } ?? .none, text(result.output),
          text(result.errors), text(Array(result.output.trimmingLineEnds)),
        ]))
  }

  /// Refuses to go on behind a statement whose Lua ran a program that failed and did not look at its status.
  ///
  /// - Parameter first: the number of programs that had failed before the statement.
  func requireReadPrograms(since first: Int) throws {
    guard outcome.failedPrograms > first, let program = try lua().unreadPrograms(since: first).last else { return }
    throw Self.failure(ofUnread: program.name, program.status)
  }

  /// The error of a program that failed and whose status no Lua has read.
  static func failure(ofUnread name: String, _ status: Int) -> ShellError {
    var error = failure(of: name, status, signal: nil)
    error.hint = "Lua that looks at status, ok or signal of the result goes on: run(…).ok"
    return error
  }

  /// Runs a program to its end, whatever its status is: at the client, where a client gave the statement.
  ///
  /// - Parameter isShown: true if a client prints its output as it comes.
  /// - Returns: what a client has printed, where that is kept.
  /// - Throws: ``ShellError`` for one that cannot be started, takes too long, writes too much or was interrupted.
  private func end(
    of program: ProgramRun, isShown: Bool = false
  ) throws -> (result: ProgramRun.Result, printed: String) {
    if person.files == nil { try requirePrograms() }
    var program = program
    program.stops = [interrupts.descriptor]
    console.flush()
    do throws(ProgramRun.Failure) {
      guard let files = person.files else { return (try program.toEnd(), "") }
      return try files.run(program, isShown: isShown, isKept: outcome.programOutput != nil)
    } catch {
      let name = program.words[0]
      switch error {
      case .notStarted(let error):
        throw ShellError(
          code: error.isMissing ? .noSuchFile : .failed, message: "\(name): \(error.reason)",
          hint: error.isMissing && name.contains(" ")
            ? "run takes a program and its arguments, each by itself: run ls -l" : nil)
      case .noFolder(let folder):
        throw ShellError(code: .noSuchFile, message: "\(name) cannot run there: there is no folder '\(folder)'")
      case .refused(let reason): throw ShellError(code: .notAllowed, message: reason)
      case .timeOver(let limit):
        throw ShellError(
          code: .timedOut, message: "\(name) did not end within \(EffectListing.limit(limit))", status: 5)
      case .tooMuch(let bytes):
        throw ShellError(
          code: .outOfRange, message: "\(name) wrote more than \(bytes) bytes",
          hint: program.receiver == nil
            ? "max_bytes says how many it may" : "a shell hands on what it writes as it comes: run sh -c '… | …'")
      case .stopped: throw interrupts.stop?.error ?? ShellError.interrupted
      }
    }
  }

  /// Refuses to run programs where that is forbidden.
  public func requirePrograms() throws {
    guard !options.allowsExecution else { return }
    throw ShellError(code: .notAllowed, message: "programs may not be run here (--no-exec)")
  }

  /// Has the system's shell run a line, for Lua's `os.execute`.
  ///
  /// - Returns: the status of the program, or the number of the signal that ended it.
  /// - Throws: ``ShellError`` for one that cannot be started, or is to end with the run.
  public func execute(_ line: String) throws -> (status: Int?, signal: Int?) {
    try requirePrograms()
    settle()
    let command = ShellCommand(line: line, stops: [interrupts.descriptor], readsTerminal: true)
    switch try command.run([]) {
    case .exited(let status): return (Int(status), nil)
    case .signalled(let number): return (nil, Int(number))
    case .interrupted: throw interrupts.stop?.error ?? ShellError.interrupted
    }
  }

  /// Runs a program whose output is printed as it comes.
  func run(_ program: ProgramRun) throws -> CommandResult {
    var program = program
    // A result that goes elsewhere is whole before it goes there.
    program.mostBytes = console.isCapturing ? 64 << 20 : .max
    var printed = ProgramOutput()
    program.receiver = { [console, options] in printed.take($0, isError: $1, on: console, isHeld: options.isJSON) }
    let (result, atClient) = try end(of: program, isShown: !options.isJSON && !console.isCapturing)
    if !options.isJSON { printed.endLine(on: console) }
    outcome.programOutput?.append(atClient + printed.text)
    let data = options.isJSON ? JSON.text(of: .string(printed.lines)) : nil
    guard result.status != 0 else { return CommandResult(json: data) }
    var error = Self.failure(of: program.words[0], result.status, signal: result.signal)
    error.data = data
    throw error
  }

  /// The error of a program that ended with another status than 0.
  static func failure(of name: String, _ status: Int, signal: Int?) -> ShellError {
    let ending = signal.map { "by signal \($0)" } ?? "with status \(status)"
    var error = ShellError(code: .programFailed, message: "\(name) ended \(ending)")
    error.programStatus = status
    return error
  }

  /// Has the person's own shell run a line, with the terminal.
  func runByShell(_ line: String) throws {
    if person.files == nil { try requirePrograms() }
    try requireOwnVariables(of: line, at: .command)
    console.flush()
    let ending: ProgramEnding?
    do throws(FileError) {
      ending = try runAtClientsShell(line)
    } catch {
      if error.code == EINTR { throw ShellError.interrupted }
      throw ShellError(code: error.code == EACCES ? .notAllowed : .failed, message: error.reason)
    }
    guard let ending else { return try OwnShell.run(line, until: interrupts.descriptor) }
    try OwnShell.require(ending, of: line)
  }

  /// Refuses a line for a shell with a variable of the session that the shell does not know.
  ///
  /// - Parameter isPiped: true where the line gets a result on its standard input.
  func requireOwnVariables(of line: String, at place: ShellError.Place, isPiped: Bool = false) throws(ShellError) {
    for name in ShellText.variables(in: line) where names.variables.contains(name) && getenv(name) == nil {
      throw ShellError(
        code: .unknownVariable, message: "the shell does not know $\(name), which is a variable of this session",
        place: place,
        hint: isPiped
          ? "nothing is replaced for the shell: write the result to a file, then: run \(line) FILE"
          : "nothing is replaced for the shell; pass it on: run sh -c '… $1' sh $\(name)")
    }
  }

  private static func program(_ arguments: [Value]) throws -> ProgramRun {
    var words = arguments
    var named: [(String, Value)] = []
    if arguments.count == 1 {
      switch arguments[0] {
      case .list(let list): words = Array(list)
      case .map(let map):
        words = []
        for (key, value) in map {
          switch key {
          case .int: words.append(value)
          case .string(let name): named.append((name, value))
          }
        }
      default: break
      }
    }
    let texts = words.compactMap { word -> String? in
      switch word {
      case .string(let text): text
      case .int(let number): "\(number)"
      default: nil
      }
    }
    guard !texts.isEmpty, texts.count == words.count, !texts[0].isEmpty, !texts.contains(where: { $0.utf8.contains(0) })
    else {
      throw ShellError(
        code: .typeMismatch, message: "run needs a program and its arguments as texts: run(\"git\", \"log\", \"-1\")")
    }
    var plan = ProgramRun(texts)
    for (name, value) in named {
      switch (name, value) {
      case ("stdin", .string(let text)): plan.input = Array(text.utf8)
      case ("cwd", .string(let folder)): plan.folder = folder
      case ("timeout", .int(let seconds)) where seconds > 0: plan.timeout = .seconds(min(seconds, 1_000_000_000))
      case ("timeout", .double(let seconds)) where seconds > 0:
        plan.timeout = .milliseconds(Int64(min(seconds, 1_000_000_000) * 1000))
      case ("max_bytes", .int(let bytes)) where (1...1 << 30).contains(bytes): plan.mostBytes = bytes
      case ("stdin", _), ("cwd", _), ("timeout", _), ("max_bytes", _):
        throw ShellError(code: .typeMismatch, message: "run: \(name) cannot be \(value.described)")
      default:
        throw ShellError(
          code: .unexpectedArgument, message: "run has no '\(name)'",
          hint: Suggestion.question(name, among: ["stdin", "cwd", "timeout", "max_bytes"])
            ?? "it has stdin, cwd, timeout and max_bytes")
      }
    }
    return plan
  }
}

extension [UInt8] {
  /// The bytes without the line ends at their end, as `$(…)` of a shell takes them away.
  fileprivate var trimmingLineEnds: ArraySlice<UInt8> {
    prefix((lastIndex { $0 != 0x0A && $0 != 0x0D } ?? -1) + 1)
  }
}

/// The shell of the person at the prompt.
package enum OwnShell {
  /// The line that `! LINE` gives the shell; nil: a text is no such line.
  package static func line(of text: String) -> String? {
    let text = text.drop(while: \.isWhitespace)
    guard text.first == "!" else { return nil }
    return String(text.dropFirst().drop(while: \.isWhitespace))
  }

  /// Has the shell run a line, with the terminal.
  ///
  /// - Parameter stop: ends it once it is readable.
  /// - Throws: ``ShellError`` for a status other than 0.
  package static func run(_ line: String, until stop: Int32) throws(ShellError) {
    let ending: ProgramEnding
    do throws(FileError) {
      ending = try end(of: line, until: stop)
    } catch {
      throw ShellError(code: .failed, message: error.reason)
    }
    try require(ending, of: line)
  }

  /// The same, whatever its status is.
  ///
  /// - Parameter connection: a socket whose other end ends it, too, once that is closed; -1: there is none.
  /// - Throws: `FileError` with the name of the shell, where it cannot be started.
  package static func end(
    of line: String, until stop: Int32, connection: Int32 = -1
  ) throws(FileError) -> ProgramEnding {
    var command = ShellCommand(line: line, stops: [stop], readsTerminal: true)
    command.connections = [connection]
    command.shell = getenv("SHELL").map { String(cString: $0) } ?? command.shell
    do throws(FileError) {
      return try command.run([])
    } catch {
      throw FileError(path: line, code: error.code, reason: "\(command.shell): \(error.reason)")
    }
  }

  /// Throws where a line did not end well.
  static func require(_ ending: ProgramEnding, of line: String) throws(ShellError) {
    switch ending {
    case .exited(0): return
    case .exited(let status): throw Session.failure(of: line, Int(status), signal: nil)
    case .signalled(let number): throw Session.failure(of: line, 128 + Int(number), signal: Int(number))
    case .interrupted: throw .interrupted
    }
  }
}

/// The output of a program while it runs.
package struct ProgramOutput {
  /// As much is kept for reports, from the end: that says why a program failed.
  private static let most = 1 << 16
  /// The bytes of standard output that are not printed yet.
  private var pending: [UInt8] = []
  private var kept: [UInt8] = []
  private var leftOut = 0

  package init() {}

  /// Prints a piece of its output.
  ///
  /// - Parameter isHeld: true if standard output is not printed.
  /// - Returns: false where nobody reads it any more.
  package mutating func take(_ bytes: [UInt8], isError: Bool, on console: Console, isHeld: Bool = false) -> Bool {
    kept += bytes
    if kept.count > 4 * Self.most { cut() }
    guard !isError else {
      console.write(printedErrors: bytes)
      return true
    }
    pending += bytes
    if !isHeld { console.write(printed: &pending) }
    return !console.delivery.hasLostReader
  }

  /// Prints the start of a character that has no end.
  package func endLine(on console: Console) {
    if !pending.isEmpty { console.write(String(decoding: pending, as: UTF8.self)) }
  }

  /// Leaves out the lines at the beginning that are too much.
  private mutating func cut() {
    guard kept.count > Self.most else { return }
    let tail = kept.count - Self.most
    let start = kept[tail...].firstIndex(of: 0x0A).map { $0 + 1 } ?? tail
    leftOut += start
    kept.removeFirst(start)
  }

  /// Both outputs, as they came, or the end of them.
  package var text: String {
    var whole = self
    whole.cut()
    let mark = whole.leftOut == 0 ? "" : "… the first \(whole.leftOut) bytes are left out\n"
    return mark + String(decoding: whole.kept, as: UTF8.self)
  }
  /// Standard output without its last line end, where nothing of it was printed.
  var lines: String { String(decoding: pending.last == 0x0A ? pending.dropLast() : pending[...], as: UTF8.self) }
}
