import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let show = CommandDefinition(
    "show", usage: ["show [PATH|PROJECTION|VALUE] [--as FORMAT] [--json] [--at N]"],
    summary: "prints the state, a part of it, a projection or a value",
    flags: FlagDefinition.format + [FlagDefinition("at", value: "N", "read the state after action #N")],
    operands: [.path],
    examples: [
      CommandExample("show counter", output: "value  0\nstep   1\n"),
      CommandExample("show tasks.summary --as raw", output: "0 of 0 done\n"),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 1)
    _ = try invocation.format()
    let number = try invocation.text(of: "at").map { try invocation.number($0, at: invocation.word(of: "at"), or: nil) }
    try invocation.checkPath(0)
    try invocation.session.finishCheck()
    guard let number else { return try invocation.showOperand() }
    return try invocation.session.store.viewing(number) { [invocation] in try invocation.showOperand() }
  }

  static let watch = CommandDefinition(
    "watch", usage: ["watch [PATH]", "watch stop ID|all"],
    summary: "prints a line at each change of a value; alone, lists the watches", flags: FlagDefinition.format,
    operands: [.pathOrWord("stop"), .watch],
    examples: [
      CommandExample("watch counter.value", output: "watch 1: counter.value = 0\n"),
      CommandExample(
        transcript: """
          stsh> watch counter.step
          watch 1: counter.step = 1
          stsh> watch stop 1

          """),
    ]
  ) { invocation in
    let session = invocation.session
    guard let word = invocation.operands.first else {
      return try invocation.show(ShellListing.watches.reading(in: session))
    }
    if word.text == "stop" {
      invocation.usage = invocation.definition.usage[1]
      return try invocation.stopWatch()
    }
    try invocation.refuseOperands(from: 1)
    try invocation.checkPath(0)
    let isInWords = try invocation.isInWords()
    try session.finishCheck()
    if let viewed = session.store.viewed {
      throw ShellError(
        code: .notAtHead, message: "the store shows \(viewed.text); a watch follows the present",
        hint: "`goto head` returns to the present")
    }
    let path = try invocation.path(0, "a path")
    let id = session.watches.upcoming
    let store = session.store
    let writer = WatchLineWriter(
      console: session.console, isJSON: session.options.isJSON, id: id, path: path,
      actionName: { [unowned store] number in store.log[number: number]?.action ?? "" })
    let reading = try invocation.at(word) { try session.read(path) }
    let watched = WatchedPath(session: session, path: path) { writer.write($0) }
    let text = "watch \(id): \(path) = \(ActionText.literal(of: reading.value))\n"
    let result = try isInWords ? invocation.print(text) : invocation.show(reading.watched(id, path))
    session.lastValue = reading.value
    // Only what was shown is watched.
    session.watches.add(path, store.watch("watch \(id)", { watched.value }, { writer.write($0) }))
    return result
  }
}

extension Invocation {
  /// Prints what the first operand says.
  fileprivate func showOperand() throws -> CommandResult {
    guard let word = operands.first else {
      let scope = session.names.scope
      return try show(scope.isEmpty ? session.wholeState() : session.read(scope))
    }
    guard let text = word.path else {
      guard case .value(let literal) = word.kind else { throw missing("a path") }
      let value = try at(word) { try session.value(literal) }
      return try show(Reading(value: value, schema: .dynamic(.any)))
    }
    let path = try path(text, of: word)
    return try show(try at(word) { try session.read(path) })
  }

  fileprivate func stopWatch() throws -> CommandResult {
    try refuseOperands(from: 2)
    let text = try required(1, "a watch's id, or all")
    guard text == "all" || Int(text) != nil || !session.isChecking else { throw unknownWatch(text) }
    try session.finishCheck()
    if text == "all" {
      session.watches.stopAll()
      return .none
    }
    guard let id = Int(text), session.watches.stop(id) else {
      throw unknownWatch(text)
    }
    return .none
  }

  private func unknownWatch(_ text: String) -> ShellError {
    ShellError(
      code: .unknownWatch, message: "there is no watch '\(text)'", at: operands[1], hint: "watch lists them")
  }
}

extension Reading {
  /// What a new watch answers with: its id and path, and the value as it is now.
  fileprivate func watched(_ id: Int, _ path: Path) -> Reading {
    let record = RecordSchema(
      name: "Watch",
      fields: [Field("id", .dynamic(.any)), Field("path", .dynamic(.any)), Field("value", schema.dynamic)])
    return Reading(
      value: .record(Record(record.layout, [.int(id), .string(path.description), value])),
      schema: .dynamic(.record(record)))
  }
}

extension Session {
  /// All modules as one record.
  public func wholeState() throws -> Reading {
    var fields: [Field] = []
    var values: [Value] = []
    for module in store.modules where module.schema != nil {
      let reading = try store.read(Path([.field(module.name)]))
      fields.append(Field(module.name, reading.schema.dynamic))
      values.append(reading.value)
    }
    let record = RecordSchema(name: "State", fields: fields)
    return Reading(value: .record(Record(record.layout, values)), schema: .dynamic(.record(record)))
  }
}
