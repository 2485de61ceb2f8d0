import LuaRuntime
import StoreModules
import StoreSchema

/// Reads the table that a plugin gives to `plugin{…}`, against the modules that the store has. Extensions read one part of
/// the table a file.
struct DefinitionReader {
  let manifest: PluginManifest
  let known: KnownModules
  /// The definition that the same code declared before.
  let twin: PluginDefinition?
  /// The places of functions and rules.
  let places: DefinitionPlaces
  let types: TypeReader

  init(manifest: PluginManifest, known: KnownModules, twin: PluginDefinition?, places: DefinitionPlaces) {
    self.manifest = manifest
    self.known = known
    self.twin = twin
    self.places = places
    types = TypeReader(plugin: manifest.name)
  }

  private static let keys = [
    "state", "actions", "reducers", "lifted", "interceptors", "thunks", "bridges", "transitions", "middleware",
    "projections", "commands", "on_load", "on_unload", "migrate",
  ]

  func read(_ table: LuaTable) throws(PluginError) -> PluginDefinition {
    do throws(PluginError) {
      return try definition(table)
    } catch {
      guard error.trace.isEmpty, let place = places.present else { throw error }
      throw PluginError(
        error.code, of: error.plugin, error.detail, trace: ["at \(place.chunk):\(place.line)"], hint: error.hint)
    }
  }

  /// The value of a part of the definition, which is read next.
  private func part(_ key: String, of table: LuaTable) -> LuaValue {
    places.enter(key)
    return table[key]
  }

  private func definition(_ table: LuaTable) throws(PluginError) -> PluginDefinition {
    for (key, _) in table.entries() {
      if case .string(let name) = key {
        if Self.keys.contains(name) { continue }
        places.enter(name)
      }
      throw types.unknown(
        key, "plugin{…} has no key", among: Self.keys, else: "keys are \(Self.keys.joined(separator: ", "))")
    }
    var definition = PluginDefinition()
    let fields = try types.fields(part("state", of: table), "state")
    if !fields.isEmpty {
      let schema =
        twin?.schema.map { Schema(sharing: $0) }
        ?? .dynamic(.record(RecordSchema(name: manifest.name, fields: fields)))
      definition.schema = schema
      definition.initial = twin?.initial ?? schema.initialValue
    }
    definition.actions = try actions(part("actions", of: table))
    definition.lifted = try lifted(part("lifted", of: table), definition.actions)
    let own = definition.ownActions
    definition.reducers = try reducers(part("reducers", of: table), own)
    definition.interceptors = try interceptors(part("interceptors", of: table))
    definition.thunks = try thunks(part("thunks", of: table))
    definition.bridges = try bridges(part("bridges", of: table), own)
    definition.transitions = try transitions(part("transitions", of: table), own, definition.schema)
    definition.middleware = try middleware(
      part("middleware", of: table), own, definition.schema,
      [
        (PluginDefinition.bridgeUnit, definition.bridges.count),
        (PluginDefinition.transitionUnit, definition.transitions.count),
      ])
    definition.projections = try projections(part("projections", of: table), fields)
    definition.commands = try commands(part("commands", of: table))
    definition.onUnload = try optionalFunction(part("on_unload", of: table), "on_unload")
    definition.migrate = try optionalFunction(part("migrate", of: table), "migrate").map { WatchedFunction($0) }
    if definition.migrate != nil, fields.isEmpty { throw types.fault("migrate needs a declared state") }
    switch part("on_load", of: table) {
    case .nil: break
    case .string(let name): definition.onLoad = try dispatchedOnLoad(name, own)
    case let other: throw types.fault("on_load must be the name of an action, got \(other.described)")
    }
    return definition
  }

  // MARK: Parts

  private func actions(_ value: LuaValue) throws(PluginError) -> [ActionType] {
    var actions: [ActionType] = []
    for entry in try list(value, "actions", keys: ["name", "args", "doc", "quiet"]) {
      let name = try self.name(entry, "actions")
      guard !actions.contains(where: { $0.name == name }) else {
        throw types.fault("action '\(name)' is declared twice")
      }
      let type = ActionType(
        module: manifest.name, name: name,
        fields: try types.fields(entry["args"], "\(manifest.name).\(name)", key: "args"),
        documentation: try text(entry["doc"], "action '\(name)': doc"),
        isQuiet: try flag(entry["quiet"], "action '\(name)': quiet"))
      actions.append(twin?.actions.first { $0.name == name } ?? type)
    }
    return actions
  }

  private func reducers(_ value: LuaValue, _ own: [ActionType]) throws(PluginError) -> [String: WatchedFunction] {
    var reducers: [String: WatchedFunction] = [:]
    guard let table = try optionalTable(value, "reducers") else { return [:] }
    for (key, value) in table.entries() {
      guard case .string(let name) = key else {
        throw types.fault("the keys of reducers must be names of actions, got \(key.described)")
      }
      places.leave()
      let type = try action(name, own, "reducer")
      places.enter("reducers")
      guard let function = try optionalFunction(value, "reducer '\(name)'") else { continue }
      guard reducers.updateValue(WatchedFunction(function), forKey: type.fullName) == nil else {
        throw types.fault("reducer for '\(type.fullName)' is declared twice")
      }
    }
    return reducers
  }

  private func lifted(_ value: LuaValue, _ own: [ActionType]) throws(PluginError) -> [PluginDefinition.Lifted] {
    var lifted: [PluginDefinition.Lifted] = []
    for entry in try list(value, "lifted", keys: ["at", "on", "args", "reduce"]) {
      guard case .string(let module) = entry["at"] else {
        throw types.fault("lifted: every entry needs at, the name of a module, got \(entry["at"].described)")
      }
      try refuseModule(ofLifted: module)
      guard case .string(let name) = entry["on"] else {
        throw types.fault("lifted at '\(module)': on must be the name of an action, got \(entry["on"].described)")
      }
      guard let function = try optionalFunction(entry["reduce"], "lifted on '\(name)': reduce") else {
        throw types.fault("lifted on '\(name)' needs reduce = function(draft, args, meta) … end")
      }
      let (action, isNew) = try liftedAction(name, entry, own + lifted.map(\.action))
      lifted.append(
        PluginDefinition.Lifted(
          module: module, action: action, declaresAction: isNew, function: WatchedFunction(function)))
    }
    return lifted
  }

  /// Refuses modules over which no reducer of the plugin can be lifted.
  private func refuseModule(ofLifted module: String) throws(PluginError) {
    guard module != manifest.name else {
      throw types.fault(
        "lifted: '\(module)' is the plugin's own module", hint: "reducers = { … } is for the plugin's own state")
    }
    guard known.mayLack || known.moduleNames.contains(module) else {
      throw types.fault(
        "lifted: unknown module '\(module)'",
        hint: Suggestion.question(module, among: known.moduleNames) ?? Self.loadHint(module))
    }
    guard manifest.permissions.contains(.reduce(module: module)) else {
      throw types.fault(
        "lifted: may not reduce over '\(module)'", hint: "add \"reduce:\(module)\" to permissions in plugin.json")
    }
    guard !known.mayLack else { return }
    guard let schema = known.slice(module) else { throw types.fault("lifted: '\(module)' has no state to reduce") }
    if case .any = schema.kind {
      throw types.fault(
        "lifted: '\(module)' is a substate of no declared type, by which writes could be checked",
        hint: "give the plugin a state of its own, or have the application declare the substate")
    }
  }

  /// The action that a lifted reducer answers: one that exists, or a new one of the module that it is lifted to.
  private func liftedAction(
    _ name: String, _ entry: LuaTable, _ declared: [ActionType]
  ) throws(PluginError) -> (ActionType, isNew: Bool) {
    let takesArguments = entry["args"] != .nil
    // The plugin's own go without its name, as they do elsewhere.
    let ownName = name.contains(".") ? name : "\(manifest.name).\(name)"
    if let type = declared.first(where: { $0.fullName == ownName }) ?? known.action(name)
      ?? (takesArguments ? nil : goneAction(name))
    {
      guard !takesArguments else {
        throw types.fault("lifted on '\(name)': the action exists, so it takes no args here")
      }
      // A plugin that may change a module's state may see the module's own actions, not the actions of a third module.
      if entry["at"] != .string(type.module) { try mayRead(type.module, "lifted on '\(name)'") }
      return (type, false)
    }
    guard takesArguments, case .string(let module) = entry["at"], name.hasPrefix("\(module)."),
      case let short = String(name.dropFirst(module.utf8.count + 1)), short.isName
    else {
      throw types.fault(
        "lifted on unknown action '\(name)'",
        hint: Suggestion.question(name, among: declared.map(\.fullName) + known.actionNames())
          ?? "args = {…} declares a new one, in the module that it is lifted over")
    }
    return (ActionType(module: module, name: short, fields: try types.fields(entry["args"], name, key: "args")), true)
  }

  private func middleware(
    _ value: LuaValue, _ own: [ActionType], _ slice: Schema?, _ ruleUnits: [(name: String, count: Int)]
  ) throws(PluginError) -> [PluginDefinition.Unit] {
    var units: [PluginDefinition.Unit] = []
    for entry in try list(
      value, "middleware", keys: ["name", "gate", "each", "by", "on", "before", "after", "supervise"])
    {
      let name = try self.name(entry, "middleware")
      guard !units.contains(where: { $0.name == name }) else {
        throw types.fault("middleware '\(name)' is declared twice")
      }
      for (unit, count) in ruleUnits where unit == name && count > 0 {
        throw types.fault("middleware '\(name)' has the name of the unit that its rules stand in")
      }
      let place = "middleware '\(name)'"
      var isOpen = true
      var rule: GateRule?
      switch entry["gate"] {
      case .nil, .string("on"), .boolean(true): break
      case .string("off"), .boolean(false): isOpen = false
      case .table(let table): rule = try gateRule(table, own, slice, "\(place): gate")
      default: throw types.fault("\(place): gate must be \"on\", \"off\" or a rule, got \(entry["gate"].described)")
      }
      let entryTasks = try entryTasks(entry["supervise"], each: entry["each"], slice, place)
      let supervise = entryTasks == nil ? try optionalFunction(entry["supervise"], "\(place): supervise") : nil
      let unit = PluginDefinition.Unit(
        name: name, isOpen: isOpen, rule: rule, each: try elements(entry["each"], by: entry["by"], slice, place),
        on: try filter(entry["on"], own, place),
        before: try optionalFunction(entry["before"], "\(place): before"),
        after: try optionalFunction(entry["after"], "\(place): after"),
        supervise: supervise, entryTasks: entryTasks)
      if entry["by"] != .nil { try refuseUnheard(unit, own, place) }
      guard entry["on"] == .nil || unit.before != nil || unit.after != nil else {
        throw types.fault("\(place) has on, but neither before nor after, so that it sees no action")
      }
      guard unit.before != nil || unit.after != nil || unit.supervises else {
        throw types.fault(
          "\(place) has none of before, after and supervise, so that it does nothing",
          hint: "write: after = function(action, ctx) … end")
      }
      guard !unit.supervises || manifest.permissions.contains(.timers) else {
        throw types.fault(
          "\(place): supervise may not start tasks", hint: "add \"timers\" to permissions in plugin.json")
      }
      units.append(unit)
    }
    return units
  }

  private func filter(
    _ value: LuaValue, _ own: [ActionType], _ place: String
  ) throws(PluginError) -> PluginDefinition.Filter {
    var filter = PluginDefinition.Filter()
    let table: LuaTable
    switch value {
    case .nil:
      filter.modules = [manifest.name]
      return filter
    case .table(let given): table = given
    default: throw types.fault("\(place): on must be a list of action names, got \(value.described)")
    }
    for (_, item) in table.entries() {
      guard case .string(let name) = item else {
        throw types.fault("\(place): on must be a list of action names, got \(item.described)")
      }
      if name.hasSuffix(".*") {
        let module = String(name.dropLast(2))
        guard known.mayLack || known.moduleNames.contains(module) || module == manifest.name else {
          throw types.fault(
            "\(place): unknown module '\(module)'",
            hint: Suggestion.question(module, among: known.moduleNames) ?? Self.loadHint(module)
          )
        }
        try mayRead(module, place)
        filter.modules.insert(module)
      } else {
        filter.names.insert(try action(name, own, place).fullName)
      }
    }
    return filter
  }

  private func projections(_ value: LuaValue, _ fields: [Field]) throws(PluginError) -> [PluginDefinition.Projection] {
    var projections: [PluginDefinition.Projection] = []
    for entry in try list(value, "projections", keys: ["name", "type", "fn"]) {
      let name = try self.name(entry, "projections")
      let place = "projection '\(name)'"
      guard !projections.contains(where: { $0.type.name == name }) else {
        throw types.fault("\(place) is declared twice")
      }
      guard !fields.contains(where: { $0.name == name }) else { throw types.fault("\(place) has the name of a field") }
      let schema =
        entry["type"] == .nil
        ? Schema.dynamic(.any) : try types.type(entry["type"], place, withoutDefault: "the type of a projection")
      guard let function = try optionalFunction(entry["fn"], "\(place): fn") else {
        throw types.fault("\(place) needs fn = function(state) … end")
      }
      projections.append(
        PluginDefinition.Projection(
          type: ProjectionType(name: name, schema: schema), function: WatchedFunction(function)))
    }
    return projections
  }

  private func commands(_ value: LuaValue) throws(PluginError) -> [PluginDefinition.Command] {
    var commands: [PluginDefinition.Command] = []
    for entry in try list(value, "commands", keys: ["name", "args", "summary", "examples", "run"]) {
      let name = try self.name(entry, "commands")
      let place = "command '\(name)'"
      guard !commands.contains(where: { $0.type.name == name }) else { throw types.fault("\(place) is declared twice") }
      guard let run = try optionalFunction(entry["run"], "\(place): run") else {
        throw types.fault("\(place) needs run = function(args, cmd) … end")
      }
      var examples: [String] = []
      if let table = try optionalTable(entry["examples"], "\(place): examples") {
        for (_, example) in table.entries() { examples.append(try text(example, "\(place): an example")) }
      }
      let type = CommandType(
        name: name, fields: try types.fields(entry["args"], place, key: "args"),
        summary: try text(entry["summary"], "\(place): summary"), examples: examples)
      commands.append(PluginDefinition.Command(type: type, run: run))
    }
    return commands
  }
}

/// The pieces that the parts of a definition are read with.
extension DefinitionReader {
  func action(_ name: String, _ own: [ActionType], _ place: String) throws(PluginError) -> ActionType {
    let fullName = name.contains(".") ? name : "\(manifest.name).\(name)"
    if let type = own.first(where: { $0.fullName == fullName }) { return type }
    guard let type = known.action(fullName) ?? goneAction(fullName) else {
      throw types.fault("\(place) for unknown action '\(fullName)'", hint: actionHint(fullName, own))
    }
    try mayRead(type.module, "\(place) for '\(fullName)'")
    return type
  }

  /// Stands for an action of another module that is gone, where that may be; nil: it may not. Nobody can dispatch it.
  func goneAction(_ fullName: String) -> ActionType? {
    let parts = fullName.split(separator: ".", maxSplits: 1).map(String.init)
    guard known.mayLack, parts.count == 2, parts[0] != manifest.name else { return nil }
    return ActionType(module: parts[0], name: parts[1], fields: [])
  }

  func mayRead(_ module: String, _ place: String) throws(PluginError) {
    guard module == manifest.name || manifest.permissions.contains(.read(module: module)) else {
      throw types.fault(
        "\(place) needs to read '\(module)'", hint: "add \"read:\(module)\" to permissions in plugin.json")
    }
  }

  /// The likely meaning of the name of an action that does not exist.
  func actionHint(_ fullName: String, _ own: [ActionType]) -> String? {
    let module = String(fullName.prefix { $0 != "." })
    let modules = [manifest.name] + known.moduleNames
    // A plugin that is not loaded is no misspelling of an action that somebody else has.
    guard modules.contains(module) || Suggestion.nearest(to: module, among: modules) != nil else {
      return Self.loadHint(module)
    }
    return Suggestion.question(fullName, among: own.map(\.fullName) + known.actionNames())
      ?? (modules.contains(module) ? nil : Self.loadHint(module))
  }

  /// The advice about a module that does not exist.
  static func loadHint(_ module: String) -> String {
    "there is no module '\(module)'; where it is a plugin, load that first"
  }

  func list(_ value: LuaValue, _ place: String, keys: [String]) throws(PluginError) -> [LuaTable] {
    guard let table = try optionalTable(value, place) else { return [] }
    var entries: [LuaTable] = []
    for (key, value) in table.entries() {
      try types.note(1)
      guard case .integer = key, case .table(let entry) = value else {
        throw types.notInList(
          of: "tables { \(keys[0]) = … }", place, key, value, hint: "\(place) = { { \(keys[0]) = … }, … }")
      }
      try check(entry, place, keys: keys)
      entries.append(entry)
    }
    return entries
  }

  /// Refuses a table that has other keys: a mistyped one would be ignored without a word.
  func check(_ entry: LuaTable, _ place: String, keys: [String]) throws(PluginError) {
    for (key, _) in entry.entries() {
      if case .string(let name) = key, keys.contains(name) { continue }
      var owner = place
      if case .string(let name) = entry["name"] { owner += " '\(name)'" }
      throw types.unknownKey(key, owner, among: keys)
    }
  }

  func name(_ entry: LuaTable, _ place: String) throws(PluginError) -> String {
    guard case .string(let name) = entry["name"], name.isName else {
      let found = entry["name"]
      if case .string = found {
        throw types.fault("\(place): a name is made of letters, digits and _, got \(found.described)")
      }
      throw types.fault("\(place): every entry needs a name, got \(found.described)")
    }
    places.enter(entry: name)
    return name
  }

  func optionalTable(_ value: LuaValue, _ place: String) throws(PluginError) -> LuaTable? {
    switch value {
    case .nil: return nil
    case .table(let table): return table
    default: throw types.fault("\(place) must be a table, got \(value.described)")
    }
  }

  func optionalFunction(_ value: LuaValue, _ place: String) throws(PluginError) -> LuaFunction? {
    switch value {
    case .nil: return nil
    case .function(let function): return function
    default: throw types.fault("\(place) must be a function, got \(value.described)")
    }
  }

  /// A text; empty where there is none.
  func text(_ value: LuaValue, _ place: String) throws(PluginError) -> String {
    switch value {
    case .nil: return ""
    case .string(let text): return try types.shown(text, place)
    default: throw types.fault("\(place) must be text, got \(value.described)")
    }
  }

  /// True or false; false where there is neither.
  func flag(_ value: LuaValue, _ place: String) throws(PluginError) -> Bool {
    switch value {
    case .nil: return false
    case .boolean(let flag): return flag
    default: throw types.fault("\(place) must be true or false, got \(value.described)")
    }
  }
}
