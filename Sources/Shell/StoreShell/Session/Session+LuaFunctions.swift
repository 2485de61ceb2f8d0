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
  func requireOwnPerson(_ function: String) throws {
    guard running.origin.isThroughDoor else { return }
    throw ShellError(
      code: .notAllowed,
      message: "\(function) is not allowed by any door: it reaches beyond the store")
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
}
