import LuaRuntime
import StoreCore
import StoreModules

/// An interceptor of a plugin: the function that its definition's function made, and the action on its way through it.
final class InterceptorPlan {
  let name: String
  /// Takes an action; nil until it is built.
  var body: LuaFunction?
  /// The action as Lua sees it. Its own, since the plugin's middlewares see actions while `next` runs.
  let action = ActionFacade(name: "action")
  /// The object that stands for the action in Lua.
  let object: LuaObject
  /// The action on its way; nil: none.
  var passage: Passage?
  var isBuilding = false

  /// An action on its way through the interceptor.
  struct Passage {
    /// Passes on another action, or nil: the action as it came.
    let next: (ActionCall?) -> Void
    /// Enqueues what the interceptor dispatches.
    let emit: (ActionCall, ActionSource) -> Void
    var hasPassed = false
    /// True while the action that it passed on is on its way: reducers and middlewares run, which may not dispatch by
    /// its means.
    var isPassing = false
    /// The number of actions that it has dispatched.
    var count = DispatchCount()
  }

  init(name: String, object: LuaObject) {
    self.name = name
    self.object = object
  }

  /// The unit and the function under which the interceptor dispatches.
  var emission: PluginEmission { PluginEmission(unit: name, function: name) }
}
