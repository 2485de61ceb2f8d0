import LuaRuntime
import StoreModules
import StoreSchema

extension DefinitionReader {
  /// Reads the rule of a gate: `{ control = ACTION, arg = NAME, on = VALUE, off = VALUE }`, `{ on = ACTION, off = ACTION }` or
  /// `{ at = PATH, is = VALUE }`.
  func gateRule(
    _ table: LuaTable, _ own: [ActionType], _ slice: Schema?, _ place: String
  ) throws(PluginError) -> GateRule {
    try check(table, place, keys: ["control", "arg", "on", "off", "start", "at", "is"])
    guard table["at"] != .nil else { return .actions(try control(table, own, place)) }
    for key in ["control", "arg", "on", "off", "start"] where table[key] != .nil {
      throw types.fault("\(place): \(key) cannot be combined with at")
    }
    guard case .string(let text) = table["at"] else {
      throw types.fault("\(place): at must be a path of the state, got \(table["at"].described)")
    }
    let (path, schema) = try path(text, slice, place)
    return .state(at: path, is: try value(table["is"], or: .bool(true), of: schema, "\(place): is"))
  }

  private func control(_ table: LuaTable, _ own: [ActionType], _ place: String) throws(PluginError) -> GateRule.Control
  {
    if table["is"] != .nil { throw types.fault("\(place): is needs at, a path of the state") }
    let startsOpen: Bool
    switch table["start"] {
    case .nil, .string("on"), .boolean(true): startsOpen = true
    case .string("off"), .boolean(false): startsOpen = false
    default: throw types.fault("\(place): start must be \"on\" or \"off\", got \(table["start"].described)")
    }
    func name(_ key: String) throws(PluginError) -> String {
      guard case .string(let name) = table[key] else {
        throw types.fault(
          "\(place): \(key) must be the name of an action, got \(table[key].described)",
          hint: "write { on = ACTION, off = ACTION }, { control = ACTION, on = VALUE, off = VALUE } or { at = PATH }")
      }
      return try action(name, own, place).fullName
    }
    let control = table["control"]
    if case .string(let text) = control, !text.hasSuffix(".*") {
      let type = try action(text, own, place)
      let field = try decidingField(of: type, table["arg"], place)
      let on = try value(table["on"], or: .bool(true), of: field.schema, "\(place): on")
      let off = try value(table["off"], or: .bool(false), of: field.schema, "\(place): off")
      return try moving([type.fullName], argument: field.name, on: on, off: off, startsOpen, place)
    }
    if table["arg"] != .nil { throw types.fault("\(place): arg needs control, the name of one action") }
    let (on, off) = (try name("on"), try name("off"))
    var names = [on, off]
    switch control {
    case .nil: break
    case .string(let text):
      let module = String(text.dropLast(2))
      guard known.mayLack || known.moduleNames.contains(module) || module == manifest.name else {
        throw types.fault(
          "\(place): unknown module '\(module)'",
          hint: Suggestion.question(module, among: known.moduleNames) ?? Self.loadHint(module))
      }
      try mayRead(module, place)
      names.append(text)
    default:
      throw types.fault("\(place): control must be the name of an action or MODULE.*, got \(control.described)")
    }
    return try moving(names, argument: nil, on: .string(on), off: .string(off), startsOpen, place)
  }

  private func moving(
    _ names: [String], argument: String?, on: Value, off: Value, _ startsOpen: Bool, _ place: String
  ) throws(PluginError) -> GateRule.Control {
    guard on != off else {
      throw types.fault("\(place): on and off must differ: one value cannot both open and shut the gate")
    }
    return GateRule.Control(names, argument: argument, on: on, off: off, startsOpen: startsOpen)
  }

  /// The argument of a control action that moves the gate: the one that is named, or the only one.
  private func decidingField(of type: ActionType, _ name: LuaValue, _ place: String) throws(PluginError) -> Field {
    if case .string(let name) = name {
      if let field = type.fields.first(where: { $0.name == name }) { return field }
      throw types.fault(
        "\(place): '\(type.fullName)' has no argument '\(name)'",
        hint: Suggestion.question(name, among: type.fields.map(\.name)))
    }
    guard name == .nil else {
      throw types.fault("\(place): arg must be the name of an argument, got \(name.described)")
    }
    if type.fields.count == 1 { return type.fields[0] }
    throw types.fault(
      "\(place): '\(type.fullName)' has \(type.fields.count) arguments: arg = NAME says which one moves the gate",
      hint: type.fields.isEmpty ? "an action without any moves it by its name: { on = ACTION, off = ACTION }" : nil)
  }

  /// A value that is compared, checked against the type of what it is compared with.
  private func value(
    _ value: LuaValue, or standard: Value, of schema: Schema?, _ place: String
  ) throws(PluginError) -> Value {
    do throws(SchemaError) {
      let given = value == .nil ? standard : try LuaBridge.value(of: value) { (_) throws(SchemaError) in .none }
      return try schema?.check(given) ?? given
    } catch {
      throw types.fault("\(place): \(error.message)")
    }
  }
}
