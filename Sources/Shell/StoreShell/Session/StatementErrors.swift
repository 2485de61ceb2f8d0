import Platform
import ShellLanguage
import StoreHistory
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension Session {
  /// Prints why a statement failed.
  func failed(_ error: any Error, in statement: Statement) -> Int32 {
    switch error {
    case let expansion as ExpansionFailed: return failed(expansion.error, in: expansion.statement)
    case let failed as SourcedFileFailed:
      // Reported where it happened, and counted there.
      if options.isJSON {
        console.writeReport(JSONReport.failure(failed.error, in: statement, file: running.origin.file))
      }
      return failed.status
    case let faults as AppliedWithFaults:
      // The action stands; what went wrong beside it fails the command all the same.
      let interruption = takeInterruption(error)
      let errors = interruption.map { [$0] } ?? faults.errors
      reportEach(options.isJSON ? [joined(errors, faults)] : errors, in: statement)
      // An action that carries a thunk is never reduced, and of a check nothing stays.
      if !options.isJSON, !faults.isThunk, !running.isChecking, !running.isTriedAgain {
        let action = faults.action.map { " \($0)" } ?? ""
        let outcome = faults.droppedBy.map { "dropped by \($0)" } ?? "applied"
        console.write(note: "#\(faults.number)\(action) was \(outcome)")
      }
      let status = interruption?.status ?? 1
      fail(status)
      return status
    default:
      let interruption = takeInterruption(error)
      if interruption == nil, running.hasReportedAttempt, let raised = raisedAgain(error) {
        outcome.lastError = raised
        fail(raised.status)
        return raised.status
      }
      let shellError =
        interruption ?? raisedAgain(error)
        ?? pointingAtState(ShellError(describing: error, program: hintedProgram), in: statement)
      if running.origin.isStart, running.origin.isThroughDoor, shellError.code == .notAllowed {
        outcome.leftOut.append(statement.line)
        return shellError.status
      }
      report(shellError, in: statement)
      fail(shellError.status)
      return shellError.status
    }
  }

  /// The program that hints tell to run otherwise; nil: who comes in by a door has not started it.
  var hintedProgram: String? { options.hasStoreOption && !running.origin.isThroughDoor ? options.name : nil }

  /// The error of a command in Lua that ends the line, as `assert(command("…"))` raises it again; nil: another ends it.
  func raisedAgain(_ error: any Error) -> ShellError? {
    guard var last = outcome.lastAttempt.error else { return nil }
    last.place = .command
    let isLast =
      if let error = error as? ShellError { error == last } else {
        (error as? SessionLuaError)?.code == last.code.rawValue
      }
    return isLast ? last : nil
  }

  /// The faults of an action as one error, with the action's own result as its data.
  private func joined(_ errors: [ShellError], _ faults: AppliedWithFaults) -> ShellError {
    var error = errors.first ?? ShellError.interrupted
    error.details += errors.dropFirst().map { "error[\($0.code)]: \($0.message)" }
    if !faults.isThunk, !running.isChecking { error.data = faults.json }
    return error
  }

  /// Signs of other languages, and Lua's own for the same.
  private static let otherSigns: [(other: String, own: String)] = [
    ("=>", ">="), ("=<", "<="), ("<>", "~="), ("!=", "~="), ("&&", "and"), ("||", "or"),
    ("!", "not"), (" like ", "field:find(\"…\")"), (" is not null", "field ~= nil"), (" is null", "field == nil"),
    (" between ", "a <= field and field <= b"), (" in (", "field == a or field == b"),
  ]

  /// Words of SQL behind a condition, and what stands there instead.
  private static let otherEndings = [
    (other: " order by ", own: "--sort FIELD"), (other: " limit ", own: "--limit N"),
    (other: " group by ", own: "help where"),
  ]

  /// Functions of other languages, and what does the same here.
  private static let otherFunctions: [(names: Set<String>, own: String)] = [
    (["len", "length", "count", "size"], "# counts: #state.tasks.items"),
    (
      ["json", "cjson", "require"],
      "records of JSON are read by: ingest FILE --as ACTION; a program such as jq reads the rest"
    ),
    (["sleep"], "wait 1s lets time pass"), (["now", "date", "time"], "run(\"date\").text is the time of day"),
  ]

  /// The functions of Lua whose names variables may have.
  static let functionsOfLua: Set<String> = [
    "command", "quote", "run", "env", "round", "decimal", "type", "tostring", "tonumber", "string", "table", "math",
    "pairs",
    "ipairs", "assert", "error", "pcall", "select", "next",
  ]

  /// The advice on a sign of another language in Lua that cannot be read; nil: it has none.
  func hint(onSignsIn lua: String) -> String? {
    Self.hint(onSecondStatementIn: lua) ?? hint(onDollarIn: lua) ?? Self.hint(onOtherSignsIn: lua)
  }

  private static func hint(onSecondStatementIn lua: String) -> String? {
    guard let rest = lua.firstRange(of: "; ")?.upperBound,
      CommandTable.standard[String(lua[rest...].prefix { $0 != " " })] != nil
    else { return nil }
    return "; ends no statement: write one statement a line"
  }

  /// The advice on a dollar or a backquote in Lua, which has neither: of a shell's `$(git log)` it is the line that works.
  private func hint(onDollarIn code: String) -> String? {
    let text = code.replacing(#/"[^"]*"|'[^']*'/#) { String(repeating: "\"", count: $0.output.count) }
    guard let sign = text.firstIndex(where: { $0 == "$" || $0 == "`" }) else { return nil }
    let start = code.index(code.startIndex, offsetBy: text.distance(from: text.startIndex, to: sign))
    let rest = code[code.index(after: start)...]
    let inner: Substring
    if code[start] == "`" {
      inner = rest.prefix { $0 != "`" }
    } else if rest.first == "(" {
      inner = rest.dropFirst().prefix(upTo: rest.lastIndex(of: ")") ?? rest.endIndex)
    } else {
      return "in Lua a variable has no $: write n for $n, and arg[1] for the argument $1 of a script"
    }
    let words = inner.split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    let isKnown = (try? isVariable(first)) == true || (try? lua().names(in: []).contains(first)) == true
    if runsPrograms, !isKnown, Habit.isProgram(first) {
      let isPlain = !inner.contains { "\"'|<>;&*?$()[]{}\\~#`".contains($0) }
      let arguments = isPlain ? words.map { "\"\($0)\"" }.joined(separator: ", ") : "\"sh\", \"-c\", [=[\(inner)]=]"
      return "the output of a program is run(\(arguments)).text"
    }
    let isExpression = (try? lua())?.syntaxFault(String(inner), as: .expression) == nil
    return isExpression ? "all of the line is Lua already: write \(inner)" : nil
  }

  private static func hint(onOtherSignsIn lua: String) -> String? {
    // In quotes they may stand.
    let text = lua.replacing(#/"[^"]*"|'[^']*'/#, with: "\"\"").lowercased()
    if let ending = otherEndings.first(where: { text.contains($0.other) }) {
      return "\(ending.other.trimmed) is \(ending.own) behind the condition"
    }
    if text.contains(" # ") { return "# counts in Lua; a comment is written as -- there" }
    guard let sign = otherSigns.first(where: { text.contains($0.other) }) else { return nil }
    return "\(sign.other.trimmed) is \(sign.own) in Lua"
  }

  /// The error with the place of a name that is at fault, and with what to write instead, where Lua was given a module's name as
  /// if it were a variable; with the list that has no such element, where Lua asked it for a part of one.
  private func pointingAtState(_ error: ShellError, in statement: Statement) -> ShellError {
    if error.misusesElement, let message = statement.lua.flatMap({ missingElement(in: $0.text) }) {
      var error = error
      error.message = message
      return error
    }
    var error = error
    if let lua = statement.lua, statement.words.contains(where: { $0.text == "where" }) {
      if error.place == .command, [.luaSyntax, .luaError].contains(error.code) { error.place = .span(lua.span) }
      if error.hint == nil, [.luaSyntax, .luaError].contains(error.code), let file = lua.fileBehindSign {
        error.hint = "after where > compares; after a flag it writes to a file: --as csv > \(file)"
      }
    }
    if error.code == .luaSyntax, let hint = statement.lua.flatMap({ hint(onSignsIn: $0.text) }) {
      error.hint = hint
    }
    if error.code == .unknownPath, let hint = hint(onVariableAt: error.place, in: statement) {
      error.hint = hint
    } else if error.code == .unknownPath, error.hint == nil, case .span(let span) = error.place,
      let word = statement.words.last(where: { $0.span.line == span.line && $0.span.column <= span.column })
    {
      error.hint = hint(onQuotedVariableIn: word.text) ?? Habit.hint(onPath: word.text)
    }
    if error.hint == nil, let path = error.missingField {
      if let dot = path.lastIndex(of: "."),
        let hint = hint(onMissing: String(path[path.index(after: dot)...]), of: String(path[..<dot]), among: [])
      {
        error.hint = hint
      } else if path.hasPrefix("state."), case let name = String(path.dropFirst(6)),
        names.projection(name) != nil || names.binding(name) != nil
      {
        error.hint = "\(name) is a name of this session: write it without state."
      }
    }
    guard let name = error.misusedGlobal else { return error }
    if names.variables.contains(name), Self.functionsOfLua.contains(name) {
      error.hint = "the variable \(name) hides the function \(name): give it another name"
      return error
    }
    if error.place != .line, let span = statement.span(ofName: name) {
      error.place = .span(span)
      if statement.isBehindSign(span), statement.words.contains(where: { $0.text == "where" }) {
        error.hint =
          "after where > compares; after a flag it writes to a file: --as csv > \(statement.lua?.fileBehindSign ?? name)"
      }
    }
    if error.hint == nil, let module = store.modules.first(where: { $0.name == name }) {
      error.hint = Self.hint(on: module, in: statement.text)
    }
    if error.hint == nil { error.hint = Self.otherFunctions.first { $0.names.contains(name) }?.own }
    if error.hint == nil, let text = statement.lua?.text,
      ["== \(name)", "==\(name)", "~= \(name)", "~=\(name)"].contains(where: { text.hasSuffix($0) })
    {
      error.hint = "a text has quotes: \"\(name)\""
    }
    if error.hint == nil, statement.words.contains(where: { $0.text == "where" }),
      let line = statement.lua?.text.split(separator: "|").last, line.trimmed.hasPrefix(name),
      statement.lua?.text.contains("|") == true
    {
      error.hint = "after where | is an operator of Lua; after a flag it hands on: --as table | \(line.trimmed)"
    }
    if error.hint == nil, runsPrograms, Habit.isProgram(name) {
      error.hint = "the output of a program: run(\"\(name)\").text"
    }
    return error
  }

  /// The advice on a selector with a variable in quotes, which stand for themselves there; nil: it has none.
  private func hint(onQuotedVariableIn path: String) -> String? {
    guard let match = path.firstMatch(of: #/\["\$\{?(\w+)\}?"\]/#), (try? isVariable(String(match.output.1))) == true
    else {
      return nil
    }
    return "in quotes within a path nothing is replaced: [$\(match.output.1)]"
  }

  /// How Lua reads a module, or the projection of it that a text names.
  private static func hint(on module: Module, in text: String) -> String {
    for start in text.ranges(of: "\(module.name).") {
      let name = text[start.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if module.projections.contains(where: { $0.name == name }) {
        return "in Lua a projection is project(\"\(module.name).\(name)\")"
      }
    }
    return "in Lua a module is a field of state: state.\(module.name)"
  }

  /// The advice on a path that begins with the name of a variable, which no module has, where the command takes a value; nil: there is
  /// none.
  private func hint(onVariableAt place: ShellError.Place, in statement: Statement) -> String? {
    let inner = commands.innermost(statement)
    guard case .span(let span) = place, let word = inner.words.dropFirst().first, word.span == span else { return nil }
    let name = String(word.text.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    guard names.variables.contains(name), !store.modules.contains(where: { $0.name == name }) else { return nil }
    switch commands[inner] {
    case let show? where show === CommandDefinition.show:
      return "\(name) is a variable: \(word.text == name ? "$\(name)" : "$(\(word.text))")"
    // These read it anew at each change.
    case let watch? where watch === CommandDefinition.watch || watch === CommandDefinition.pin:
      return "\(name) is a variable: $(\(word.text))"
    case let export? where export === CommandDefinition.export:
      return "\(name) is a variable: show $\(name) --as csv > FILE"
    default: return nil
    }
  }

  /// The error of a value that does not fit with the advice that its word is the name of a variable, where it is.
  private func pointingAtVariable(_ error: ShellError, in statement: Statement) -> ShellError {
    guard error.code == .typeMismatch, case .span(let span) = error.place,
      let word = statement.words.first(where: { $0.span == span || $0.nameSpan == span }),
      case .bare(let name)? = word.value,
      names.variables.contains(name) || running.foreseen?.names.contains(name) == true
    else { return error }
    var error = error
    error.hint = "\(name) is a variable: \(word.text.dropLast(name.count))$\(name)"
    return error
  }

  /// The first list of the state that has not the element that a Lua text names: `state.tasks.items has 2 items, no [9]`.
  private func missingElement(in lua: String) -> String? {
    for start in lua.ranges(of: "state.") {
      let path = lua[start.upperBound...].prefix { $0.isLetter || $0.isNumber || "_.[]".contains($0) }
      var end = path.startIndex
      while let bracket = path[end...].firstIndex(of: "]") {
        end = path.index(after: bracket)
        guard let steps = try? Path(parsing: String(path[..<end])).steps, case .index(let index)? = steps.last,
          let list = try? read(Path(Array(steps.dropLast()))), case .list(let elements) = list.value
        else { break }
        guard index > elements.count || index < 1 else { continue }
        let count = "\(elements.count) \(elements.count == 1 ? "item" : "items")"
        return "state.\(Path(Array(steps.dropLast()))) has \(count), no [\(index)]"
      }
    }
    return nil
  }

  /// The error of a statement that ended by another one because it was interrupted; nil: it was not.
  private func takeInterruption(_ error: any Error) -> ShellError? {
    var interruption = interrupts.stop?.error
    if interruption != nil {
      outcome.hasReportedStop = true
    } else if interrupts.take() {
      // The terminal has echoed ^C; the error starts on a line of its own. By a door nobody's key was echoed here.
      if !running.origin.isThroughDoor { console.writeError("\n") }
      interruption = interrupts.reason()
    }
    interruption?.details = detailsOfInterruption(error)
    if let unknown = error as? HostError, unknown.code == .outcomeUnknown {
      interruption?.details = [unknown.message] + unknown.details
      interruption?.hint = unknown.hint
    }
    return interruption
  }

  /// Fails a statement whose results Ctrl-C has stopped on their way to the terminal.
  func followDroppedResults(of statement: Statement) {
    console.flush()
    guard console.delivery.hasDropped, let interruption = takeInterruption(ShellError.interrupted) else { return }
    report(interruption, in: statement)
    fail(interruption.status)
  }

  /// The details of an interrupted command: the work that it had done by then.
  private func detailsOfInterruption(_ error: any Error) -> [String] {
    if let faults = error as? AppliedWithFaults {
      return faults.errors.filter { $0.code == ShellError.interrupted.code }.map(\.message)
    }
    let error = ShellError(describing: error)
    switch error.code {
    case .interrupted: return error.details
    // It is stopped no more.
    case .outcomeUnknown: return [error.message]
    default: return []
    }
  }

  func fail(_ status: Int32) {
    outcome.tally.failed += 1
    if outcome.tally.firstStatus == 0 { outcome.tally.firstStatus = status }
  }

  /// Prints errors of a statement. An error that comes many times, as where a loop dispatches an action that is
  /// refused, is printed once.
  func reportEach(_ errors: [ShellError], in statement: Statement) {
    let few = 3
    var counts: [String: Int] = [:]
    for error in errors { counts["\(error.code) \(error.message)", default: 0] += 1 }
    var printed: Set<String> = []
    for var error in errors {
      let text = "\(error.code) \(error.message)"
      if let count = counts[text], count > few {
        guard printed.insert(text).inserted else { continue }
        error.details.append("and \(count - 1) more times")
      }
      report(error, in: statement)
    }
  }

  func report(_ found: ShellError, in statement: Statement) {
    var error = pointingAtVariable(found, in: statement)
    outcome.lastError = error
    let isLast = !running.isTriedAgain || error.code == .interrupted || interrupts.stop?.isStopped == true
    guard isLast || options.isJSON else { return }
    if settings.showsTraceback { error = error.showingTraceback }
    if options.isJSON {
      console.writeReport(JSONReport.failure(error, in: statement, file: running.origin.file))
    } else {
      console.writeError(renderer.text(of: error, in: statement, sourcedFrom: running.origin.chain))
    }
  }

  /// Prints an error that belongs to no statement.
  ///
  /// - Parameter file: the script that it is about; nil: it is about none.
  /// - Returns: its status.
  @discardableResult
  public func writeError(_ error: any Error, file: String? = nil) -> Int32 {
    let error = ShellError(describing: error, program: hintedProgram)
    outcome.lastError = error
    if options.isJSON {
      console.writeReport(JSONReport.failure(error, file: file))
    } else {
      var renderer = ErrorRenderer(file: nil, marks: errorMarks)
      renderer.isUTF8 = options.isUTF8
      console.writeError(renderer.text(of: error))
    }
    return error.status
  }

  /// Prints a fault of the text itself.
  func report(_ found: SyntaxFault) {
    var fault = found
    // A line of another shell is no line of this one, whatever sign it stumbles on.
    if let verb = found.text.split(whereSeparator: \.isWhitespace).first.map(String.init), names.alias(verb) == nil,
      let hint = commands[verb] != nil
        ? Habit.hint(onSeveralNamesIn: found.text) : Habit.hint(onCallIn: found.text) ?? Habit.hint(on: verb)
    {
      fault = found.saying("\(found.message) (\(hint))")
    }
    outcome.lastError = ShellError(code: fault.code, message: fault.message, status: 2)
    outcome.reportedFile = outcome.reportedFile ?? running.origin.file
    outcome.tally.reached += 1
    fail(2)
    // A run would have read it before all else.
    if running.isChecking { outcome.tally.firstStatus = 2 }
    if options.isJSON {
      console.writeReport(JSONReport.failure(fault, file: running.origin.file))
    } else if !running.isTriedAgain {
      console.writeError(renderer.text(of: fault, sourcedFrom: running.origin.chain))
    }
  }

  private var renderer: ErrorRenderer {
    var renderer = running.origin.renderer
    renderer.columns = console.showsErrors ? console.width() : nil
    renderer.marks = errorMarks
    renderer.isUTF8 = options.isUTF8
    return renderer
  }
}

/// An action was applied, or dropped, but something went wrong beside it: in middlewares that saw it, or in what it caused.
struct AppliedWithFaults: Error {
  let errors: [ShellError]
  let number: Int
  /// Nil: the history holds it no more.
  let action: String?
  let isThunk: Bool
  /// The interceptor that dropped it; nil: it was applied.
  var droppedBy: String? { entry?.droppedBy }
  private let entry: LoggedEntry?
  /// The actions that it caused.
  private let caused: [LoggedEntry]

  init(errors: [any Error], _ entry: LoggedEntry, caused: [LoggedEntry]) {
    self.errors = errors.map { ShellError(describing: $0) }
    number = entry.number
    action = entry.action
    isThunk = entry.isThunk
    (self.entry, self.caused) = (entry, caused)
  }

  init(errors: [any Error], number: Int) {
    self.errors = errors.map { ShellError(describing: $0) }
    self.number = number
    action = nil
    isThunk = false
    (entry, caused) = (nil, [])
  }

  /// The effect of the action, as the result of a dispatch is given; nil: the history holds it no more.
  var json: String? {
    entry.map { JSONReport.dispatch($0, caused: caused) }
  }
}

extension ShellError: MessageForLua {}

extension ShellError {
  /// The error of the whole command that stands for an error of a library.
  ///
  /// - Parameter program: the name of the program that hints tell to run; nil: no hint tells to run it.
  package init(describing error: any Error, program: String? = nil) {
    switch error {
    case let error as ShellError: self = error
    case let error as SessionLuaError:
      if let underlying = error.underlying {
        self.init(describing: underlying, program: program)
      } else {
        self.init(
          code: error.isSyntax ? .luaSyntax : .luaError, message: error.message,
          details: Array(error.trace.prefix(1)),
          // Plugins are told that there is no help; the session's Lua may be let out.
          hint: error.isOutsideSandbox
            ? program.map { "\($0) --unsafe-lua allows it in commands" }
            : error.hasStrayEquals
              ? "= sets a value; compare with ==" : error.unknownName?.nearest.map { "did you mean '\($0)'?" },
          status: error.isSyntax ? 2 : 1)
        traceback = Array(error.trace.dropFirst())
        misusedGlobal = error.misusedGlobal ?? error.unknownName?.name
        misusesElement = error.misusesElement
        missingField = error.missingField
      }
    case let error as FileError: self.init(error)
    default: self.init(HostError(describing: error, program: program))
    }
  }

  /// The error of a live store, at a place of the statement.
  init(_ error: HostError, place: Place = .command) {
    self.init(
      code: error.code, message: error.message, place: place, details: error.details, hint: error.hint,
      status: error.status)
    traceback = error.traceback
  }

  /// The error that stands for a file that cannot be read or written.
  package init(_ error: FileError, place: Place = .command) {
    self.init(HostError(describing: error), place: place)
    if error.isMissing { hint = UserEnvironment.hint(forMissing: error.path) }
  }

  /// Ctrl-C was pressed while a command ran.
  package static let interrupted = ShellError(HostError.interrupted)
}
