import LuaRuntime

/// How one middleware is called, as far as it can be prepared.
final class MiddlewarePlan {
  let name: String
  let before: LuaFunction?
  let after: LuaFunction?
  let supervise: LuaFunction?
  /// Whether the functions have a parameter for the action.
  let beforeTakesAction: Bool
  let afterTakesAction: Bool
  /// What `before` returned, until `after` gets it.
  let kept: LuaSlot
  private let filter: PluginDefinition.Filter

  init(_ unit: PluginDefinition.Unit, in lua: LuaState) throws(LuaError) {
    name = unit.name
    before = unit.before
    after = unit.after
    supervise = unit.supervise
    beforeTakesAction = unit.before.map { $0.parameterCount > 0 } ?? false
    afterTakesAction = unit.after.map { $0.parameterCount > 0 } ?? false
    kept = try lua.makeSlot()
    filter = unit.on
  }

  /// Whether the middleware wants to be asked about an action.
  func accepts(_ type: ActionType) -> Bool {
    guard before != nil || after != nil else { return false }
    return filter.accepts(type)
  }
}
