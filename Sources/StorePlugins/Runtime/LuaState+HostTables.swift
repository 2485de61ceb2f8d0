import LuaRuntime
import StoreSchema

extension LuaState {
  /// Makes a table of what the host gives to Lua under a name such as `cmd`. To read what it has not is an error that says
  /// what it has; nothing is asked where it has what is read.
  func makeHostTable(
    _ table: String, _ members: [(name: String, value: LuaValue)]
  ) throws(LuaError) -> LuaTable {
    let names = members.map(\.name)
    let missing = try makeFunction("__index") { call in
      throw LuaFailure(Self.refusal(of: call[1], in: table, having: names))
    }
    let metatable = try makeTable { writer in
      writer.beginTable(record: 2)
      writer.key("__index")
      writer.append(missing)
      writer.key("__metatable")
      writer.append(false)
      writer.endTable()
    }
    let made = try makeTable { writer in
      writer.beginTable(record: members.count)
      for (name, value) in members {
        writer.key(name)
        writer.append(value)
      }
      writer.endTable()
    }
    _ = try call(try load("setmetatable(...)", chunkName: "prelude"), [.table(made), .table(metatable)])
    return made
  }

  private static func refusal(of key: LuaValue, in table: String, having names: [String]) -> String {
    guard case .string(let name) = key else { return "\(table) has no \(key.described)" }
    let advice = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
    return "\(table) has no '\(name)' (\(advice ?? "it has \(names.sorted().joined(separator: ", "))"))"
  }
}
