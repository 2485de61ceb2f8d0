import Platform
import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

/// The functions of the session's Lua that do something for a person: `command`, `run` and `env`.
extension Session {
  /// Calls one of them.
  public func call(_ function: String, _ arguments: [Value]) throws -> [Value] {
    switch function {
    case "command":
      guard arguments.count == 1, case .string(let text) = arguments[0] else {
        throw ShellError(code: .typeMismatch, message: "command needs a statement as text: command(\"show tasks\")")
      }
      return try command(text)
    case "env":
      try requireOwnPerson("env")
      guard arguments.count == 1, case .string(let name) = arguments[0], !name.isEmpty else {
        throw ShellError(code: .typeMismatch, message: "env needs the name of a variable: env(\"HOME\")")
      }
      return [getenv(name).map { .string(String(cString: $0)) } ?? .none]
    default:
      try requireOwnPerson("run")
      return [try runProgram(arguments)]
    }
  }

  /// Refuses what only the person at the program's own terminal, or its own script, may do.
  private func requireOwnPerson(_ function: String) throws {
    guard running.origin.isThroughDoor else { return }
    throw ShellError(
      code: .notAllowed,
      message: "\(function) in Lua is not allowed by any door: it reaches beyond the store")
  }

  // MARK: Commands

  /// Runs a statement as `try` does: it prints what it prints, and its error too.
  ///
  /// - Returns: true and the value that it gave, which is the data that `--json` prints for it; or false, the code, message
  ///   and hint of its error, and that data where there is some all the same.
  private func command(_ text: String) throws -> [Value] {
    guard let outer = running.statement else { return [.bool(false)] }
    var reader = StatementReader(Array(text.utf8), grammar: grammar)
    let read: ShellLanguage.Statement
    do throws(SyntaxFault) {
      guard let first = try reader.next() else {
        throw SyntaxFault(message: "command was given no statement", line: 1, column: 1, width: 1, text: text)
      }
      guard try reader.next() == nil else {
        throw SyntaxFault(message: "command takes one statement", line: 1, column: 1, width: 1, text: text)
      }
      read = first.numbered(outer.line)
    } catch {
      return failed(command: ShellError(code: error.code, message: error.message), in: outer)
    }
    let (value, tally, before, dropped) = (outcome.lastValue, outcome.tally, running, outcome.lastDropped)
    (running.statement, running.wantsData) = (read, true)
    outcome.lastValue = .none
    defer {
      (running.statement, running.isExcused, running.wantsData) = (outer, before.isExcused, before.wantsData)
      outcome.tally.excuse(to: tally)
      (outcome.lastValue, outcome.lastDropped) = (value, dropped)
    }
    do {
      var result = CommandResult.none
      // One statement has one report.
      if options.isJSON {
        _ = try console.capturing { result = try performed(read) }
      } else {
        result = try performed(read)
        for note in result.notes { console.writeError("note: \(note)\n") }
      }
      guard case .none = outcome.lastValue else { return [.bool(true), outcome.lastValue] }
      return [.bool(true), Self.value(ofData: result.json)]
    } catch {
      guard !isEnding(by: error) else { throw error }
      return failed(command: error, in: read)
    }
  }

  private static func value(ofData json: String?) -> Value { json.flatMap { try? JSON.value(of: $0) } ?? .none }

  private func failed(command error: any Error, in statement: ShellLanguage.Statement) -> [Value] {
    let described = describedFailure(error)
    if !options.isJSON { _ = failed(error, in: statement) }
    outcome.lastAttempt = Attempt(described)
    return [.bool(false), Attempt(described).value, Self.value(ofData: described.data)]
  }

  // MARK: Programs

  private static let programLayout = RecordLayout(name: "Program", fields: ["status", "stdout", "stderr"])

  /// Runs a program: `run("git", "log")` or `run { "git", "log", stdin = …, cwd = …, timeout = …, max_bytes = … }`.
  private func runProgram(_ arguments: [Value]) throws -> Value {
    guard options.allowsExecution else {
      throw ShellError(code: .notAllowed, message: "programs may not be run here (--no-exec)")
    }
    var plan = try Self.program(arguments)
    plan.stops = [interrupts.descriptor]
    console.flush()
    let result: ProgramRun.Result
    do throws(ProgramRun.Failure) {
      result = try plan.toEnd()
    } catch {
      let name = plan.words[0]
      switch error {
      case .notStarted(let error):
        throw ShellError(
          code: error.isMissing ? .noSuchFile : .failed, message: "\(name): \(error.reason)",
          hint: error.isMissing ? "run takes a program and its arguments, each by itself: run(\"ls\", \"-l\")" : nil)
      case .timeOver(let limit):
        throw ShellError(
          code: .timedOut, message: "\(name) did not end within \(EffectListing.limit(limit))", status: 5)
      case .tooMuch(let bytes):
        throw ShellError(
          code: .outOfRange, message: "\(name) wrote more than \(bytes) bytes", hint: "max_bytes says how many it may")
      case .stopped: throw interrupts.stop?.error ?? ShellError.interrupted
      }
    }
    func text(_ bytes: [UInt8]) -> Value { .string(String(decoding: bytes, as: UTF8.self)) }
    return .record(Record(Self.programLayout, [.int(result.status), text(result.output), text(result.errors)]))
  }

  /// The program that arguments describe.
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
