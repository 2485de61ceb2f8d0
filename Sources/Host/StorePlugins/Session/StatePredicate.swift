import LuaRuntime
import StoreModules

/// A Lua expression over a state, which reads nothing else and changes nothing.
public final class StatePredicate: @unchecked Sendable {
  // Safe: used by the thread that owns the store, one call at a time.
  private let lua: LuaState
  private let objects: SliceObjects
  private let function: LuaFunction

  /// Reads an expression.
  ///
  /// - Throws: ``SessionLuaError`` where it is no Lua.
  public init(_ expression: String) throws(SessionLuaError) {
    do throws(LuaError) {
      lua = try LuaState(limits: LuaState.Limits(instructions: 1_000_000, memory: 16 << 20), sandbox: .session)
      objects = SliceObjects(lua)
      lua.objectHandler = objects
      try lua.setGlobal("state", .object(SliceObjects.stateObject))
      function = try lua.load("return \(expression)", chunkName: "expression")
    } catch {
      throw SessionLuaError(error)
    }
  }

  /// True if it is neither false nor nil in a state.
  public func holds(in view: any StateView) throws(SessionLuaError) -> Bool {
    do throws(LuaError) {
      return try withUnsafePointer(to: view) { (view) throws(LuaError) in
        objects.viewInUse = view
        defer {
          objects.endCall()
          objects.viewInUse = nil
        }
        return try lua.call(function).first?.isTruthy ?? false
      }
    } catch {
      throw SessionLuaError(error)
    }
  }
}
