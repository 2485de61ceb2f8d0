import LuaRuntime

/// A task that is to be started.
public struct PluginTaskStart: @unchecked Sendable {
  // Safe: the function is called only by the thread that owns the store, and may be let go of on any (`LuaLink`).

  /// The unit that starts it.
  public let unit: String
  /// The key that tells it from the unit's other tasks.
  public let key: String
  let function: LuaFunction
}
