import ShellLanguage
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let middleware = CommandDefinition(
    "middleware", needs: .parts(["on": .dispatch, "off": .dispatch, "gate": .dispatch]),
    usage: [
      "middleware [on|off NAME]", "middleware gate NAME --at PATH [--is VALUE]",
      "middleware gate NAME --control ACTION [--arg NAME] [--on VALUE] [--off VALUE]", "middleware gate NAME --none",
    ],
    summary: "lists the middlewares with their gates, opens and shuts a gate, or has the state or actions move it",
    flags: [
      FlagDefinition("at", value: "PATH", need: .dispatch, "gate: open while a value stands at a path of the state"),
      FlagDefinition("is", value: "VALUE", need: .dispatch, "gate: that value, true by default"),
      FlagDefinition("control", value: "ACTION", need: .dispatch, "gate: moved by an argument of an action"),
      FlagDefinition("arg", value: "NAME", need: .dispatch, "gate: which argument, where it has several"),
      FlagDefinition(
        "on", value: "VALUE", need: .dispatch, "gate: the argument's value that opens it, true by default"),
      FlagDefinition("off", value: "VALUE", need: .dispatch, "gate: the value that shuts it, false by default"),
      FlagDefinition("none", need: .dispatch, "gate: no longer moved but by on and off"),
    ] + FlagDefinition.format, operands: [.words(["on", "off", "gate"]), .middleware],
    examples: [
      CommandExample(
        "middleware on logger", output: "#1 shell.setGate name=\"logger\" open=true\n"),
      CommandExample(
        "middleware",
        output: """
          order  name    gate  seen  tasks  origin
          1      logger  off   0     0      swift

          """),
      CommandExample(
        "middleware gate logger --at counter.step --is 5",
        output: "#1 shell.setRule name=\"logger\" rule={ at = \"counter.step\", is = 5 }\n"),
    ],
    listing: { CommandListing(ShellListing.middleware.reading(in: $0), hiding: ["held", "dropped"]) },
    read: MiddlewareRequest.init, perform: { try $0.perform(in: $1) })
}

/// The gate that a line moves, or gives a rule.
private struct MiddlewareRequest {
  private let name: Given<String>
  private let change: Change

  private enum Change {
    case position(isOpen: Bool)
    case rule((Session) throws -> GateRule?)
  }

  init(_ reader: CommandReader) throws {
    let verb = reader.operands[0].text
    let isRule = verb == "gate"
    let isOpen = try isRule || reader.isFirst("on", or: "off", verb)
    if !isRule { try reader.refuseFlags(but: FlagDefinition.format, of: "middleware \(verb)") }
    try reader.refuseOperands(from: 2)
    name = try reader.required(1, "the name of a middleware").map { name in
      let names = reader.vocabulary.middlewareNames
      if names.contains(name) { return name }
      throw ShellError(
        code: .unknownMiddleware, message: "there is no middleware '\(name)'", at: reader.operands[1],
        hint: Suggestion.question(name, among: names) ?? "middleware lists them")
    }
    change = isRule ? .rule(try Self.rule(reader)) : .position(isOpen: isOpen)
  }

  private static func rule(_ reader: CommandReader) throws -> (Session) throws -> GateRule? {
    if reader.has("none") { return { _ in nil } }
    if let text = try reader.text(of: "at"), let word = reader.word(of: "at") {
      let path = try GivenPath(text, at: word, marksWord: true)
      try reader.checkPath(path)
      let value = reader.literal(of: "is")
      return { session in
        let path = try path.value(in: session)
        let schema = try session.declaredType(at: path)
        return .state(at: path, is: try value.map { try session.value($0, as: schema) } ?? .bool(true))
      }
    }
    let (on, off) = (reader.literal(of: "on"), reader.literal(of: "off"))
    if let control = try reader.text(of: "control") {
      let place = reader.place(of: "control")
      let argument = try reader.text(of: "arg")
      return { session in
        let type = try session.action(control.value(in: session), at: place)
        let field = try Self.field(argument?.value(in: session), of: type, at: place)
        return .actions(
          GateRule.Control(
            [type.fullName], argument: field.name,
            on: try on.map { try session.value($0, as: field.schema) } ?? .bool(true),
            off: try off.map { try session.value($0, as: field.schema) } ?? .bool(false)))
      }
    }
    guard let on = try reader.text(of: "on"), let off = try reader.text(of: "off") else {
      throw ShellError(
        code: .missingArgument,
        message: "middleware gate needs --at PATH, --control ACTION, --on ACTION --off ACTION, or --none",
        at: reader.operands[0], hint: "usage: \(reader.usage)")
    }
    let (onPlace, offPlace) = (reader.place(of: "on"), reader.place(of: "off"))
    return { session in
      let names = try [(on, onPlace), (off, offPlace)].map {
        try session.action($0.value(in: session), at: $1).fullName
      }
      return .actions(GateRule.Control(names, on: .string(names[0]), off: .string(names[1])))
    }
  }

  /// The argument of a control action that moves the gate: the one that is named, or the only one.
  private static func field(
    _ name: String?, of type: ActionType, at place: ShellError.Place
  ) throws(ShellError) -> Field {
    if let field = type.fields.first(where: { $0.name == name }) { return field }
    guard let name else {
      if type.fields.count == 1 { return type.fields[0] }
      throw ShellError(
        code: .missingArgument, message: "\(type.fullName) has \(type.fields.count) arguments", place: place,
        hint: type.fields.isEmpty
          ? "by its name it moves a gate with --on ACTION --off ACTION" : "--arg NAME says which one moves the gate")
    }
    throw ShellError(
      code: .unexpectedArgument, message: "\(type.fullName) has no argument '\(name)'", place: place,
      hint: Suggestion.question(name, among: type.fields.map(\.name)))
  }

  func perform(in session: Session) throws -> CommandResult {
    let source = session.source(function: "middleware")
    let name = try name.value(in: session)
    switch change {
    case .position(let isOpen):
      return try session.finish(session.store.setGate(name, isOpen: isOpen, source: source))
    case .rule(let rule):
      return try session.finish(session.store.dispatch(.setRule(name: name, rule(session)), source))
    }
  }
}

extension Session {
  /// The action of a full name.
  fileprivate func action(_ name: String, at place: ShellError.Place) throws -> ActionType {
    if let type = store.live.action(named: name) { return type }
    throw unknownAction(name, at: place)
  }
}

extension GateRule {
  /// The flags of `middleware gate` that say the rule.
  var flags: String {
    func text(_ value: Value) -> String { ActionText.literal(of: value) }
    switch self {
    case .state(let path, let value): return "--at \(ScalarText.quoted(path.description)) --is \(text(value))"
    case .actions(let control):
      let values = "--on \(text(control.on)) --off \(text(control.off))"
      guard let argument = control.argument, let name = control.names.first else { return values }
      return "--control \(name) --arg \(argument) \(values)"
    }
  }
}
