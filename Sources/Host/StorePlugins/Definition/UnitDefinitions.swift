import LuaRuntime
import StoreModules
import StoreSchema

extension PluginDefinition {
  /// A rule from one action to another (R25).
  struct Bridge {
    let from: ActionType
    let to: ActionType
    /// Looks at the state after reducing.
    let when: LuaFunction?
    /// Makes the arguments, from the arguments of `from` and the state after reducing.
    let carry: LuaFunction?
    let place: DefinitionPlace
  }

  /// A rule from a change of the state to an action (R24).
  struct Transition {
    let at: Path
    let from: End
    let to: End
    let action: ActionType
    /// Makes the arguments, from the values before and after and the state after reducing.
    let carry: LuaFunction?
    let place: DefinitionPlace

    /// The condition on one end.
    enum End {
      case any
      case value(Value)
      case matching(LuaFunction)
    }
  }
}

extension DefinitionReader {
  /// Reads `bridges`: a list of `{ from, to, when, carry }`.
  func bridges(_ value: LuaValue, _ own: [ActionType]) throws(PluginError) -> [PluginDefinition.Bridge] {
    var bridges: [PluginDefinition.Bridge] = []
    for entry in try list(value, "bridges", keys: ["from", "to", "when", "carry"]) {
      guard case .string(let from) = entry["from"], case .string(let to) = entry["to"] else {
        throw types.fault("bridges: every entry needs from and to, the names of actions")
      }
      let place = "bridge from '\(from)' to '\(to)'"
      let when = try optionalFunction(entry["when"], "\(place): when")
      let carry = try optionalFunction(entry["carry"], "\(place): carry")
      let source = try action(from, own, "bridge")
      bridges.append(
        PluginDefinition.Bridge(
          from: source, to: try sent(to, own, place, isCarrying: carry != nil), when: when, carry: carry,
          place: self.place("from", from, when ?? carry)))
    }
    return bridges
  }

  /// Reads `transitions`: a list of `{ at, from, to, dispatch, carry }`.
  func transitions(
    _ value: LuaValue, _ own: [ActionType], _ slice: Schema?
  ) throws(PluginError) -> [PluginDefinition.Transition] {
    var transitions: [PluginDefinition.Transition] = []
    for entry in try list(value, "transitions", keys: ["at", "from", "to", "dispatch", "carry"]) {
      guard case .string(let text) = entry["at"], case .string(let name) = entry["dispatch"] else {
        throw types.fault("transitions: every entry needs at, a path of the state, and dispatch, the name of an action")
      }
      let place = "transition at '\(text)'"
      let (path, schema) = try path(text, slice, place)
      let carry = try optionalFunction(entry["carry"], "\(place): carry")
      let from = try end(entry["from"], schema, "\(place): from")
      let to = try end(entry["to"], schema, "\(place): to")
      transitions.append(
        PluginDefinition.Transition(
          at: path, from: from, to: to, action: try sent(name, own, place, isCarrying: carry != nil), carry: carry,
          place: self.place("at", text, carry ?? to.function ?? from.function)))
    }
    return transitions
  }

  /// The action that the plugin wants dispatched, where it may.
  func dispatched(_ name: String, _ own: [ActionType], _ place: String) throws(PluginError) -> ActionType {
    let fullName = name.contains(".") ? name : "\(manifest.name).\(name)"
    if let type = own.first(where: { $0.fullName == fullName }) { return type }
    guard let type = known.action(fullName) ?? goneAction(fullName) else {
      throw types.fault("\(place): unknown action '\(fullName)'", hint: actionHint(fullName, own))
    }
    guard manifest.mayDispatch(type) else {
      throw types.fault(
        "\(place): may not dispatch '\(fullName)'", hint: "add \"dispatch:\(fullName)\" to permissions in plugin.json")
    }
    return type
  }

  /// The action that a rule dispatches, where the plugin may.
  private func sent(
    _ name: String, _ own: [ActionType], _ place: String, isCarrying: Bool
  ) throws(PluginError) -> ActionType {
    let type = try dispatched(name, own, place)
    if !isCarrying {
      try refuseRequired(of: type, place) { "make it with: carry = function(…) return { \($0) = … } end" }
    }
    return type
  }

  /// The action that is dispatched once the plugin is there: nothing comes with it.
  func dispatchedOnLoad(_ name: String, _ own: [ActionType]) throws(PluginError) -> ActionType {
    let type = try dispatched(name, own, "on_load")
    // A plugin that is brought back with its state is there already.
    if !known.mayLack {
      try refuseRequired(of: type, "on_load") { "give '\($0)' a default, or have another action dispatched" }
    }
    return type
  }

  /// Refuses an action that has to be given something where nothing is.
  ///
  /// - Parameter hint: what to try, of the name of what it needs.
  private func refuseRequired(of type: ActionType, _ place: String, hint: (String) -> String) throws(PluginError) {
    guard let field = type.fields.first(where: \.isRequired) else { return }
    throw types.fault(
      "\(place): '\(type.fullName)' needs '\(field.name)' (\(field.schema.typeName))", hint: hint(field.name))
  }

  /// A path of the state and the type of what stands there; nil where only a state tells.
  func path(_ text: String, _ slice: Schema?, _ place: String) throws(PluginError) -> (Path, Schema?) {
    let path: Path
    do throws(PathSyntaxError) {
      path = try Path(parsing: text)
    } catch {
      throw types.fault("\(place): this is no path: \(error.message)")
    }
    guard case .field(let module) = path.steps.first,
      known.mayLack || known.moduleNames.contains(module) || module == manifest.name
    else {
      var name = text
      if case .field(let module) = path.steps.first { name = module }
      throw types.fault(
        "\(place): unknown module '\(name)'",
        hint: Suggestion.question(name, among: known.moduleNames + [manifest.name]) ?? Self.loadHint(name))
    }
    try mayRead(module, place)
    let root = module == manifest.name ? slice : known.slice(module)
    guard let root else { return (path, nil) }
    do throws(PathError) {
      return (path, try root.type(at: path.steps.dropFirst(), from: Path([path.steps[0]])))
    } catch {
      throw types.fault("\(place): \(error.message)", hint: error.hint)
    }
  }

  private func end(_ value: LuaValue, _ schema: Schema?, _ place: String) throws(PluginError)
    -> PluginDefinition.Transition.End
  {
    switch value {
    case .nil: return .any
    case .function(let function): return .matching(function)
    default:
      do throws(SchemaError) {
        let value = try LuaBridge.value(of: value) { (_) throws(SchemaError) in .none }
        return .value(try schema?.check(value) ?? value)
      } catch {
        throw types.fault("\(place): \(error.message)")
      }
    }
  }

  private func place(_ key: String, _ text: String, _ function: LuaFunction?) -> DefinitionPlace {
    places.place(ofRule: key, text) ?? function.flatMap { places.place(of: $0) }
      ?? DefinitionPlace(chunk: "\(manifest.name)/init.lua", line: 1)
  }
}

extension PluginDefinition.Transition.End {
  fileprivate var function: LuaFunction? {
    if case .matching(let function) = self { return function }
    return nil
  }
}

extension Schema {
  /// The type of what stands at a path in values of the type; nil where the values themselves tell.
  fileprivate func type(at steps: ArraySlice<Path.Step>, from origin: Path) throws(PathError) -> Schema? {
    guard let step = steps.first else { return self }
    let rest = steps.dropFirst()
    let place = origin.appending(step)
    switch (kind, step) {
    case (.any, _), (.union, _): return nil
    case (.optional(let wrapped), _): return try wrapped.type(at: steps, from: origin)
    case (.record(let record), .field(let name)):
      if let index = record.index(of: name) { return try record.fields[index].schema.type(at: rest, from: place) }
      let suggestion = Suggestion.nearest(to: name, among: record.layout.fields)
      throw PathError(
        message: "'\(origin)' has no field '\(name)'", hint: suggestion.map { "did you mean '\(origin).\($0)'?" })
    case (.list(let element), .index), (.list(let element), .match): return try element.type(at: rest, from: place)
    case (.list(let element), .all), (.map(_, let element), .all):
      return try element.type(at: rest, from: place).map { .dynamic(.list($0.dynamic)) }
    case (.map(_, let element), _): return try element.type(at: rest, from: place)
    default: throw PathError(message: "'\(origin)' is no record, list or map, so that '\(place)' leads nowhere")
    }
  }
}

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

extension PluginDefinition {
  /// An interceptor: the function that makes it.
  struct InterceptorEntry {
    /// Its name within the plugin: that of its function, else `interceptor` and its number.
    let name: String
    let build: LuaFunction
  }
}

extension DefinitionReader {
  /// Reads `interceptors`: a list of `function(dispatch, get, next)`.
  func interceptors(_ value: LuaValue) throws(PluginError) -> [PluginDefinition.InterceptorEntry] {
    guard let table = try optionalTable(value, "interceptors") else { return [] }
    var interceptors: [PluginDefinition.InterceptorEntry] = []
    for (key, item) in table.entries() {
      guard case .integer(let number) = key, case .function(let build) = item else {
        throw types.fault("interceptors must be a list of function(dispatch, get, next) … end, got \(item.described)")
      }
      var name = places.name(of: build) ?? "interceptor\(number)"
      if name == "thunk" || interceptors.contains(where: { $0.name == name }) { name += "\(number)" }
      interceptors.append(PluginDefinition.InterceptorEntry(name: name, build: build))
    }
    guard interceptors.isEmpty || manifest.permissions.contains(.intercept) else {
      throw types.fault(
        "interceptors may drop or replace any action, and it may not",
        hint: "add \"intercept\" to permissions in plugin.json")
    }
    return interceptors
  }
}

extension PluginDefinition {
  /// A thunk.
  struct Thunk {
    let type: ThunkType
    let run: LuaFunction
  }
}

/// A thunk that a plugin or a Swift module declares (R20), as the shell knows it.
public struct ThunkType: Sendable {
  /// The action that carries it: `thunk:MODULE.NAME`, with the declared arguments.
  public let action: ActionType
  /// The module's name and its own: `MODULE.NAME`.
  public let fullName: String
  /// True if it takes any arguments by name, because it declares none.
  public let takesAny: Bool

  /// A thunk of a module.
  package init(module: String, name: String, fields: [Field], documentation: String, takesAny: Bool) {
    action = ThunkType.carrier(module, name, fields, documentation)
    fullName = "\(module).\(name)"
    self.takesAny = takesAny
  }

  /// The written form of the thunk: `stock.restock upTo:Int`.
  public var signature: String { ([fullName] + action.fields.map(\.signature)).joined(separator: " ") }

  /// The action type that carries a thunk: `thunk:` before its module tells it from all others.
  private static func carrier(_ module: String, _ name: String, _ fields: [Field], _ text: String) -> ActionType {
    ActionType(module: "thunk:\(module)", name: name, fields: fields, documentation: text)
  }

  /// The action that carries the thunk with arguments that it did not declare.
  public func call(_ named: [(name: String, value: Value)]) -> ActionCall {
    let type = ActionType(
      module: action.module, name: action.name, fields: named.map { Field($0.name, .dynamic(.any)) },
      documentation: action.documentation)
    return ActionCall(type, named.map(\.value))
  }
}

extension DefinitionReader {
  /// Reads `thunks`: `NAME = function(args, t)`, or `NAME = { args = {field…}, doc = …, run = function(args, t) }`.
  func thunks(_ value: LuaValue) throws(PluginError) -> [PluginDefinition.Thunk] {
    guard let table = try optionalTable(value, "thunks") else { return [] }
    var thunks: [PluginDefinition.Thunk] = []
    for (key, value) in table.entries() {
      guard case .string(let name) = key, name.isName else {
        throw types.fault(
          "the keys of thunks must be names, got \(key.described)", hint: "write: NAME = function(args, t) … end")
      }
      thunks.append(try thunk(name, value))
    }
    return thunks
  }

  private func thunk(_ name: String, _ value: LuaValue) throws(PluginError) -> PluginDefinition.Thunk {
    let place = "thunk '\(name)'"
    guard case .table(let entry) = value else {
      guard case .function(let run) = value else {
        throw types.fault("\(place) must be function(args, t) or a table with run, got \(value.described)")
      }
      let type = ThunkType(module: manifest.name, name: name, fields: [], documentation: "", takesAny: true)
      return PluginDefinition.Thunk(type: type, run: run)
    }
    try check(entry, place, keys: ["args", "doc", "run"])
    guard let run = try optionalFunction(entry["run"], "\(place): run") else {
      throw types.fault("\(place) needs run = function(args, t) … end")
    }
    let type = ThunkType(
      module: manifest.name, name: name, fields: try types.fields(entry["args"], place, key: "args"),
      documentation: try text(entry["doc"], "\(place): doc"), takesAny: entry["args"] == .nil)
    return PluginDefinition.Thunk(type: type, run: run)
  }
}

extension DefinitionReader {
  /// Reads the tasks that a middleware has for the entries of a map:
  /// `supervise = { over = PATH, at = FIELD, task = function(task, key, value) … end, reset = FIELD }`.
  ///
  /// - Returns: nil where it supervises by a function, or not at all.
  func entryTasks(
    _ value: LuaValue, each: LuaValue, _ slice: Schema?, _ place: String
  ) throws(PluginError) -> PluginDefinition.EntryTasks? {
    guard case .table(let table) = value else { return nil }
    let place = "\(place): supervise"
    guard each == .nil else { throw types.fault("\(place): over and task cannot be combined with each") }
    try check(table, place, keys: ["over", "at", "task", "reset"])
    guard case .string(let text) = table["over"] else {
      throw types.fault(
        "\(place): over must be the path of a map, got \(table["over"].described)",
        hint: "write: supervise = { over = \"holds\", task = function(task, key, hold) … end }")
    }
    guard case .function(let task) = table["task"] else {
      throw types.fault(
        "\(place): task must be a function, got \(table["task"].described)",
        hint: "write: task = function(task, key, value) … end")
    }
    let (path, schema) = try pathToElements(text, slice, "\(place): over")
    let entry: Schema?
    switch schema?.kind {
    case .map(_, let value)?: entry = value
    case nil where known.mayLack: entry = nil
    default: throw types.fault("\(place): over must lead to a map", hint: "'\(text)' is none")
    }
    let (at, reset) = (try field(table["at"], "at", entry, place), try field(table["reset"], "reset", entry, place))
    guard at == nil || reset == nil else {
      throw types.fault(
        "\(place): at cannot be combined with reset", hint: "a task starts anew whenever the field of at changes")
    }
    if let at, let entry, case .record(let record) = entry.kind {
      switch record.fields.first(where: { $0.name == at })?.schema.wrapped.kind {
      case .int, .double: break
      default: throw types.fault("\(place): at must name a number, the time of the store at which the task starts")
      }
    }
    return PluginDefinition.EntryTasks(path: path, task: task, reset: reset, at: at)
  }

  /// The name of a field of the entries of a map.
  private func field(
    _ value: LuaValue, _ key: String, _ entry: Schema?, _ place: String
  ) throws(PluginError) -> String? {
    switch value {
    case .nil: return nil
    case .string(let name):
      guard let entry else { return name }
      let names: [String]
      if case .record(let record) = entry.kind { names = record.fields.map(\.name) } else { names = [] }
      guard names.contains(name) else {
        throw types.fault(
          "\(place): \(key) names no field of the entries", hint: Suggestion.question(name, among: names))
      }
      return name
    default: throw types.fault("\(place): \(key) must be the name of a field, got \(value.described)")
    }
  }
}

extension DefinitionReader {
  /// Reads for which elements a middleware runs: `each = PATH`, a list of records with an `id` or a map, and `by = ARGUMENT`,
  /// the argument of an action that names one of them, `id` by default.
  func elements(
    _ value: LuaValue, by argument: LuaValue, _ slice: Schema?, _ place: String
  ) throws(PluginError) -> ElementRule? {
    guard value != .nil else {
      guard argument == .nil else { throw types.fault("\(place): by needs each, the path of a list or a map") }
      return nil
    }
    guard case .string(let text) = value else {
      throw types.fault("\(place): each must be the path of a list or a map, got \(value.described)")
    }
    let (path, schema) = try pathToElements(text, slice, "\(place): each")
    var name = "id"
    switch argument {
    case .nil: break
    case .string(let given): name = given
    default: throw types.fault("\(place): by must be the name of an argument, got \(argument.described)")
    }
    switch schema?.kind {
    case .map(let key, _)?: return ElementRule(path: path, isMap: true, key: key, argument: name)
    case .list(let element)? where element.hasID:
      return ElementRule(path: path, isMap: false, key: element.kindOfID, argument: name)
    case nil where known.mayLack: return ElementRule(path: path, isMap: false, key: nil, argument: name)
    default:
      throw types.fault(
        "\(place): each must lead to a map, or to a list of records with a field id, an integer or a text",
        hint: "'\(text)' is neither")
    }
  }

  /// Refuses an argument that none of the actions has which the middleware hears.
  func refuseUnheard(_ unit: PluginDefinition.Unit, _ own: [ActionType], _ place: String) throws(PluginError) {
    guard let argument = unit.each?.argument, unit.before != nil || unit.after != nil, !known.mayLack else { return }
    let heard = own.filter(unit.on.accepts) + known.actionNames().compactMap(known.action).filter(unit.on.accepts)
    let named = heard.compactMap { type in type.fields.first { $0.name == argument }?.schema.wrapped.kind }
    guard named.isEmpty else {
      guard let rule = unit.each, let key = rule.key, !named.contains(where: { $0.mayName(key) }) else { return }
      throw types.fault(
        "\(place): '\(argument)' is never \(key == .int ? "an integer" : "a text"), as what names an element of \(rule.path) is"
      )
    }
    let arguments = heard.flatMap { $0.fields.map(\.name) }
    throw types.fault(
      "\(place): none of the actions that it hears has the argument '\(argument)'",
      hint: Suggestion.question(argument, among: arguments))
  }

  /// A path that begins with a field of the plugin's own slice, which needs no module, or with a module.
  func pathToElements(
    _ text: String, _ slice: Schema?, _ place: String
  ) throws(PluginError) -> (Path, Schema?) {
    let first = text.prefix { $0 != "." && $0 != "[" }
    if case .record(let record)? = slice?.kind, record.fields.contains(where: { $0.name == first }),
      let own = try? path("\(manifest.name).\(text)", slice, place)
    {
      return own
    }
    return try path(text, slice, place)
  }
}

extension Schema {
  /// The kind of a record's `id`.
  fileprivate var kindOfID: KeyKind? {
    guard case .record(let record) = kind, let field = record.fields.first(where: { $0.name == "id" }) else {
      return nil
    }
    if case .int = field.schema.wrapped.kind { return .int }
    return .string
  }
}

extension Schema.Kind {
  /// True if a value of the kind may name what has such a key.
  fileprivate func mayName(_ key: Schema.KeyKind) -> Bool {
    switch self {
    case .int: key == .int
    case .string, .choice: key == .string
    case .any: true
    default: false
    }
  }
}
