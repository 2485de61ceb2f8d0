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
