import CLua

/// A Lua table, read without metamethods. Once its state is gone it is empty.
public final class LuaTable: LuaReference {
  /// The field of a name, nil where there is none.
  public subscript(key: String) -> LuaValue { self[.string(key)] }

  /// The item at a position; Lua counts from 1.
  public subscript(position: Int) -> LuaValue { self[.integer(position)] }

  /// The value of any key.
  public subscript(key: LuaValue) -> LuaValue {
    guard let machine = link.machine else { return .nil }
    let items = clua_items(machine)
    let mark = clua_mark(items)
    var writer = LuaWriter(items)
    writer.append(key)
    var first: Int32 = 0
    guard clua_field(machine, reference, mark, &first) == .done else { return .nil }
    defer { clua_drop(machine, first) }
    return link.value(at: -1)
  }

  /// The length that Lua's `#` gives.
  public var count: Int {
    guard let machine = link.machine else { return 0 }
    return Int(clua_length(machine, reference))
  }

  /// All entries in key order: numbers, strings by their bytes, false, true, then the others.
  public func entries() -> [(LuaValue, LuaValue)] { link.entries(of: reference) }

  /// The keys that are strings, sorted; of a library in a sandbox, the names of what is in it.
  public var names: [String] { link.names(of: reference) }
}

extension LuaLink {
  /// The keys of a referenced table that are strings, sorted.
  func names(of reference: Int32) -> [String] {
    var names: Int32 = 0
    guard let machine, clua_names(machine, reference, &names) == .done else { return [] }
    let list = LuaTable(self, names)
    return (0..<list.count).compactMap { if case .string(let name) = list[$0 + 1] { name } else { nil } }.sorted()
  }

  /// The entries of a referenced table in key order.
  func entries(of reference: Int32) -> [(LuaValue, LuaValue)] {
    guard let machine else { return [] }
    var list: Int32 = 0
    var count: Int64 = 0
    guard clua_sortedKeys(machine, reference, &list, &count) == .done else { return [] }
    defer { clua_drop(machine, list) }
    guard holdEntries(Int(count)) else { return [] }
    var entries: [(LuaValue, LuaValue)] = []
    entries.reserveCapacity(Int(count))
    for position in 0..<count {
      var first: Int32 = 0
      clua_entry(machine, reference, list, position + 1, &first)
      guard first > 0 else { return entries }
      entries.append((value(at: first), value(at: first + 1)))
      clua_drop(machine, first)
    }
    return entries
  }
}
