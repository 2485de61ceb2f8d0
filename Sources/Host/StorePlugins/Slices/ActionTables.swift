import LuaRuntime
import StoreModules
import StoreSchema

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
