import ShellLanguage
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let bind = CommandDefinition(
    "bind", usage: ["bind [NAME PATH ACTION]"],
    summary:
      "binds a name to a value and to the action that sets it: NAME := VALUE dispatches the action, show NAME prints the value",
    flags: FlagDefinition.format, operands: [.newName, .path, .action],
    examples: [
      CommandExample(
        transcript: """
          stsh> bind step counter.step counter.setStep
          stsh> step := 5
          #1 counter.setStep to=5
            counter.step  1 -> 5
          stsh> show step
          5

          """),
      CommandExample(
        "bind step counter.step counter.setStep", "bind",
        output: """
          name  path          action
          step  counter.step  counter.setStep

          """),
    ]
  ) { invocation in
    let session = invocation.session
    guard let word = invocation.operands.first else {
      return try invocation.show(session.names.bindingListing)
    }
    try invocation.refuseOperands(from: 3)
    let name = try invocation.required(0, "a name")
    try session.requireFree(name, as: .binding, at: word)
    let path = try invocation.path(1, "a path")
    let type = try invocation.at(invocation.operands[1]) { try session.type(at: path) }
    guard invocation.operands.count > 2 else { throw invocation.missing("an action") }
    guard let action = try invocation.actionType(invocation.operands[2]) else { return .none }
    guard let field = action.fields.first, action.fields.dropFirst().allSatisfy({ (try? $0.check(nil)) != nil }) else {
      throw ShellError(
        code: .typeMismatch, message: "\(action.fullName) does not set one value", at: invocation.operands[2],
        hint: "usage: dispatch \(action.signature)")
    }
    let (expected, found) = (field.schema.wrapped.typeName, type.wrapped.typeName)
    guard expected == found || found == Schema.dynamic(.any).typeName else {
      throw ShellError(
        code: .typeMismatch,
        message: "'\(path)' is \(found), but '\(field.name)' of \(action.fullName) is \(expected)",
        at: invocation.operands[2])
    }
    let binding = SessionBinding(name: name, path: path, action: action)
    let former = session.names.binding(name)
    session.names.bindings.removeAll { $0.name == name }
    session.names.bindings.append(binding)
    guard let former, former.text != binding.text else { return .none }
    return CommandResult(json: nil, notes: ["\(name) was bound to \(former.text) before"])
  }
}

extension Session {
  /// Makes a binding of the application's, as `bind` makes one.
  ///
  /// - Throws: ``ShellError`` where it does not fit.
  func bind(_ binding: ApplicationBinding) throws {
    let line = "bind \(binding.name) \(binding.path) \(binding.action)"
    var reader = StatementReader(Array(line.utf8), grammar: grammar)
    reader.finish()
    guard let statement = try reader.next() else { return }
    _ = try commands.run(statement, in: self)
  }

  /// Runs `NAME := VALUE`: dispatches the one action that sets the value.
  func write(_ binding: SessionBinding, _ statement: Statement) throws -> CommandResult {
    let invocation = try Invocation(statement, .bind, in: self)
    let words = invocation.operands
    let usage = "\(binding.name) := \(binding.action.fields[0].schema.typeName)"
    guard words.count > 1 else {
      throw ShellError(
        code: .missingArgument, message: "\(binding.name) := needs a value", at: words[0],
        hint: "usage: \(usage)")
    }
    guard words.count == 2 else {
      throw ShellError(
        code: .unexpectedArgument, message: "\(binding.name) := takes one value", at: words[2],
        hint: "usage: \(usage)")
    }
    let arguments = try invocation.arguments(
      binding.action.fields, of: binding.action.fullName, usage: usage, at: words[0], words[1...])
    try finishCheck()
    let report = store.dispatch(ActionCall(binding.action, arguments), source: source(function: "dispatch"))
    return try finish(report)
  }
}

extension SessionBinding {
  /// What it binds, as `bind` is told.
  fileprivate var text: String { "\(path) \(action.fullName)" }
}

extension SessionNames {
  fileprivate var bindingListing: Reading {
    let record = RecordSchema(name: "Binding", fields: ["name", "path", "action"].map { Field($0, .dynamic(.any)) })
    let rows = bindings.map { binding in
      Value.record(
        Record(
          record.layout,
          [.string(binding.name), .string(binding.path.description), .string(binding.action.fullName)]))
    }
    return Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(.dynamic(.record(record)))))
  }
}

extension Schema {
  /// The type inside an optional one.
  fileprivate var wrapped: Schema {
    var schema = self
    while case .optional(let inner) = schema.kind { schema = inner }
    return schema
  }
}
