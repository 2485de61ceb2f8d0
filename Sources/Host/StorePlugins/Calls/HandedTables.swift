import LuaRuntime

/// The tables that a plugin's functions get to act by: one of a kind for all calls.
struct HandedTables {
  /// What middlewares get as `ctx`.
  var context: LuaTable?
  /// The same in plain words: `context` holds it.
  var contextHandle: LuaHandle?
  /// What commands get as `cmd`.
  var command: LuaTable?
  /// What tasks get.
  var task: LuaTable?
  /// What thunks get as `t`.
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
