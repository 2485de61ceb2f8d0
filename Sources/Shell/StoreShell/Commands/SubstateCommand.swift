import ShellLanguage
import StoreHost
import StoreSchema

extension CommandDefinition {
  private static let addSubstate = Need.action(SubstateChange.addType)

  static let substate = CommandDefinition(
    "substate", needs: .parts(["add": addSubstate, "reset": .action(SubstateChange.resetType)]),
    usage: ["substate [add NAME --value V [--replace] | reset [NAME…]]"],
    summary: "adds or removes temporary state, or lists it; reset without a name removes all",
    flags: FlagDefinition.format + [
      FlagDefinition("value", value: "V", need: addSubstate, "the initial value of the substate"),
      FlagDefinition("replace", need: addSubstate, "replace one of that name"),
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
    ],
    defines: .anything,
    removal: Removal(
      noun: "substate", need: .action(SubstateChange.resetType),
      names: { session in session.store.modules.map(\.name).filter { session.store.isSubstate($0) } },
      remove: { try $0.perform(.substate(.reset(names: [$1])), by: "substate") }),
    listing: { CommandListing($0.substateListing, of: "substates") }, read: SubstateRequest.read,
    // A name declared by hand has a type that later lines are checked by.
    addNames: { if case .known(let request) = $0, request.isKnown { _ = try request.perform(in: $1) } },
    perform: { try $0.value(in: $1).perform(in: $1) })
}

/// A part of the state that a line adds or takes away.
private enum SubstateRequest {
  case add(String, Schema, Given<Value>, isReplacing: Bool)
  case reset(Given<[String]>)

  static func read(_ reader: CommandReader) throws -> Given<SubstateRequest> {
    try reader.required(0, "add or reset").flatMap { word in
      guard try reader.isFirst("add", or: "reset", word) else {
        return .known(
          .reset(Given.all(try reader.operands.indices.dropFirst().compactMap { try reader.operand($0) })))
      }
      try reader.refuseOperands(from: 2)
      return try reader.required(1, "a name").map { try .init(adding: $0, reader) }
    }
  }

  private init(adding name: String, _ reader: CommandReader) throws {
    guard let literal = reader.literal(of: "value"), let word = reader.word(of: "value") else {
      throw reader.missing("--value V")
    }
    let vocabulary = reader.vocabulary
    if !vocabulary.isSubstate(name) { try vocabulary.requireFree(name, as: .substate, at: reader.operands[1]) }
    let schema = vocabulary.substateSchema(name)
    let value = { (literal: Literal, resolve: (Reference) throws -> Value) throws -> Value in
      do {
        return try word.marking {
          let value = try literal.substate(schema, resolving: resolve)
          if case .any = schema.kind { return try value.untyped() }
          return value
        }
      } catch let error as SchemaError {
        throw ShellError(code: error.code, message: error.under(Path([.field(name)])).message, at: word)
      }
    }
    self = .add(
      name, schema,
      literal.isKnown
        ? .known(try value(literal) { _ in .none }) : .later { try value($0.withArguments(literal), $0.resolve) },
      isReplacing: reader.has("replace"))
  }

  /// True if it may be performed before anything runs.
  fileprivate var isKnown: Bool {
    switch self {
    case .add(_, _, let value, _): value.known != nil
    case .reset(let names): names.known != nil
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    let change: SubstateChange
    switch self {
    case .add(let name, let schema, let value, let isReplacing):
      change = .add(name: name, schema: schema, try value.value(in: session), isReplacing: isReplacing)
    case .reset(let names): change = .reset(names: try names.value(in: session))
    }
    return try session.perform(.substate(change), by: "substate")
  }
}

extension Literal {
  /// The value of a substate: as the language writes it, or JSON in quotes.
  fileprivate func substate(_ schema: Schema, resolving resolve: (Reference) throws -> Value) throws -> Value {
    let text: String
    switch self {
    case .text(let given): text = given
    case .composed(let given) where given.isQuoted: text = try given.text(resolving: resolve)
    default: return try value(as: schema, resolving: resolve)
    }
    if case .string = schema.kind { return .string(text) }
    let json: Value
    do throws(JSONError) {
      json = try JSON.value(of: text)
    } catch {
      // It is not to be kept as a text in silence.
      guard !error.isOfValue else {
        throw ShellError(
          code: .typeMismatch, message: "in this JSON \(error.message)",
          hint: "a text that looks like JSON is written as one of JSON: --value '\"…\"'")
      }
      return try Literal.text(text).value(as: schema, resolving: resolve)
    }
    return try schema.check(schema.readingNonFinite(json))
  }
}

extension JSON {
  /// True if `substate` takes a text for JSON.
  static func isRead(from text: String) -> Bool {
    do throws(JSONError) {
      _ = try value(of: text)
      return true
    } catch {
      return error.isOfValue
    }
  }
}

extension Session {
  fileprivate var substateListing: Reading {
    let rows = store.modules.filter { store.isSubstate($0.name) }.map { module -> [Value] in
      let value = (try? store.read(Path([.field(module.name)]))).map { ActionText.literal(of: $0.value) } ?? ""
      return [.string(module.name), .string(module.schema?.typeName ?? ""), .string(value)]
    }
    return Reading(rows: rows, "Substate", ["name", "type", "value"])
  }
}
