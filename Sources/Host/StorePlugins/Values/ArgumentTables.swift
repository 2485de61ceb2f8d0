import LuaRuntime
import StoreModules
import StoreSchema

/// The table that a reducer gets its action's arguments in, filled anew for each call. The reducer may change it, so
/// the table is used again only where nothing was left in it. An argument that the reducer does not read is not there.
final class ArgumentTable {
  private let keys: [LuaKey]
  /// For each key the position of its argument.
  private let positions: [Int]
  private let addresses: [UnsafeRawPointer]
  private let table: LuaTable
  private let handle: LuaHandle

  init(_ type: ActionType, _ use: LuaCodeSketch.ParameterUse, in lua: LuaState) throws(LuaError) {
    var (keys, positions): ([LuaKey], [Int]) = ([], [])
    for (position, field) in type.fields.enumerated() {
      if case .fields(let names) = use, !names.contains(field.name) { continue }
      keys.append(try lua.intern(field.name))
      positions.append(position)
    }
    (self.keys, self.positions) = (keys, positions)
    addresses = keys.map(\.pointer)
    table = try lua.makeTable { writer in
      writer.beginTable(record: keys.count)
      writer.endTable()
    }
    handle = table.handle
  }

  /// True if the table holds nothing but fields that the next call overwrites.
  func isClean(_ lua: LuaCaller) -> Bool { addresses.withUnsafeBufferPointer { lua.hasOnly(handle, keysAt: $0) } }

  /// Writes the table with arguments in declared order.
  func write(_ arguments: [Value], to writer: inout LuaWriter) {
    // A table without fields is there already.
    guard !keys.isEmpty else { return writer.append(handle) }
    writer.refillTable(handle)
    keys.withUnsafeBufferPointer { keys in
      arguments.withUnsafeBufferPointer { arguments in
        for index in keys.indices {
          writer.key(keys[index])
          LuaBridge.write(argument: arguments[positions[index]], to: &writer)
        }
      }
    }
    writer.endTable()
  }
}

/// The tables, one for each action, in which a function gets arguments that does nothing with them but read some fields at once.
final class ArgumentTables {
  private unowned let lua: LuaState
  private let names: Set<String>
  /// The types are held, so that the identities stay theirs.
  private var tables: [ObjectIdentifier: (type: ActionType, table: ArgumentTable)] = [:]
  @exclusivity(unchecked) private var recent: (type: ObjectIdentifier, table: ArgumentTable)?

  private static let mostTables = 64

  init(_ names: Set<String>, in lua: LuaState) { (self.names, self.lua) = (names, lua) }

  /// Writes the table of an action.
  func write(_ arguments: [Value], of type: ActionType, to writer: inout LuaWriter) throws {
    let identity = ObjectIdentifier(type)
    if recent?.type != identity {
      let table = try tables[identity]?.table ?? ArgumentTable(type, .fields(names), in: lua)
      // Of modules that are loaded anew the types are others each time.
      if tables.count > Self.mostTables { tables = [:] }
      tables[identity] = (type, table)
      recent = (identity, table)
    }
    recent?.table.write(arguments, to: &writer)
  }
}
