import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// The rule of a gate as `middleware gate` is given it: the flags that say one, and the flags that one is said with.
extension CommandReader {
  /// The flags of each kind of rule, by the one that tells the kind.
  private static let ruleFlags = [
    (kind: "none", others: []), (kind: "at", others: ["is"]), (kind: "control", others: ["arg", "on", "off"]),
    (kind: "on", others: ["off"]), (kind: "off", others: ["on"]),
  ]

  /// The rule that the flags say; nil: none is to be left.
  func gateRule() throws -> Given<GateRule?> {
    var reader = self
    reader.usage = "middleware gate NAME --at PATH | --control ACTION | --on ACTION --off ACTION | --none"
    return try reader.readRule()
  }

  private func readRule() throws -> Given<GateRule?> {
    guard let (kind, others) = Self.ruleFlags.first(where: { has($0.kind) }) else {
      throw ShellError(
        code: .missingArgument,
        message: "middleware gate needs --at PATH, --control ACTION, --on ACTION --off ACTION, or --none",
        at: operands[0], hint: "usage: \(usage)")
    }
    for flag in ["at", "is", "control", "arg", "on", "off"] where has(flag) && flag != kind && !others.contains(flag) {
      throw fault(.unexpectedArgument, "--\(flag) and --\(kind) cannot be combined", of: flag)
    }
    switch kind {
    case "none": return .known(nil)
    case "at": return try stateRule().map { $0 }
    case "control": return try argumentRule().map { $0 }
    default: return try nameRule().map { $0 }
    }
  }

  /// `--at PATH --is VALUE`: the state decides.
  private func stateRule() throws -> Given<GateRule> {
    guard let text = try text(of: "at"), let word = word(of: "at") else { throw missing("--at PATH") }
    let place = try place(GivenPath(text, at: word, marksWord: true))
    return try place.flatMap { [self] place in
      guard vocabulary.isState(place.path) else {
        throw fault(.unknownPath, "'\(place.path)' is not in the state; only the state can move a gate", of: "at")
      }
      return try value(of: "is", or: true, for: "'\(place.path)'", place.type, beside: "at")
        .map { .state(at: place.path, is: $0) }
    }
  }

  /// `--control ACTION --arg NAME --on VALUE --off VALUE`: an argument of an action decides.
  private func argumentRule() throws -> Given<GateRule> {
    guard let name = try text(of: "control") else { throw missing("--control ACTION") }
    let argument = try text(of: "arg").map { try $0.map { $0 } } ?? .known(nil)
    return try name.with(argument).flatMap { [self] name, argument in
      let type = try actionType(name, of: "control")
      let field = try decidingField(argument, of: type)
      let owner = "'\(field.name)' of \(type.fullName)"
      let on = try value(of: "on", or: true, for: owner, field.schema, beside: "control")
      let off = try value(of: "off", or: false, for: owner, field.schema, beside: "control")
      return try rule([type.fullName], argument: field.name, on.with(off))
    }
  }

  /// `--on ACTION --off ACTION`: the names of two actions decide.
  private func nameRule() throws -> Given<GateRule> {
    guard let on = try text(of: "on"), let off = try text(of: "off") else {
      throw missing(has("on") ? "--off ACTION" : "--on ACTION")
    }
    return try on.with(off).flatMap { [self] on, off in
      let names = [try actionType(on, of: "on").fullName, try actionType(off, of: "off").fullName]
      return try rule(names, argument: nil, .known((.string(names[0]), .string(names[1]))))
    }
  }

  private func rule(
    _ names: [String], argument: String?, _ ends: Given<(Value, Value)>
  ) throws -> Given<GateRule> {
    try ends.map { [self] on, off in
      guard on != off else {
        throw fault(
          .unexpectedArgument, "--on and --off must differ: one value cannot both open and shut a gate", of: "off")
      }
      return .actions(GateRule.Control(names, argument: argument, on: on, off: off))
    }
  }

  private func actionType(_ name: String, of flag: String) throws -> ActionType {
    switch try vocabulary.action(name, at: place(of: flag)) {
    case .type(let type): return type
    case .dropped(let projection):
      throw fault(.unknownAction, "\(name) is mapped to nothing by the projection \(projection)", of: flag)
    }
  }

  /// The argument of a control action that moves the gate: the one that is named, or the only one.
  private func decidingField(_ name: String?, of type: ActionType) throws -> Field {
    if let field = type.fields.first(where: { $0.name == name }) { return field }
    guard let name else {
      if type.fields.count == 1 { return type.fields[0] }
      throw ShellError(
        code: .missingArgument, message: "\(type.fullName) has \(type.fields.count) arguments",
        place: place(of: "control"),
        hint: type.fields.isEmpty
          ? "by its name it moves a gate with --on ACTION --off ACTION" : "--arg NAME says which one moves the gate")
    }
    throw ShellError(
      code: .unexpectedArgument, message: "\(type.fullName) has no argument '\(name)'", place: place(of: "arg"),
      hint: Suggestion.question(name, among: type.fields.map(\.name)))
  }

  /// The value that a flag gives, which something of that type is compared with.
  ///
  /// - Parameters:
  ///   - standard: what stands for the flag where it is absent.
  ///   - owner: what it is compared with, in words.
  ///   - kind: the flag that asks for it.
  private func value(
    of flag: String, or standard: Bool, for owner: String, _ type: Schema, beside kind: String
  ) throws -> Given<Value> {
    guard let literal = literal(of: flag) else {
      guard let value = try? type.check(.bool(standard)) else {
        throw ShellError(
          code: .missingArgument, message: "\(owner) is \(type.typeName), so it needs --\(flag) VALUE",
          place: place(of: kind), hint: "usage: \(usage)")
      }
      return .known(value)
    }
    func checked(_ value: () throws -> Value) throws -> Value {
      do {
        return try value()
      } catch let error as SchemaError {
        var named = error
        if case .bare(let text) = literal { named = error.naming(text) }
        throw fault(named.code, "\(owner): \(named.message)", of: flag)
      }
    }
    if literal.isKnown { return .known(try checked { try literal.value(as: type) { _ in .none } }) }
    return .later { session in try checked { try session.value(literal, as: type) } }
  }
}

extension GateRule {
  /// The flags of `middleware gate` that say the rule.
  var flags: String {
    func text(_ value: Value) -> String { ActionText.literal(of: value) }
    switch self {
    case .state(let path, let value): return "--at \(text(.string(path.description))) --is \(text(value))"
    case .actions(let control):
      let values = "--on \(text(control.on)) --off \(text(control.off))"
      guard let argument = control.argument, let name = control.names.first else { return values }
      return "--control \(name) --arg \(argument) \(values)"
    }
  }
}
