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
    ]
  ) { invocation in
    guard let word = invocation.operands.first else { throw invocation.missing("an action") }
    let session = invocation.session
    guard let type = try invocation.actionType(word) else { return .none }
    let call = try invocation.call(type, at: word, invocation.operands.dropFirst())
    let info = try invocation.text(of: "info")
    try session.finishCheck()
    let report = session.store.dispatch(call, source: session.source(info: info, function: "dispatch"))
    return try session.finish(report, quietly: invocation.has("quiet"))
  }
}

extension Invocation {
  /// The action that a word names; nil: a projection maps it to nothing, which is noted.
  func actionType(_ word: Word) throws -> ActionType? {
    // The usual case, at the speed of scripts with a million lines.
    if !session.hasNames, let type = session.store.action(named: word.text) { return type }
    var name = word.text
    if case .value(let literal) = word.kind { name = try text(of: literal) }
    switch session.actionTarget(name) {
    case .type(let type): return type
    case .dropped(let projection):
      session.noteDropped(name, by: projection)
      return nil
    case nil: break
    }
    throw session.unknownAction(name, at: .span(word.span))
  }

  /// The call that words make: positional values fill the arguments in declared order.
  func call(_ type: ActionType, at action: Word, _ words: ArraySlice<Word>) throws -> ActionCall {
    let arguments = try self.arguments(
      type.fields, of: type.fullName, usage: "dispatch \(type.signature)", at: action, words)
    return ActionCall(type, arguments)
  }

  /// The values that words give to fields, checked, defaults filled in.
  func arguments(
    _ fields: [Field], of owner: String, usage: @autoclosure () -> String, at verb: Word, _ words: ArraySlice<Word>
  ) throws -> [Value] {
    var given = [Value?](repeating: nil, count: fields.count)
    var position = 0
    for word in words {
      let index: Int
      let literal: Literal
      switch word.kind {
      case .named(let name, let value):
        guard let found = fields.indices.first(where: { fields[$0].name == name }) else {
          let suggestion = Suggestion.nearest(to: name, among: fields.map(\.name))
          throw ShellError(
            code: .unexpectedArgument, message: "\(owner) has no argument '\(name)'",
            place: .span(word.bareNameSpan), hint: suggestion.map { "did you mean '\($0)'?" } ?? "usage: \(usage())")
        }
        index = found
        literal = value
      case .value(let value):
        while position < fields.count, given[position] != nil { position += 1 }
        guard position < fields.count else {
          let count = fields.count
          let arguments = count == 0 ? "no arguments" : count == 1 ? "one argument" : "\(count) arguments"
          throw ShellError(
            code: .unexpectedArgument, message: "\(owner) takes \(arguments)", at: word, hint: "usage: \(usage())")
        }
        index = position
        literal = value
      case .flag: continue
      }
      guard given[index] == nil else {
        throw ShellError(
          code: .unexpectedArgument, message: "'\(fields[index].name)' is given twice",
          place: .span(word.bareNameSpan), hint: "usage: \(usage())")
      }
      given[index] = try value(literal, for: fields[index], at: word, usage: usage())
    }
    return try fields.indices.map { index in
      if let value = given[index] { return value }
      do throws(SchemaError) {
        return try fields[index].check(nil)
      } catch {
        let field = fields[index]
        throw ShellError(
          code: .missingArgument, message: "\(owner) needs '\(field.name)' (\(field.schema.typeName))", at: verb,
          hint: "usage: \(usage())")
      }
    }
  }

  private func value(
    _ literal: Literal, for field: Field, at word: Word, usage: @autoclosure () -> String
  ) throws -> Value {
    do {
      return try at(word) { try session.value(literal, as: field.schema) }
    } catch is NotKnownYet {
      return .none
    } catch let error as SchemaError {
      let error = (literal.bareWord.map(error.naming) ?? error).under(Path([.field(field.name)]))
      throw ShellError(code: error.code, message: error.message, place: .span(word.nameSpan), hint: "usage: \(usage())")
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

extension Literal {
  fileprivate var bareWord: String? {
    if case .bare(let word) = self { return word }
    return nil
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
  fileprivate func noteDropped(_ name: String, by projection: String) {
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
      idlePlugins.insert(module).inserted
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
