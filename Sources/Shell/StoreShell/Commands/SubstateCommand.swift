import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let substate = CommandDefinition(
    "substate", usage: ["substate [add NAME --value V [--replace] | reset [NAME…]]"],
    summary: "adds a part of the state that comes and goes, takes such parts away (all without names), or lists them",
    flags: FlagDefinition.format + [
      FlagDefinition("value", value: "V", "what the substate is at first"),
      FlagDefinition("replace", "put it in the place of one of that name"),
    ],
    operands: [.words(["add", "reset"]), .substate],
    examples: [
      CommandExample(
        transcript: """
          stsh> substate add cart --value {n = 1}
          #1 shell.addSubstate name="cart" value={ n = 1 }
          stsh> show cart.n
          1
          stsh> substate reset cart
          #2 shell.resetSubstates names=["cart"]

          """),
      CommandExample(
        "substate add cart --value {n = 1} > /dev/null", "substate",
        output: """
          name  type  value
          cart  Any   { n = 1 }

          """),
    ]
  ) { invocation in
    let session = invocation.session
    let report: DispatchReport
    switch try invocation.operand(0) {
    case nil: return try invocation.show(session.substateListing)
    case "add": report = try invocation.addSubstate()
    case "reset":
      let names = try (1..<invocation.operands.count).compactMap { try invocation.operand($0) }
      report = session.store.changeSubstates(.reset(names: names), source: session.source(function: "substate"))
    case let word?:
      throw ShellError(
        code: .unexpectedArgument, message: "substate takes add or reset, got '\(word)'", at: invocation.operands[0],
        hint: "usage: \(invocation.usage)")
    }
    return try session.finish(report)
  }
}

extension Invocation {
  fileprivate func addSubstate() throws -> DispatchReport {
    try refuseOperands(from: 2)
    let name = try required(1, "a name")
    guard let literal = literal(of: "value"), let word = word(of: "value") else { throw missing("--value V") }
    let isThere = session.store.modules.contains { $0.name == name && session.store.isSubstate(name) }
    if !isThere { try session.requireFree(name, as: .substate, at: operands[1]) }
    let schema = session.store.substateSchema(name)
    let value: Value
    do {
      value = try at(word) { try substateValue(literal, schema) }
    } catch let error as SchemaError {
      throw ShellError(code: error.code, message: error.under(Path([.field(name)])).message, at: word)
    }
    return session.store.changeSubstates(
      .add(name: name, schema: schema, value, isReplacing: has("replace")),
      source: session.source(function: "substate"))
  }

  /// The value of a substate: as the language writes it, or JSON in quotes.
  private func substateValue(_ literal: Literal, _ schema: Schema) throws -> Value {
    guard case .text(let text) = literal, let json = try? JSON.value(of: text) else {
      return try session.value(literal, as: schema)
    }
    if case .string = schema.kind { return .string(text) }
    return try schema.check(json)
  }
}

extension Session {
  fileprivate var substateListing: Reading {
    let record = RecordSchema(name: "Substate", fields: ["name", "type", "value"].map { Field($0, .dynamic(.any)) })
    let rows = store.modules.filter { store.isSubstate($0.name) }.map { module in
      let value = (try? store.read(Path([.field(module.name)]))).map { ActionText.literal(of: $0.value) } ?? ""
      return Value.record(
        Record(record.layout, [.string(module.name), .string(module.schema?.typeName ?? ""), .string(value)]))
    }
    return Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(.dynamic(.record(record)))))
  }
}
