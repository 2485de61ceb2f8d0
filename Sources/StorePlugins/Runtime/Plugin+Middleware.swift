import LuaRuntime
import StoreCore
import StoreSchema

/// How a plugin's middlewares are called.
extension Plugin {
  /// Whether a middleware wants to be asked about an action.
  public func accepts(_ type: ActionType, unit index: Int) -> Bool { middlewares[index].accepts(type) }

  /// Whether a middleware has anything to do after the commit.
  public func hasAfter(unit index: Int) -> Bool { middlewares[index].after != nil }

  /// Asks a middleware before reducing.
  ///
  /// - Returns: what it wants to see again in ``after(unit:_:_:kept:view:emit:)``.
  public func before(
    unit index: Int, _ call: ActionCall, _ context: ActionContext, view: any StateView
  ) throws(PluginError) -> LuaValue {
    let plan = middlewares[index]
    guard let function = plan.before else { return .nil }
    if plan.beforeTakesAction { calls.action.set(context, call: call) }
    defer { if plan.beforeTakesAction { calls.action.forget() } }
    return try run(view, "middleware '\(plan.name)' (before)") { () throws(LuaError) in
      try lua.call(
        function,
        firstResultWith: { writer in
          guard plan.beforeTakesAction else { return }
          writer.append(PluginCalls.actionObject)
          calls.appendContext(to: &writer)
        })
    }
  }

  /// Tells a middleware after the commit.
  ///
  /// - Parameters:
  ///   - kept: what it returned before reducing.
  ///   - start: starts a task.
  ///   - emit: enqueues what it dispatches.
  public func after(
    unit index: Int, _ call: ActionCall, _ context: ActionContext, kept: LuaValue, view: any StateView,
    start: ((PluginTaskStart) -> Void)? = nil, emit: @escaping (ActionCall, ActionSource) -> Void
  ) throws(PluginError) {
    let plan = middlewares[index]
    guard let function = plan.after else { return }
    if plan.afterTakesAction { calls.action.set(context, call: call) }
    let outer = calls.emission
    (plan.emission.emit, plan.emission.start) = (emit, start)
    calls.emission = plan.emission
    // A command of this plugin may be waiting for what it dispatched.
    defer {
      calls.emission = outer
      (plan.emission.emit, plan.emission.start) = (nil, nil)
      if plan.afterTakesAction { calls.action.forget() }
    }
    _ = try run(view, "middleware '\(plan.name)' (after)") { () throws(LuaError) in
      try lua.call(
        function,
        discardingResultsWith: { writer in
          writer.append(PluginCalls.actionObject)
          calls.appendContext(to: &writer)
          writer.append(kept)
        })
    }
  }

  /// Runs a function of the plugin that reads the state.
  ///
  /// - Parameter place: what faults call the function.
  func run<Result>(
    _ view: any StateView, _ place: @autoclosure () -> String, _ body: () throws(LuaError) -> Result
  ) throws(PluginError) -> Result {
    do throws(LuaError) {
      return try reading(view, body)
    } catch {
      throw calls.faults.runtime(place(), error)
    }
  }

  /// Runs something that reads the state.
  func reading<Result>(_ view: any StateView, _ body: () throws(LuaError) -> Result) throws(LuaError) -> Result {
    let outer = objects.viewInUse
    defer {
      objects.viewInUse = outer
      if outer == nil { objects.endCall() }
    }
    return try withUnsafePointer(to: view) { (view) throws(LuaError) in
      objects.viewInUse = view
      return try body()
    }
  }
}
