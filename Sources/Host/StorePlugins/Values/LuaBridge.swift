import LuaRuntime
import StoreSchema

/// Values as Lua sees them, and Lua's as values.
enum LuaBridge {
  /// Writes a value as plain Lua data. Lists and maps become tables, records tables with their fields, and an enum case
  /// with payload a table whose `case` names it.
  static func write(_ value: Value, to writer: inout LuaWriter) {
    switch value {
    case .none: writer.appendNil()
    case .bool(let value): writer.append(value)
    case .int(let value): writer.append(value)
    case .double(let value): writer.append(value)
    case .decimal(let value): writer.append(LuaDecimal(units: value.units, scale: Int(value.scale)))
    case .string(let value): writer.append(value)
    case .list(let list):
      writer.beginTable(array: list.count)
      for value in list { write(value, to: &writer) }
      writer.endTable()
    case .map(let map):
      writer.beginTable(record: map.count)
      for (key, value) in map {
        switch key {
        case .int(let key): writer.key(key)
        case .string(let key): writer.key(key)
        }
        write(value, to: &writer)
      }
      writer.endTable()
    case .record(let record): write(record, case: nil, to: &writer)
    case .variant(let variant): write(variant.payload, case: variant.name, to: &writer)
    }
  }

  private static func write(_ record: Record, case name: String?, to writer: inout LuaWriter) {
    writer.beginTable(record: record.values.count + 1)
    if let name {
      writer.key("case")
      writer.append(name)
    }
    for (field, value) in zip(record.layout.fields, record.values) where value != .none {
      writer.key(field)
      write(value, to: &writer)
    }
    writer.endTable()
  }

  /// The value of a Lua one. Objects of the host are read by `read`.
  ///
  /// - Throws: ``SchemaError`` where a table is neither a list nor a map, or holds what is no data (R32).
  static func value(
    of lua: LuaValue, reading read: (LuaObject) throws(SchemaError) -> Value
  ) throws(SchemaError) -> Value {
    var tables = 0
    return try value(of: lua, depth: 0, &tables, reading: read)
  }

  private static func value(
    of lua: LuaValue, depth: Int, _ tables: inout Int, reading read: (LuaObject) throws(SchemaError) -> Value
  ) throws(SchemaError) -> Value {
    switch lua {
    case .nil: return .none
    case .boolean(let value): return .bool(value)
    case .integer(let value): return .int(value)
    case .number(let value): return .double(value)
    case .decimal(let value): return .decimal(DecimalNumber(value))
    case .string(let value): return .string(value)
    case .object(let object): return try read(object)
    case .table(let table):
      guard depth < 64 else { throw SchemaError(Path(), .malformedTable(nestedTooDeep)) }
      // A table that stands in many places counts at each: few tables can spell out more than memory holds.
      tables += 1
      guard tables <= 250_000 else { throw SchemaError(Path(), .malformedTable(tooMany)) }
      return try self.value(of: table, depth: depth, &tables, reading: read)
    case .other(LuaValue.badText): throw SchemaError(Path(), .typeMismatch(expected: "text", found: lua.described))
    case .function, .other:
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: lua.described))
    }
  }

  private static let tooMany = "it holds more than 250,000 tables"
  private static let nestedTooDeep = "tables are nested deeper than 64, or within themselves"

  private static func value(
    of table: LuaTable, depth: Int, _ tables: inout Int, reading read: (LuaObject) throws(SchemaError) -> Value
  ) throws(SchemaError) -> Value {
    let entries = table.entries()
    var list = PersistentList<Value>()
    var map = PersistentMap<MapKey, Value>()
    var hasNames = false
    for (key, lua) in entries {
      let mapKey: MapKey
      switch key {
      case .integer(let number): mapKey = .int(number)
      case .string(let text): mapKey = .string(text)
      default: throw SchemaError(Path(), .badKey(expected: "integer or text", found: "a \(key.typeName)"))
      }
      let value: Value
      do throws(SchemaError) {
        value = try self.value(of: lua, depth: depth + 1, &tables, reading: read)
      } catch {
        // Sixty-four times the same step says no more than none.
        if case .malformedTable(nestedTooDeep) = error.problem { throw error }
        if case .malformedTable(tooMany) = error.problem { throw error }
        throw error.under(Path([.key(mapKey)]))
      }
      if case .string(let name) = mapKey, !name.isWideInteger { hasNames = true }
      if mapKey == .int(list.count + 1) { list.append(value) } else { map[mapKey] = value }
    }
    if map.isEmpty { return list.isEmpty ? .map(map) : .list(list) }
    for (index, value) in list.enumerated() { map[.int(index + 1)] = value }
    if hasNames, case .int? = map.firstEntry(after: nil)?.key {
      throw SchemaError(Path(), .malformedTable("it has both positions and names"))
    }
    return .map(map)
  }

  /// The arguments that a Lua table names.
  static func arguments(named value: Value) throws(SchemaError) -> [(name: String, value: Value)] {
    switch value {
    case .none: return []
    case .record(let record): return zip(record.layout.fields, record.values).map { ($0, $1) }
    case .list(let list) where list.isEmpty: return []
    case .map(let map):
      var named: [(name: String, value: Value)] = []
      for (key, value) in map {
        guard case .string(let name) = key else {
          throw SchemaError(Path(), .badKey(expected: "text", found: key.value.described))
        }
        named.append((name, value))
      }
      return named
    default: throw SchemaError(Path(), .typeMismatch(expected: "a table of arguments", found: value.described))
    }
  }
}

extension LuaValue {
  /// The description of the value, for the "got …" half of a message.
  var described: String {
    switch self {
    case .nil: "nil"
    case .boolean(let value): "bool \(value)"
    case .integer(let value): "number \(value)"
    case .number(let value): "number \(ScalarText.text(of: value))"
    case .decimal(let value): "decimal \(DecimalNumber(value))"
    case .string(let value): "string \(ScalarText.quoted(value))"
    case .table: "a table"
    case .function: "a function"
    case .object, .other: "a \(typeName)"
    }
  }
}

extension DecimalNumber {
  /// A number of Lua's.
  init(_ decimal: LuaDecimal) { self.init(units: decimal.units, scale: decimal.scale) }
}

extension LuaState {
  /// Makes a table of the members that the host gives to Lua under a name such as `cmd`. A read of a missing member is
  /// an error that lists the members, and so is every assignment: the table is one for all calls. The table itself is
  /// empty, so that Lua asks the other one that holds the members, and hands `pairs` a copy of that.
  func makeHostTable(
    _ table: String, _ members: [(name: String, value: LuaValue)]
  ) throws(LuaError) -> LuaTable {
    let names = members.map(\.name)
    let missing = try makeFunction { call in
      throw LuaFailure(Self.refusal(of: call[1], in: table, having: names))
    }
    let set = try makeFunction { call in
      let key = if case .string(let name) = call[1] { "'\(name)'" } else { call[1].described }
      throw LuaFailure("\(table) keeps nothing: \(key) cannot be set (keep it in the plugin's state)")
    }
    let held = try makeTable(members, metatable: [("__index", .function(missing))])
    let pairs = try call(try load(Self.pairsOfCopy, chunkName: "prelude"), [.table(held)])
    return try makeTable(
      [],
      metatable: [
        ("__index", .table(held)), ("__newindex", .function(set)), ("__pairs", pairs.first ?? .nil),
        ("__metatable", .boolean(false)),
      ])
  }

  private static let pairsOfCopy = """
    local members = ...
    return function()
      local copy = {}
      for name, member in next, members do copy[name] = member end
      return next, copy
    end
    """

  private func makeTable(
    _ members: [(name: String, value: LuaValue)], metatable: [(name: String, value: LuaValue)]
  ) throws(LuaError) -> LuaTable {
    let made = try makeTable(members)
    try makeHostTable(made, metatable: try makeTable(metatable))
    return made
  }

  private func makeTable(_ members: [(name: String, value: LuaValue)]) throws(LuaError) -> LuaTable {
    try makeTable { writer in
      writer.beginTable(record: members.count)
      for (name, value) in members {
        writer.key(name)
        writer.append(value)
      }
      writer.endTable()
    }
  }

  private static func refusal(of key: LuaValue, in table: String, having names: [String]) -> String {
    guard case .string(let name) = key else { return "\(table) has no \(key.described)" }
    let all = names.sorted().joined(separator: ", ")
    let advice = Suggestion.question(name, among: names) ?? "it has \(all), and keeps nothing else"
    return "\(table) has no '\(name)' (\(advice))"
  }
}

extension Value {
  /// A value that has been a table of Lua, which knows no order of fields. The fields of its records stand as in the
  /// value that the table was made of. Records with other fields by now are left as they are.
  func withFields(inOrderOf former: Value) -> Value {
    switch (self, former) {
    case (.map(let entries), .record(let record)):
      var values: [Value] = []
      var found = 0
      for (field, value) in zip(record.layout.fields, record.values) {
        let entry = entries[.string(field)]
        found += entry == nil ? 0 : 1
        values.append(entry?.withFields(inOrderOf: value) ?? .none)
      }
      return found == entries.count ? .record(Record(record.layout, values)) : self
    case (.list(let items), .list(let formers)):
      guard let last = formers.last else { return self }
      return .list(
        PersistentList(
          items.enumerated().map { $1.withFields(inOrderOf: $0 < formers.count ? formers[$0] : last) }))
    // An empty table may be either.
    case (.map(let entries), .list(let formers)) where entries.isEmpty && formers.isEmpty: return former
    default: return self
    }
  }
}

extension Duration {
  /// The duration in seconds.
  public var seconds: Double {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 9_000_000_000 else { return Double(seconds) }
    // Whole nanoseconds first, so that 1.5 s is 1.5 and not its nearest sum of two parts.
    return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e9
  }
}
