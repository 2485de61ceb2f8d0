import LuaRuntime

/// The tables that a plugin's functions get to act by: one of a kind for all calls.
struct HandedTables {
  /// The `ctx` of middlewares.
  var context: LuaTable?
  /// The same in plain words: `context` holds it.
  var contextHandle: LuaHandle?
  /// The `cmd` of commands.
  var command: LuaTable?
  /// The table of tasks.
  var task: LuaTable?
  /// The `t` of thunks.
  var thunk: LuaTable?

  /// Writes `ctx` as an argument.
  func appendContext(to writer: inout LuaWriter) {
    if let contextHandle { writer.append(contextHandle) }
  }

  /// Writes a table as an argument.
  static func append(_ table: LuaTable?, to writer: inout LuaWriter) {
    if let table { writer.append(table) }
  }
}
