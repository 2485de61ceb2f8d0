import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The interceptors of a plugin: how they are made and called (R5).
public final class PluginInterceptors: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  private let machine: PluginMachine
  private var calls: PluginCalls { machine.calls }
  private let declared: [PluginDefinition.InterceptorEntry]
  /// The plan of each call, the outermost first.
  private let plans: [InterceptorPlan]

  init(_ declared: [PluginDefinition.InterceptorEntry], _ plans: [InterceptorPlan], _ machine: PluginMachine) {
    self.machine = machine
    self.declared = declared
    self.plans = plans
  }

  /// The names of the plugin's interceptors within it, the outermost first.
  public var names: [String] { plans.map(\.name) }

  /// Has the plugin's functions make its interceptors; to be called once, before any action meets them.
  ///
  /// - Throws: ``PluginError`` where one of them fails, dispatches already, or makes no function.
  public func build(view: any StateView) throws(PluginError) {
    for (plan, entry) in zip(plans, declared) {
      plan.isBuilding = true
      defer { plan.isBuilding = false }
      let place = "interceptor '\(plan.name)'"
      let made: LuaValue
      do throws(LuaError) {
        made = try machine.reading(view) { () throws(LuaError) in
          let functions = try calls.makeInterceptorFunctions(plan, in: machine.lua, machine.objects)
          return try machine.lua.call(
            entry.build, firstResultWith: { for function in functions { $0.append(function) } })
        }
      } catch {
        throw calls.faults.runtime(place, error).with(code: .load)
      }
      guard case .function(let body) = made else {
        throw calls.faults.make(
          .load, "\(place) made \(made.described), not a function",
          hint: "write: function(dispatch, get, next) return function(action) next(action) end end")
      }
      plan.body = body
    }
  }

  /// Takes an action through an interceptor. An interceptor that returns without passing anything on drops the action.
  ///
  /// - Parameters:
  ///   - next: passes on another action, or nil: the action as it came.
  ///   - emit: enqueues what it dispatches.
  /// - Throws: ``PluginError``; whether it has passed anything on by then shows in `next`.
  public func intercept(
    _ index: Int, _ call: ActionCall, _ context: ActionContext, view: any StateView,
    emit: @escaping (ActionCall, ActionSource) -> Void, next: @escaping (ActionCall?) -> Void
  ) throws(PluginError) {
    let plan = plans[index]
    guard let body = plan.body else { return next(nil) }
    var isChanged = false
    plan.passage = InterceptorPlan.Passage(
      next: { call in
        isChanged = call != nil
        next(call)
      }, emit: emit)
    plan.action.set(context, call: call)
    // A command of the plugin may have dispatched the action.
    let outer = calls.running.emission
    calls.running.emission = nil
    // The work of others behind `next` is not the plugin's.
    let worked = machine.caller.worked
    defer {
      machine.caller.worked = worked
      calls.running.emission = outer
      if isChanged || plan.passage?.hasPassed == false { calls.permissions.noteIntercept() }
      plan.passage = nil
      plan.action.forget()
    }
    _ = try machine.run(view, "interceptor '\(plan.name)'") { () throws(LuaError) in
      try machine.lua.call(body, firstResultWith: { $0.append(plan.object) })
    }
    // Lua may have caught it.
    if let overrun = plan.passage?.count.overrun { throw calls.faults.overrun("interceptor '\(plan.name)'", overrun) }
  }
}

extension PluginCalls {
  /// Makes what an interceptor's function gets: `dispatch`, `get`, `next`.
  func makeInterceptorFunctions(
    _ plan: InterceptorPlan, in lua: LuaState, _ objects: SliceObjects
  ) throws(LuaError) -> [LuaFunction] {
    interceptors.append(plan)
    // Unowned: this object holds the interceptors, and the owner of the Lua state holds this object.
    let dispatch = try lua.makeFunction { [unowned self, unowned objects, unowned plan] call in
      guard let passage = plan.passage else {
        throw LuaFailure(
          plan.isBuilding
            ? "dispatches while the chain is being built; dispatch in answer to an action"
            : "dispatches while no action is on its way through it; dispatch in answer to an action")
      }
      guard !passage.isPassing else {
        throw LuaFailure("an interceptor's dispatch is for the interceptor alone, before and after next")
      }
      let action = try actions.makeAction(call[0], call[1], objects, for: "dispatch", isRefusal: false)
      try plan.passage?.count.add(most: mostActions)
      passage.emit(action, source(of: call, plan.emission))
    }
    let get = try lua.makeFunction { call in call.results.append(SliceObjects.stateObject) }
    let next = try lua.makeFunction { [unowned self, unowned objects, unowned plan] call in
      guard let passage = plan.passage, !passage.hasPassed else {
        throw LuaFailure("calls next out of turn; call it once, before its function returns")
      }
      var other: ActionCall?
      if call[0] != .object(plan.object) { other = try actions.readAction(call[0], call[1], objects, for: "next") }
      plan.passage?.hasPassed = true
      plan.passage?.isPassing = true
      passage.next(other)
      plan.passage?.isPassing = false
    }
    return [dispatch, get, next]
  }
}
