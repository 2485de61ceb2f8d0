import Platform
import ShellLanguage
import StoreCore
import StorePlugins
import StoreSchema

/// The functions of the session's Lua that do something for a person: `command`, `run`, `env` and `quote`.
extension Session {
  /// Calls one of them.
  public func call(_ function: String, _ arguments: [Value], isSeen: Bool) throws -> [Value] {
    switch function {
    case "command":
      guard arguments.count == 1, case .string(let text) = arguments[0] else {
        throw ShellError(code: .typeMismatch, message: "command needs a statement as text: command(\"show tasks\")")
      }
      return try command(text, isSeen: isSeen)
    case "env":
      try requireOwnPerson("env")
      guard arguments.count == 1, case .string(let name) = arguments[0], !name.isEmpty else {
        throw ShellError(code: .typeMismatch, message: "env needs the name of a variable: env(\"HOME\")")
      }
      return [getenv(name).map { .string(String(cString: $0)) } ?? .none]
    case "quote":
      guard arguments.count == 1 else {
        throw ShellError(code: .typeMismatch, message: "quote needs one value: command(\"echo \" .. quote(text))")
      }
      return [.string(ActionText.literal(of: arguments[0]))]
    default:
      try requireOwnProgram("run")
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

  /// The same of what starts a program: a client may, since that runs at its own end.
  func requireOwnProgram(_ function: String) throws { if person.files == nil { try requireOwnPerson(function) } }

  // MARK: Commands

  /// Runs a statement as `try` does: it prints what it prints, and its error too.
  ///
  /// - Parameter isSeen: false where nothing gets the results: then the error fails the line.
  /// - Returns: true and the value that it gave, which is the data that `--json` prints for it; or false, the code, message
  ///   and hint of its error, and that data where there is some all the same.
  private func command(_ text: String, isSeen: Bool) throws -> [Value] {
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
      if !isSeen { outcome.unseenFailures += 1 }
      return failed(
        command: ShellError(
          code: error.code, message: error.message, details: ["in the statement: \(error.text)"],
          hint: "quote(text) writes a text as one word"), in: outer)
    }
    let (value, tally, before, dropped) = (outcome.lastValue, outcome.tally, running, outcome.lastDropped)
    let failedSteps = outcome.failedSteps
    // A `try` around the line is told of the failure of the line, one around the command of the command's.
    (running.statement, running.wantsData, running.isExcused) = (read, true, false)
    running.depth += 1
    outcome.lastValue = .none
    defer {
      running.depth -= 1
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
        for note in result.notes { console.write(note: note) }
      }
      guard case .none = outcome.lastValue else { return [.bool(true), outcome.lastValue] }
      return [.bool(true), Self.value(ofData: result.json)]
    } catch {
      guard !isEnding(by: error) else { throw error }
      if !running.isExcused {
        if outcome.failedSteps > failedSteps {
          if !before.isExcused { outcome.returnedFailures += 1 }
        } else if !isSeen {
          outcome.unseenFailures += 1
        }
      }
      return failed(command: error, in: read)
    }
  }

  private static func value(ofData json: String?) -> Value { json.flatMap { try? JSON.value(of: $0) } ?? .none }

  private func failed(command error: any Error, in statement: ShellLanguage.Statement) -> [Value] {
    let described = describedFailure(error)
    if !options.isJSON {
      _ = failed(error, in: statement)
      running.hasReportedAttempt = true
    }
    outcome.lastAttempt = Attempt(described)
    return [.bool(false), Attempt(described).value, Self.value(ofData: described.data)]
  }
}

extension Literal {
  /// The value where no type is declared.
  ///
  /// - Throws: ``ShellError`` for digits that no number holds, and what `resolve` throws.
  func valueOfNoType(resolving resolve: (Reference) throws -> Value) throws -> Value {
    do {
      return try value(resolving: resolve)
    } catch let error as SchemaError {
      throw ShellError(describing: error)
    }
  }
}

extension Session {
  /// The value that a literal stands for where no type is declared.
  func value(_ literal: Literal) throws -> Value { try withArguments(literal).valueOfNoType(resolving: resolve) }

  /// The value that a literal stands for where a type is declared.
  func value(_ literal: Literal, as schema: Schema) throws -> Value {
    try withArguments(literal).value(as: schema, resolving: resolve)
  }

  /// A literal as text: bare and quoted text as it is, other values as JSON.
  ///
  /// - Parameter isPath: true for the text of a path, whose selectors hold values as a path writes them.
  func text(of literal: Literal, isPath: Bool = false) throws -> String {
    switch withArguments(literal) {
    case .bare(let text), .text(let text): return text
    case .composed(let text):
      guard isPath else { return try text.text(resolving: resolve) }
      return try text.text(selector: { try Self.selectorText($0, $1) }, resolving: { try resolve($0) })
    default:
      let value = try value(literal)
      return value.text ?? JSON.text(of: value)
    }
  }

  /// A literal with the script's arguments in place of `$1`, `$2` and so on. Each argument is read as a word, by the
  /// type that is expected in its place; within a text it is text.
  func withArguments(_ literal: Literal) -> Literal {
    switch literal {
    case .variable(let name): return argument(name).map(Literal.bare) ?? literal
    case .composed(let text):
      return .composed(
        text.replacing { piece in
          guard case .value(.variable(let name), isSelector: false) = piece, let argument = argument(name) else {
            return piece
          }
          return .text(argument)
        })
    case .list(let elements): return .list(elements.map(withArguments))
    case .record(let fields): return .record(fields.map { ($0.name, withArguments($0.value)) })
    case .bare, .text, .lua: return literal
    }
  }

  /// The argument of the script that a number names; nil: the name is no number, or there is no such argument.
  private func argument(_ name: String) -> String? {
    guard let index = Int(name).map({ $0 - 1 }), running.origin.arguments.indices.contains(index) else { return nil }
    return running.origin.arguments[index]
  }

  /// The value of a variable or a Lua expression.
  func resolve(_ reference: Reference) throws -> Value {
    switch reference {
    case .lua(let expression): return try lua().evaluate(expression, chunk: chunkName).value
    case .variable(let name):
      if let argument = argument(name) { return try value(.bare(argument)) }
      guard Int(name) == nil else { throw unknownVariable(name) }
      if let value = try ownVariable(name) { return value }
      if let value = try lua().variable(name) { return value }
      if let value = try namedValue(of: name) { return value }
      // One that was set to nil is known all the same, as it is to Lua.
      if names.variables.contains(name) { return .none }
      throw unknownVariable(name)
    }
  }

  /// True if a variable or an argument of the script has that name.
  func isVariable(_ name: String) throws -> Bool {
    if Int(name) != nil { return argument(name) != nil }
    if Self.ownVariables.contains(name) || name == "_" || names.variables.contains(name) { return true }
    if names.projection(name) != nil || names.binding(name) != nil { return true }
    return try lua().variable(name) != nil
  }

  /// The error of a variable that is not there.
  func unknownVariable(_ name: String) -> ShellError {
    if let position = Int(name) {
      return ShellError(
        code: .unknownVariable, message: "there is no argument $\(position)",
        hint: "the script was given \(running.origin.arguments.count)")
    }
    if let fault = (try? lua())?.fault(ofVariable: name) {
      return ShellError(
        code: .typeMismatch, message: "the variable $\(name) holds no data: \(fault.message)",
        hint: "only Lua can use it")
    }
    let known = names.variables.names + Self.ownVariables + (running.foreseen?.names.sorted() ?? [])
    let suggestion = Suggestion.nearest(to: name, among: known)
    let isOfEnvironment = !running.origin.isThroughDoor && getenv(name) != nil
    return ShellError(
      code: .unknownVariable, message: "there is no variable $\(name)",
      hint: isOfEnvironment
        ? "that of the environment is $(env(\"\(name)\"))"
        : suggestion.map { "did you mean $\($0)?" } ?? "set it with: let \(name) = …")
  }

  /// The variables that the shell sets itself and Lua knows.
  static let ownVariables = ["ok", "err", "arg"]

  /// A value that is the whole of a selector, as a path writes it.
  ///
  /// - Throws: ``ShellError`` for one that a selector cannot hold.
  private static func selectorText(_ value: Value, _ reference: Reference) throws -> String {
    switch value {
    // The result of a division in Lua is a float, even where it is whole.
    case .double(let number): return Int(exactly: number).map { "\($0)" } ?? ScalarText.text(of: number)
    case .string, .int, .decimal, .bool, .none: return JSON.text(of: value)
    default:
      throw ShellError(
        code: .typeMismatch, message: "a selector takes a number or a text, \(reference.text) is \(value.described)")
    }
  }

  /// The value of a variable that the shell sets itself.
  ///
  /// - Throws: ``ShellError`` for a value that was too large to be kept.
  func ownVariable(_ name: String) throws(ShellError) -> Value? {
    switch name {
    case "_" where outcome.hasLetGoOfValue:
      throw ShellError(
        code: .failed, message: "$_ is kept no more: it was larger than 1 MiB", hint: "let NAME = EXPR keeps a value")
    case "_": return outcome.lastValue
    case "ok": return .bool(outcome.lastAttempt.error == nil)
    case "err": return outcome.lastAttempt.value
    // As Lua's own program names them.
    case "arg": return .texts(running.origin.arguments)
    default: return nil
    }
  }

  func source(info: String? = nil, function: String) -> ActionSource {
    if running.origin.isThroughDoor {
      let origin = knownOrigins.origin(file: "door", function: function, kind: .remote, info: info)
      return ActionSource(origin, line: outcome.number)
    }
    let origin = knownOrigins.origin(
      file: running.origin.file, function: function, kind: running.origin.kind, info: info)
    return ActionSource(origin, line: running.statement?.line ?? 0)
  }

  /// The source of a `dispatch`, or of one by Lua, whose origin is found once for the statements of a file.
  func dispatchSource(byLua isByLua: Bool = false) -> ActionSource {
    if !running.origin.isThroughDoor, let place = isByLua ? running.places.lua : running.places.dispatch {
      return ActionSource(place, line: running.statement?.line ?? 0)
    }
    let source = source(function: isByLua ? "lua" : "dispatch")
    if isByLua { running.places.lua = source.origin } else { running.places.dispatch = source.origin }
    return source
  }

  /// The places that its latest actions came from, with its name in each.
  @inline(__always)
  var knownOrigins: ActionSource.RecentOrigins {
    _read {
      if origins.author == nil { origins.author = author }
      yield origins
    }
    _modify {
      if origins.author == nil { origins.author = author }
      yield &origins
    }
  }

  func formatter(_ format: Format) -> Formatter {
    Formatter(
      format, terminalWidth: console.isCapturing && !running.drawsOnScreen ? nil : console.width(),
      isUTF8: options.isUTF8, marks: resultMarks)
  }

  /// True if the result of the command that runs is an object of `--json`. A result that goes to a file or into a
  /// command is the same as without.
  var answersInJSON: Bool { options.isJSON && !console.isCapturing }

  /// True if a result comes with its data as JSON, whether that is printed or not.
  var givesData: Bool { answersInJSON || running.wantsData }

  /// The marks of results: none where they go to a file or a pipe.
  var resultMarks: StyleMarks { options.usesColor && console.showsResults ? console.marks : .none }

  /// The marks of errors now.
  var errorMarks: StyleMarks { options.usesColor && console.showsErrors ? console.marks : .none }
}
