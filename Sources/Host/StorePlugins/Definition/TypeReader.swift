import LuaRuntime
import StoreSchema

/// Reads type declarations: what `int{min = 0}` and its like made.
struct TypeReader {
  let plugin: String
  private let extent = Extent()

  /// The progress of the reader. A type may stand in many places, and within itself, and is read at each.
  private final class Extent {
    var depth = 0
    var count = 0
  }

  /// The greatest depth of nested types, and the greatest size of a definition.
  private static let deepest = 32
  private static let most = 10_000

  init(plugin: String) { self.plugin = plugin }

  /// Counts what a definition declares.
  func note(_ count: Int) throws(PluginError) {
    extent.count += count
    guard extent.count <= Self.most else {
      throw fault("the definition is too large: it declares more than 10,000 types and entries")
    }
  }

  /// A fault of the definition.
  func fault(_ message: String, hint: String? = nil) -> PluginError {
    PluginError(.schema, of: plugin, message, hint: hint)
  }

  /// The fault of a table with a key that it cannot have.
  func unknownKey(_ key: LuaValue, _ place: String, among keys: [String]) -> PluginError {
    unknown(key, "\(place): unknown key", among: keys, else: "keys are \(keys.joined(separator: ", "))")
  }

  /// A fault whose message ends with a key that nothing is known of.
  func unknown(_ key: LuaValue, _ message: String, among keys: [String], else hint: String) -> PluginError {
    guard case .string(let name) = key else { return fault("\(message) \(key.described)", hint: hint) }
    return fault("\(message) '\(name)'", hint: Suggestion.question(name, among: keys) ?? hint)
  }

  /// The fault of a table that is no list of what it should be.
  ///
  /// - Parameters:
  ///   - key: the key of the first item that is something else.
  ///   - hint: the text to write.
  func notInList(of items: String, _ place: String, _ key: LuaValue, _ item: LuaValue, hint: String) -> PluginError {
    let found =
      switch key {
      case .integer(let number): "\(item.described) as number \(number)"
      case .string(let name): "\(item.described) by the name '\(name)'"
      default: "\(item.described) by \(key.described)"
      }
    return fault("\(place) must be a list of \(items), got \(found)", hint: "write: \(hint)")
  }

  /// A text that is shown to people: one that would move the cursor or hide what stands around it is refused.
  func shown(_ text: String, _ place: String) throws(PluginError) -> String {
    guard !text.unicodeScalars.contains(where: { ScalarText.isControl($0) && $0 != "\n" && $0 != "\t" }) else {
      throw fault("\(place) must be text without control characters, got \(Value.string(text).described)")
    }
    return text
  }

  /// A list of `field(name, type)`.
  ///
  /// - Parameters:
  ///   - place: the start of a message about a field.
  ///   - key: the key of the list below the place; nil: the place itself.
  func fields(_ value: LuaValue, _ place: String, key: String? = nil) throws(PluginError) -> [Field] {
    let list = key.map { "\(place): \($0)" } ?? place
    let table: LuaTable
    switch value {
    case .nil: return []
    case .table(let given): table = given
    default: throw fault("\(list) must be a list of field(name, type), got \(value.described)")
    }
    var fields: [Field] = []
    for (key, item) in table.entries() {
      guard case .integer = key, case .table(let entry) = item, case .string(let name) = entry["field"] else {
        throw notInList(of: "field(name, type)", list, key, item, hint: "field(\"count\", int())")
      }
      for (key, _) in entry.entries() {
        if case .string(let key) = key, ["field", "type", "doc"].contains(key) { continue }
        throw unknownKey(key, "\(place).\(name)", among: ["field", "type", "doc"])
      }
      guard name.isName else { throw fault("\(place): \(ScalarText.quoted(name)) is not a name") }
      guard !fields.contains(where: { $0.name == name }) else { throw fault("\(place) declares '\(name)' twice") }
      let (schema, defaultValue) = try type(entry["type"], "\(place).\(name)")
      var documentation = ""
      if case .string(let text) = entry["doc"] { documentation = try shown(text, "\(place).\(name): doc") }
      fields.append(
        Field(
          name, schema, default: defaultValue, documentation: documentation,
          isSequence: try isSequence(entry["type"], "\(place).\(name)")))
    }
    return fields
  }

  /// A type and the default that it declares.
  func type(_ value: LuaValue, _ place: String) throws(PluginError) -> (Schema, Value?) {
    guard case .table(let table) = value, case .string(let kind) = table["kind"] else {
      throw fault("\(place) must be a type such as int() or text(), got \(value.described)")
    }
    try note(1)
    extent.depth += 1
    defer { extent.depth -= 1 }
    guard extent.depth <= Self.deepest else {
      throw fault(
        "\(place): types are nested deeper than \(Self.deepest), or within themselves",
        hint: "for a tree keep a list of records that name their parents")
    }
    try checkOptions(table, kind, place)
    let schema: Schema
    switch kind {
    case "bool": schema = .dynamic(.bool)
    case "number": schema = .dynamic(.double)
    case "text": schema = .dynamic(.string)
    case "int":
      let (minimum, maximum) = (try integer(table["min"], "\(place): min"), try integer(table["max"], "\(place): max"))
      if let minimum, let maximum, minimum > maximum { throw fault("\(place): min is above max") }
      schema = .dynamic(.int(minimum: minimum, maximum: maximum))
    case "decimal":
      guard let scale = try integer(table["scale"], "\(place): scale"),
        (0...DecimalNumber.greatestScale).contains(scale)
      else {
        throw fault(
          "\(place): decimal{…} needs a scale, the number of digits after the point, from 0 to 18",
          hint: "write: decimal { scale = 2 }")
      }
      schema = .dynamic(.decimal(scale: scale))
    case "enum": schema = .dynamic(.choice(name: "", cases: try cases(table["cases"], place)))
    case "optional": schema = .dynamic(.optional(try type(table["of"], place, inside: kind)))
    case "list": schema = .dynamic(.list(try type(table["of"], "\(place)[…]", inside: kind)))
    case "map": schema = .dynamic(.map(key: .string, try type(table["of"], "\(place)[…]", inside: kind)))
    case "record":
      guard case .string(let given) = table["name"] else { throw fault("\(place): record(…) needs a name") }
      let name = try shown(given, "\(place): the name of a record")
      let fields = try fields(table["fields"], name, key: "the fields")
      schema = .dynamic(.record(RecordSchema(name: name, fields: fields)))
    default: throw fault("\(place): unknown type '\(kind)'")
    }
    return (schema, try defaultValue(table["default"], schema, place))
  }

  /// A type where nothing would be filled in, so that a default would be ignored without a word.
  ///
  /// - Parameter what: its name in messages.
  func type(_ value: LuaValue, _ place: String, withoutDefault what: String) throws(PluginError) -> Schema {
    let (schema, defaultValue) = try type(value, place)
    guard defaultValue == nil else { throw fault("\(place): \(what) takes no default") }
    return schema
  }

  /// The same within another type, where nil says already that nothing is there.
  private func type(_ value: LuaValue, _ place: String, inside kind: String) throws(PluginError) -> Schema {
    let schema = try type(value, place, withoutDefault: "the type inside \(kind)(…)")
    guard try !isSequence(value, place), schema.sequences().isEmpty else {
      throw fault(
        "\(place): a sequence cannot be inside \(kind)(…)",
        hint: "declare it in the plugin's state, or in a record there; one number may give out the ids of several lists"
      )
    }
    guard case .optional = schema.kind else { return schema }
    throw fault(
      "\(place): \(kind)(…) cannot hold optional(…)",
      hint: kind == "optional"
        ? "one optional(…) is enough"
        : "a \(kind) in Lua has no place for nil; use a record with an optional field, or a value that stands for none")
  }

  /// Refuses options that a type does not have.
  private func checkOptions(_ table: LuaTable, _ kind: String, _ place: String) throws(PluginError) {
    let options: [String]
    switch kind {
    case "int": options = ["min", "max", "default", "sequence"]
    case "decimal": options = ["scale", "default"]
    case "bool", "number", "text": options = ["default"]
    case "enum":
      guard case .table(let cases) = table["cases"] else { return }
      for (key, _) in cases.entries() {
        switch key {
        case .string("default"), .integer(1...cases.count): continue
        default: throw unknownOption(key, "enum", among: ["default"], place)
        }
      }
      return
    default: return
    }
    for (key, _) in table.entries() {
      if case .string(let name) = key, name == "kind" || options.contains(name) { continue }
      throw unknownOption(key, kind, among: options, place)
    }
  }

  private func unknownOption(
    _ key: LuaValue, _ kind: String, among options: [String], _ place: String
  ) -> PluginError {
    unknown(
      key, "\(place): \(kind){…} has no option", among: options,
      else: options.count == 1 ? "its only option is \(options[0])" : "options are \(options.joined(separator: ", "))")
  }

  private func defaultValue(_ value: LuaValue, _ schema: Schema, _ place: String) throws(PluginError) -> Value? {
    if case .nil = value { return nil }
    do throws(SchemaError) {
      let value = try LuaBridge.value(of: value) { (_) throws(SchemaError) in .none }
      return try schema.check(value)
    } catch {
      throw fault("\(place): the default does not fit: \(error.message)")
    }
  }

  /// True if a type says that the number gives out ids.
  private func isSequence(_ type: LuaValue, _ place: String) throws(PluginError) -> Bool {
    guard case .table(let table) = type else { return false }
    switch table["sequence"] {
    case .nil: return false
    case .boolean(let isSequence): return isSequence
    case let other: throw fault("\(place): sequence must be true or false, got \(other.described)")
    }
  }

  private func integer(_ value: LuaValue, _ place: String) throws(PluginError) -> Int? {
    switch value {
    case .nil: return nil
    case .integer(let number): return number
    default: throw fault("\(place) must be a whole number, got \(value.described)")
    }
  }

  private func cases(_ value: LuaValue, _ place: String) throws(PluginError) -> [String] {
    guard case .table(let table) = value else { throw fault("\(place): enum{…} needs the names of its cases") }
    try note(table.count)
    var cases: [String] = []
    for index in 1...max(table.count, 1) {
      guard case .string(let name) = table[index], name.isCase else {
        throw fault(
          "\(place): the cases of an enum are texts of one line without blanks around them, got \(table[index].described)"
        )
      }
      guard !cases.contains(name) else { throw fault("\(place): enum{…} has the case '\(name)' twice") }
      cases.append(name)
    }
    return cases
  }
}

extension String {
  /// True if a case of an enum may be called so: by words, as they are shown.
  fileprivate var isCase: Bool {
    guard let first = unicodeScalars.first, let last = unicodeScalars.last else { return false }
    return first != " " && last != " " && !contains("|") && !unicodeScalars.contains(where: ScalarText.isControl)
  }
}

extension Schema {
  /// The value that a declared type starts from. For a record the defaults of its fields; for a number zero, or the
  /// bound nearest to it; for a boolean false. For text, lists and maps the empty value; for an enum its first case;
  /// for an optional none.
  var initialValue: Value {
    switch kind {
    case .bool: .bool(false)
    case .int(let minimum, let maximum): .int(min(max(0, minimum ?? .min), maximum ?? .max))
    case .double: .double(0)
    case .decimal(let scale): .decimal(DecimalNumber(units: 0, scale: scale))
    case .string: .string("")
    case .choice(_, let cases): .string(cases.first ?? "")
    case .optional, .any, .union: .none
    case .list: .list([])
    case .map: .map([:])
    case .record(let record):
      .record(Record(record.layout, record.fields.map { $0.defaultValue ?? $0.schema.initialValue }))
    }
  }
}
