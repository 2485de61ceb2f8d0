import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let dispatch = CommandDefinition(
    "dispatch", usage: ["dispatch ACTION [ARG=VALUE…] [--quiet] [--info TEXT]"],
    summary: "runs an action through middlewares and reducers; prints what it changed",
    flags: [
      FlagDefinition("quiet", "print nothing"),
      FlagDefinition("info", value: "TEXT", "what to note in the action's source"),
    ],
    operands: [.action],
    examples: [
      CommandExample(
        "dispatch counter.increment by=4",
        output: "#1 counter.increment by=4\n  counter.value  0 -> 4\n"),
      CommandExample(
        "dispatch tasks.add \"Buy milk\"",
        output: """
          #1 tasks.add title="Buy milk"
            tasks.nextId  1 -> 2
            tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }

          """),
    ],
    read: DispatchRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

/// An action that a line has processed.
private enum DispatchRequest {
  case action(ActionType, GivenArguments, info: Given<String>?, isQuiet: Bool)
  /// A projection maps the action to nothing.
  case dropped(name: String, projection: String)

  static func read(_ reader: CommandReader) throws -> Given<DispatchRequest> {
    guard let word = reader.operands.first else { throw reader.missing("an action") }
    // The usual case, at the speed of scripts with a million lines.
    if let type = reader.vocabulary.plainAction(named: word.text) { return .known(try .init(type, at: word, reader)) }
    return try reader.action(word).map { name, target in
      switch target {
      case .type(let type): try .init(type, at: word, reader)
      case .dropped(let projection): .dropped(name: name, projection: projection)
      }
    }
  }

  private init(_ type: ActionType, at word: Word, _ reader: CommandReader) throws {
    let arguments = try reader.arguments(
      type.fields, of: type.fullName, usage: "dispatch \(type.signature)", at: word, reader.operands.dropFirst())
    self = .action(type, arguments, info: try reader.text(of: "info"), isQuiet: reader.has("quiet"))
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .dropped(let name, let projection):
      session.noteDropped(name, by: projection)
      return .none
    case .action(let type, let arguments, let info, let isQuiet):
      let call = ActionCall(type, try arguments.values(in: session))
      let source = session.source(info: try info?.value(in: session), function: "dispatch")
      return try session.finish(session.store.dispatch(call, source: source), quietly: isQuiet)
    }
  }
}

extension Session {
  /// The error of a name that no action has.
  func unknownAction(_ name: String, at place: ShellError.Place) -> ShellError {
    let isModule = store.modules.contains { $0.name == name }
    let suggestion = isModule ? nil : Suggestion.nearest(to: name, among: actionNames)
    return ShellError(
      code: .unknownAction, message: "unknown action '\(name)'", place: place,
      hint: suggestion.map { "did you mean '\($0)'?" }
        ?? (isModule
          ? "describe \(name) lists its actions" : "describe lists the modules, describe MODULE their actions"))
  }
}

extension SchemaError {
  /// The error with what was found as a word says it: a duration is but text to types, a number has more than one
  /// spelling, and one that its type cannot hold is rounded.
  func naming(_ word: String) -> SchemaError {
    guard case .typeMismatch(let expected, let found) = problem else { return self }
    let named: String
    if DurationLiteral.parse(word) != nil {
      named = "duration \(word)"
    } else if word.looksLikeANumber, let number = Double(word) {
      let isOutside = expected == "Int" || (expected == "Double" && number.isInfinite)
      let excess = isOutside ? number.excess : nil
      guard excess != nil || found.hasPrefix("number ") else { return self }
      named = "number \(word)\(excess ?? "")"
    } else {
      return self
    }
    return SchemaError(path, .typeMismatch(expected: expected, found: named))
  }
}

extension Session {
  /// Tells that a projection lets an action go no further (R26).
  func noteDropped(_ name: String, by projection: String) {
    store.trace(.dropped(what: name, reason: "projection \(projection)"))
    if !options.isJSON { console.writeError("note: \(name) is mapped to nothing by the projection \(projection)\n") }
  }

  /// Prints the answer to an action of this statement, or throws what went wrong with it.
  ///
  /// - Parameters:
  ///   - remark: what stands in parentheses behind the action.
  ///   - listsChanges: whether what it changed is printed.
  ///   - details: what is printed below, a line each.
  func finish(
    _ report: DispatchReport, quietly isQuiet: Bool = false, remark: String? = nil, listsChanges: Bool = true,
    details: [String] = []
  ) throws -> CommandResult {
    if let failure = report.failure {
      guard failure is StoreError, let number = report.number else { throw ShellError(describing: failure) }
      let errors = [failure] + report.faults
      guard let entry = report.entry else { throw AppliedWithFaults(errors: errors, number: number) }
      // The action was applied; what it caused was stopped.
      if !answersInJSON, !options.isQuiet, !isQuiet { write(entry) }
      throw AppliedWithFaults(errors: errors, entry)
    }
    let isSilent = options.isQuiet || isQuiet
    guard answersInJSON || !isSilent || !report.faults.isEmpty, let number = report.number else { return .none }
    guard let entry = report.entry else {
      // It was too large for the history, or what it caused was.
      guard report.faults.isEmpty else { throw AppliedWithFaults(errors: report.faults, number: number) }
      if !answersInJSON {
        console.writeError("note: #\(number) was applied, but the history has no room for it (set journal.limit)\n")
      }
      return .none
    }
    if !answersInJSON, !isSilent {
      let cancelled = "\(report.cancelled) \(report.cancelled == 1 ? "task" : "tasks") cancelled"
      write(entry, remark: remark ?? (report.cancelled == 0 ? nil : cancelled), listsChanges: listsChanges)
      for detail in details { console.write("  \(detail)\n") }
      // One that failed was on until then.
      if report.faults.isEmpty, let note = idleNote(of: entry) { console.writeError("note: \(note)\n") }
    }
    if !report.faults.isEmpty { throw AppliedWithFaults(errors: report.faults, entry) }
    guard answersInJSON else { return .none }
    return CommandResult(
      json: JSONReport.dispatch(
        id: entry.number, action: entry.action, changes: entry.changes, droppedBy: entry.droppedBy),
      notes: idleNote(of: entry).map { [$0] } ?? [])
  }

  /// What is said where nothing answers an action because its plugin is switched off: once until it is enabled.
  private func idleNote(of entry: LoggedEntry) -> String? {
    let module = String(entry.action.prefix { $0 != "." })
    guard entry.changes.isEmpty, entry.droppedBy == nil,
      let plugin = store.loadedPlugins.first(where: { $0.name == module }), plugin.condition != .on,
      plugins.idle.insert(module).inserted
    else { return nil }
    return "\(module) is off, so nothing answers its actions; plugin enable \(module)"
  }

  private func write(_ entry: LoggedEntry, remark: String? = nil, listsChanges: Bool = true) {
    var remark = remark.map { "  (\($0))" } ?? ""
    if let original = entry.original {
      remark += "  (dispatched as \(ActionText.text(original.action, arguments: original.arguments)))"
    }
    if let interceptor = entry.droppedBy, !entry.isThunk { remark += "  (dropped by \(interceptor))" }
    console.write("#\(entry.number) \(ActionText.text(entry.action, arguments: entry.arguments))\(remark)\n")
    guard listsChanges, !entry.changes.isEmpty else { return }
    console.write(ChangeFormatter.lines(entry.changes, usesColor: colorsResults))
  }
}
