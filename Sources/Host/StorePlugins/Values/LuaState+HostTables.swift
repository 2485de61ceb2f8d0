import LuaRuntime
import StoreSchema

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
    _ = try call(
      try load("setmetatable(...)", chunkName: "prelude"), [.table(made), .table(try makeTable(metatable))])
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
