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
      positions.withUnsafeBufferPointer { positions in
        arguments.withUnsafeBufferPointer { arguments in
          guard let first = arguments.baseAddress else { return }
          for index in keys.indices {
            writer.key(keys[index])
            // Looked at where it stands; most are scalars.
            let place = first + positions[index]
            if let text = Value.text(at: place).flatMap({ ShortText.bytes(at: $0) }) {
              writer.append(text: text)
              continue
            }
            switch place.pointee {
            case .none: writer.appendNil()
            case .bool(let value): writer.append(value)
            case .int(let value): writer.append(value)
            case .double(let value): writer.append(value)
            case .string(let value):
              // Longer ones than Lua keeps once take memory of their own.
              if value.utf8.count > 40 { holdsLong = true }
              writer.append(value)
            case let value:
              holdsLong = true
              LuaBridge.write(value, to: &writer)
            }
          }
        }
      }
    }
    writer.endTable()
  }
}
