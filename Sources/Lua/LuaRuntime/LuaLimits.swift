extension LuaState {
  /// The limits of one call into Lua.
  public struct Limits: Sendable, Hashable {
    /// Virtual machine instructions of an outermost call, and of the library functions that charge for their work.
    public var instructions: Int
    /// Bytes that the state may hold, enforced while Lua code runs.
    public var memory: Int
    /// Wall time of an outermost call in milliseconds, nil for none; looked at every 1,000 instructions.
    public var milliseconds: Int?

    /// Limits; as given here those of a plugin.
    public init(instructions: Int = 200_000, memory: Int = 4 << 20, milliseconds: Int? = nil) {
      self.instructions = instructions
      self.memory = memory
      self.milliseconds = milliseconds
    }
  }

  /// The libraries that Lua code sees.
  public enum Sandbox: Sendable {
    /// The safe libraries, read-only; an undefined global is an error, a new one too.
    case plugin
    /// The same libraries; an undefined global is nil, and assignments to globals are kept.
    case session
    /// All standard libraries of Lua, as they are.
    case unrestricted
  }
}
