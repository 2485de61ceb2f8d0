import LuaRuntime

/// An object of the shell that is no part of the state, such as the action that a middleware is asked about.
protocol LuaFacade: AnyObject {
  /// What `tostring` says.
  var name: String { get }
  /// Writes the field of that name; nothing written is nil.
  func get(_ key: String, into result: inout LuaResult) throws
}
