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
