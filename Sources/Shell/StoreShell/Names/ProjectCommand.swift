import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let project = CommandDefinition(
    "project", usage: ["project [NAME = EXPR] [--actions {NAME = ACTION, …}]"],
    summary:
      "names a projection of the state, for show, watch, assert and other projections; its actions stand for others, or with nil for none",
    flags: FlagDefinition.format + [
      FlagDefinition("actions", value: "{NAME = ACTION, …}", "what the projection's actions stand for")
    ],
    examples: [
      CommandExample(
        transcript: """
          stsh> project total = #state.tasks.items
          stsh> dispatch tasks.add milk --quiet
          stsh> show total
          1
          stsh> assert total == 1

          """),
      CommandExample(
        transcript: """
          stsh> project tens = state.counter.value * 10 --actions {up = counter.increment, hush = nil}
          stsh> use tens
          stsh> dispatch up by=2
          #1 counter.increment by=2
            counter.value  0 -> 2
          stsh> dispatch hush
          note: hush is mapped to nothing by the projection tens
          stsh> = tens
          20

          """),
    ],
    lua: LuaVerb("project", .named, takesFlags: true)
  ) { invocation in
    let session = invocation.session
    guard let tail = invocation.statement.lua else {
      try invocation.refuseOperands(from: 0)
      return try invocation.show(session.names.projectionListing)
    }
    let name = try invocation.required(0, "a name")
    guard tail.text.contains(where: { !$0.isWhitespace }) else { throw invocation.missing("an expression") }
    try session.requireFree(name, as: .projection, at: invocation.operands[0])
    if let message = try session.lua().syntaxFault(tail.text, isExpression: true) {
      throw ShellError(code: .luaSyntax, message: message, status: 2)
    }
    let projection = SessionProjection(
      name: name, expression: tail.text, chunk: session.chunkName, actions: try invocation.projectedActions())
    session.names.projections.removeAll { $0.name == name }
    session.names.projections.append(projection)
    return .none
  }
}

extension Invocation {
  /// What `--actions` says; nil where it is not given.
  fileprivate func projectedActions() throws -> [(name: String, target: String?)]? {
    guard let literal = literal(of: "actions"), let word = word(of: "actions") else { return nil }
    guard case .record(let fields) = literal else {
      throw ShellError(
        code: .typeMismatch, message: "--actions takes a record such as {up = counter.increment, hush = nil}",
        at: word)
    }
    return try fields.map { name, value in
      guard !value.isNil else { return (name, nil) }
      let target = try text(of: value)
      guard session.actionTarget(target) != nil else { throw session.unknownAction(target, at: .span(word.span)) }
      return (name, target)
    }
  }
}

extension SessionNames {
  fileprivate var projectionListing: Reading {
    let record = RecordSchema(
      name: "Projection", fields: ["name", "value", "actions"].map { Field($0, .dynamic(.any)) })
    let rows = projections.map { projection in
      Value.record(
        Record(
          record.layout,
          [
            .string(projection.name), .string(projection.expression),
            projection.actionText.map { .string($0) } ?? .none,
          ]
        ))
    }
    return Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(.dynamic(.record(record)))))
  }
}
