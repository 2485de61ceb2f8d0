import StoreSchema

/// Types of the store as the Lua language server reads them (LuaCATS). Records that have a name become classes of their
/// module, the others are written in place.
struct TypeAnnotations {
  /// The classes met so far, in the order in which they were: each before those that use it.
  private(set) var classes: [String] = []
  /// The signature of the record that each class stands for; empty where the name is another type's.
  private var known: [String: String] = [:]

  /// - Parameter names: names that no class may have, since other types have them.
  init(apartFrom names: [String] = []) {
    for name in names { known[name] = "" }
  }

  /// A type.
  ///
  /// - Parameter module: the module that declares it.
  mutating func text(of schema: Schema, in module: String) -> String {
    switch schema.kind {
    case .bool: "boolean"
    case .int: "integer"
    case .double: "number"
    case .decimal: "decimal"
    case .string: "string"
    case .any: "any"
    case .choice(_, let cases): cases.isEmpty ? "string" : cases.map { "\"\($0)\"" }.joined(separator: "|")
    case .optional(let inner): grouped(text(of: inner, in: module)) + "?"
    case .list(let element): grouped(text(of: element, in: module)) + "[]"
    case .map(let key, let element):
      "table<\(key == .int ? "integer" : "string"), \(text(of: element, in: module))>"
    case .record(let record): name(of: record, in: module) ?? inline(record.fields, in: module)
    case .union(let union): cases(of: union, in: module)
    }
  }

  /// Fields in place: `{ id: integer, note?: string }`.
  mutating func inline(_ fields: [Field], in module: String, leavesOutDefaults: Bool = false) -> String {
    guard !fields.isEmpty else { return "{}" }
    let parts = fields.map { field -> String in
      let mark = leavesOutDefaults && !field.isRequired ? "?" : ""
      return "\(field.name)\(mark): \(text(of: field, isMarked: !mark.isEmpty, in: module))"
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  /// A field whose name says already that it may be missing needs no second mark.
  private mutating func text(of field: Field, isMarked: Bool, in module: String) -> String {
    if isMarked, case .optional(let inner) = field.schema.kind { return text(of: inner, in: module) }
    return text(of: field.schema, in: module)
  }

  private mutating func name(of record: RecordSchema, in module: String) -> String? {
    guard !record.name.isEmpty else { return nil }
    let signature = Schema.dynamic(.record(record)).signature
    // Records of one name may have other fields.
    let names = sequence(first: 1) { $0 + 1 }.lazy.map { "\(module).\(record.name)\($0 == 1 ? "" : String($0))" }
    guard let name = names.first(where: { [known] in known[$0] == nil || known[$0] == signature }) else { return nil }
    guard known.updateValue(signature, forKey: name) == nil else { return name }
    var lines = ["---@class \(name)"]
    for field in record.fields {
      lines.append("---@field \(field.name) \(text(of: field.schema, in: module))")
    }
    classes.append(lines.joined(separator: "\n"))
    return name
  }

  /// An enum with payloads: a text, or a table whose `case` names the case.
  private mutating func cases(of union: UnionSchema, in module: String) -> String {
    union.cases.map { branch in
      guard !branch.fields.isEmpty else { return "\"\(branch.name)\"" }
      let fields = inline(branch.fields, in: module).dropFirst(2)
      return "{ case: \"\(branch.name)\", \(fields)"
    }.joined(separator: "|")
  }

  private func grouped(_ text: String) -> String { text.contains("|") || text.hasSuffix("?") ? "(\(text))" : text }
}
