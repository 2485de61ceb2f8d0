import LuaRuntime
import StoreModules
import StoreSchema

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
