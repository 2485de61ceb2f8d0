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
  let handle: LuaHandle
  /// True if the table holds arguments with memory of their own.
  @exclusivity(unchecked) private var holdsLong = false

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

  /// Lets go of arguments with memory of their own: that would count against the limit of later calls, and a replay that begins later
  /// would not have it.
  @inline(__always)
  func dropLong(_ lua: LuaCaller) {
    guard holdsLong else { return }
    holdsLong = false
    lua.dropLong(in: handle)
  }

  /// Writes the table with arguments in declared order.
  func write(_ arguments: [Value], to writer: inout LuaWriter) {
    // A table without fields is there already.
    guard !keys.isEmpty else { return writer.append(handle) }
    writer.refillTable(handle)
    keys.withUnsafeBufferPointer { keys in
      arguments.withUnsafeBufferPointer { arguments in
        for index in keys.indices {
          writer.key(keys[index])
          if arguments[positions[index]].isLong { holdsLong = true }
          LuaBridge.write(argument: arguments[positions[index]], to: &writer)
        }
      }
    }
    writer.endTable()
  }
}

/// The tables, one for each action, in which a function gets an action that does nothing with it but read some parts, and
/// some arguments, at once.
final class ActionTables {
  private typealias Made = (type: ActionType, table: LuaTable, arguments: ArgumentTable)

  private unowned let lua: LuaState
  /// The arguments that it reads.
  private let names: Set<String>
  /// The types are held, so that the identities stay theirs.
  private var tables: [ObjectIdentifier: Made] = [:]
  // The last ones in plain words, which are copied without counting: `tables` holds them.
  @exclusivity(unchecked) private var recentType: ObjectIdentifier?
  @exclusivity(unchecked) private var recentTable: LuaHandle?
  @exclusivity(unchecked) private var recentArguments: Unmanaged<ArgumentTable>?

  private static let mostTables = 64

  /// - Returns: nil where the function does more with an action, or reads a part that is another one for each.
  init?(for function: LuaFunction, in lua: LuaState) {
    let constant: Set = [ActionFacade.Part.name.rawValue, ActionFacade.Part.arguments.rawValue]
    guard case .fields(let parts) = function.sketch.use(of: 0), parts.isSubset(of: constant),
      let names = lua.fieldReads(of: function, parameter: 0, field: ActionFacade.Part.arguments.rawValue)
    else { return nil }
    (self.lua, self.names) = (lua, names)
  }

  /// Writes the table of an action; false: there is no room to make it.
  func write(_ type: ActionType, to writer: inout LuaWriter) -> Bool {
    if recentType != ObjectIdentifier(type), !find(type) { return false }
    if let recentTable { writer.append(recentTable) }
    return true
  }

  private func find(_ type: ActionType) -> Bool {
    guard let made = try? tables[ObjectIdentifier(type)] ?? make(type) else { return false }
    // Of modules that are loaded anew the types are others each time.
    if tables.count > Self.mostTables { tables = [:] }
    tables[ObjectIdentifier(type)] = made
    recentType = ObjectIdentifier(type)
    (recentTable, recentArguments) = (made.table.handle, .passUnretained(made.arguments))
    return true
  }

  /// Writes, behind all that the function takes, what its table holds as arguments, filled with those of the same action.
  func write(_ arguments: [Value], to writer: inout LuaWriter) {
    if !names.isEmpty { recentArguments?._withUnsafeGuaranteedRef { $0.write(arguments, to: &writer) } }
  }

  /// Lets go of arguments with memory of their own.
  @inline(__always)
  func dropLong(_ lua: LuaCaller) { recentArguments?._withUnsafeGuaranteedRef { $0.dropLong(lua) } }

  private func make(_ type: ActionType) throws(LuaError) -> Made {
    let arguments = try ArgumentTable(type, .fields(names), in: lua)
    let table = try lua.makeTable { writer in
      writer.beginTable(record: 2)
      writer.key(ActionFacade.Part.name.rawValue)
      writer.append(type.fullName)
      writer.key(ActionFacade.Part.arguments.rawValue)
      writer.append(arguments.handle)
      writer.endTable()
    }
    return (type, table, arguments)
  }
}

extension Value {
  /// True if the value takes memory of its own in Lua.
  fileprivate var isLong: Bool {
    switch self {
    case .none, .bool, .int, .double: false
    // Longer ones than Lua keeps once.
    case .string(let text): text.utf8.count > 40
    default: true
    }
  }
}
