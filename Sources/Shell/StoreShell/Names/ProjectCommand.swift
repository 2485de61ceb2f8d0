import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let project = CommandDefinition(
    "project", needs: .read, usage: ["project [NAME = EXPR] [--actions {NAME = ACTION, …}]"],
    summary:
      "names a projection of the state, for show, watch, assert and other projections; --actions maps names to actions, or to none with nil",
    flags: FlagDefinition.format + [
      FlagDefinition("actions", value: "{NAME = ACTION, …}", need: .read, "the actions that names stand for")
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
          note: hush was not dispatched: the projection tens maps it to nothing
          stsh> = tens
          20

          """),
    ],
    lua: LuaVerb("project", .named, takesFlags: true),
    defines: .firstOperand,
    removal: Removal(
      noun: "projection", names: { $0.names.projections.names },
      remove: { session, name in
        session.names.projections.remove(name)
        if session.names.scope.steps.first == .field(name) { session.names.scope = Path() }
        return .none
      }),
    listing: { CommandListing($0.names.projectionListing, of: "projections") },
    read: { reader in
      guard let tail = reader.statement.lua else {
        try reader.refuseOperands(from: 0)
        throw reader.missing("an expression")
      }
      let name = try reader.required(0, "a name")
      guard tail.text.contains(where: { !$0.isWhitespace }) else { throw reader.missing("an expression") }
      let free = try reader.free(name, as: .projection)
      if let message = try reader.vocabulary.syntaxFault(ofExpression: tail.text) {
        throw ShellError(code: .luaSyntax, message: message, status: 2)
      }
      return try free.with(reader.projectedActions()).map { (name: $0, expression: tail.text, actions: $1) }
    },
    addNames: { if let request = $0.known { $1.add(request) } },
    perform: { (request: Given<NewProjection>, session) in
      let new = try request.value(in: session)
      let lua = try session.lua()
      do {
        try lua.requireNames(in: new.expression, chunk: session.chunkName)
      } catch let error as SessionLuaError where error.unknownName?.name == new.name {
        // That it is made of itself is told where it is read.
      }
      session.add(new)
      return .none
    })

  fileprivate typealias NewProjection = (name: String, expression: String, actions: SessionProjection.Actions?)
}

extension Session {
  fileprivate func add(_ new: CommandDefinition.NewProjection) {
    names.projections.append(
      SessionProjection(name: new.name, expression: new.expression, chunk: chunkName, actions: new.actions),
      named: new.name)
  }
}

extension CommandReader {
  /// The actions that `--actions` gives; nil where it is absent.
  fileprivate func projectedActions() throws -> Given<SessionProjection.Actions?> {
    guard let literal = literal(of: "actions"), let word = word(of: "actions") else { return .known(nil) }
    guard case .record(let fields) = literal else {
      throw ShellError(
        code: .typeMismatch, message: "--actions takes a record such as {up = counter.increment, hush = nil}",
        at: word)
    }
    let actions = try fields.map { name, value -> Given<(name: String, target: String?)> in
      guard !value.isNil else { return .known((name, nil)) }
      return try text(of: value).map { [vocabulary] target in
        _ = try vocabulary.action(target, at: .span(word.span))
        return (name, target)
      }
    }
    return try Given.all(actions).map { $0 }
  }
}

extension SessionNames {
  fileprivate var projectionListing: Reading {
    Reading(
      rows: projections.map { [.string($0.name), .string($0.expression), .text($0.actionText)] }, "Projection",
      ["name", "value", "actions"])
  }
}
