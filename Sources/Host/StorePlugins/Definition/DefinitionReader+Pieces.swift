import LuaRuntime
import StoreModules
import StoreSchema

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
