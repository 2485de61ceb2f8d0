import LuaRuntime
import StoreModules
import StoreSchema

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
