import LuaRuntime
import StoreModules
import StoreSchema

/// A Lua expression over a state, `state`, and the one that it came from, `before`, which reads nothing else and changes nothing.
public final class StatePredicate: @unchecked Sendable {
  // Safe: used by the thread that owns the store, one call at a time.
  private let lua: LuaState
  private let objects: SliceObjects
  private let function: LuaFunction
  /// Whether it reads neither of the states, so that it holds always or never.
  public let isConstant: Bool

  /// Reads an expression.
  ///
  /// - Throws: ``SessionLuaError`` where it is no Lua.
  public init(_ expression: String) throws(SessionLuaError) {
    do throws(LuaError) {
      lua = try LuaState(limits: LuaState.Limits(instructions: 1_000_000, memory: 16 << 20), sandbox: .session)
      objects = SliceObjects(lua)
      lua.objectHandler = objects
      try lua.setGlobal("state", .object(SliceObjects.stateObject))
      _ = try lua.call(lua.load(Self.prelude, chunkName: "before"))
      function = try lua.load(expression, as: .expression, chunkName: "expression")
      isConstant = !lua.globalUses(of: function).contains { ["state", "before", "_G"].contains($0.name) }
    } catch {
      throw SessionLuaError(error)
    }
  }

  /// Has `before` read the modules of the earlier state, which ``Step`` names apart.
  private static let prelude = """
    local state, prefix = state, "\(Step.prefix)"
    before = setmetatable({}, { __index = function(_, module) return state[prefix .. module] end })
    """

  /// True if it is neither false nor nil in a state that came from another.
  public func holds(in view: any StateView, after before: any StateView) throws(SessionLuaError) -> Bool {
    do throws(LuaError) {
      return try withUnsafePointer(to: Step(before: before, after: view) as any StateView) { (view) throws(LuaError) in
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

/// Two states as one: the modules of the earlier one have a prefix.
private struct Step: StateView {
  static let prefix = "before."
  let before: any StateView
  let after: any StateView

  var moduleNames: [String] { after.moduleNames }

  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    guard module.hasPrefix(Self.prefix) else { return after.readSlice(module, body) }
    return before.readSlice(String(module.dropFirst(Self.prefix.count)), body)
  }
}
