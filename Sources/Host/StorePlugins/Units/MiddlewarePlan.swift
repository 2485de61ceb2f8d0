import LuaRuntime
import StoreModules

/// How one middleware is called, as far as it can be prepared.
final class MiddlewarePlan {
  let name: String
  let before: MiddlewareFunction?
  let after: MiddlewareFunction?
  let supervise: LuaFunction?
  /// The tasks that it asked for last.
  let supervised = StateCache<[PluginTaskStart]>()
  /// What `before` returned, until `after` gets it.
  let kept: LuaSlot
  private let filter: PluginDefinition.Filter
  /// The last answer: looking for names takes longer than a small middleware.
  @exclusivity(unchecked) private var recent: (type: ActionType, isAccepted: Bool)?
  /// Held here, since handles do not.
  private let functions: [LuaFunction]

  init(_ unit: PluginDefinition.Unit, in lua: LuaState) throws(LuaError) {
    name = unit.name
    before = unit.before.map { MiddlewareFunction($0) }
    after = unit.after.map { MiddlewareFunction($0) }
    supervise = unit.supervise
    kept = try lua.makeSlot()
    filter = unit.on
    functions = [unit.before, unit.after].compactMap { $0 }
  }

  /// Whether the middleware wants to be asked about an action.
  func accepts(_ type: ActionType) -> Bool {
    guard before != nil || after != nil else { return false }
    if let recent, recent.type === type { return recent.isAccepted }
    let isAccepted = filter.accepts(type)
    recent = (type, isAccepted)
    return isAccepted
  }
}

/// One of the functions of a middleware in plain words, and what its code uses of what it gets.
struct MiddlewareFunction {
  let handle: LuaHandle
  let takesAction: Bool
  let takesContext: Bool
  /// Whether it uses what `before` returned.
  let takesKept: Bool
  /// Whether its calls end before anybody looks at their budget. Context and what `before` returned are tables of Lua's, which
  /// may have metamethods.
  let isBrief: Bool
  /// Whether its calls use nothing of the host's.
  var isAlone: Bool { isBrief && !takesAction }

  init(_ function: LuaFunction) {
    let sketch = function.sketch
    handle = function.handle
    takesAction = sketch.use(of: 0) != .none
    takesContext = sketch.use(of: 1) != .none
    takesKept = sketch.use(of: 2) != .none
    isBrief = sketch.isBrief && !takesContext && !takesKept
  }
}
