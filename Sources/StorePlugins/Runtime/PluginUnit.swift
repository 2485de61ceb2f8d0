import LuaRuntime
import StoreCore
import StoreSchema

/// Where what a middleware of a plugin causes goes. Not held by the middleware, so that it can hold that.
public protocol PluginOutput: AnyObject {
  /// Enqueues an action.
  func dispatch(_ call: ActionCall, source: ActionSource)
  /// Starts a task.
  func start(_ task: PluginTaskStart)
}

/// A middleware of a plugin at work in a store: asked before an action is reduced, and told once it is committed.
///
/// A store takes one action at a time through both, so that what is known of it is kept here and nothing is made for an
/// action.
public final class PluginUnit: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.
  private let plugin: Plugin
  private let plan: MiddlewarePlan
  private let ownEmission: PluginCalls.Emission
  /// At a place of its own, so that a call needs no copy of it.
  private let view: UnsafeMutablePointer<any StateView>
  private let lua: LuaCaller
  private let takesAction: Bool
  private let beforeTakesAction: Bool
  private let beforeFunction: LuaHandle?
  private let afterFunction: LuaHandle?
  // Unmanaged, because counting references to them takes longer than a small call: this object and the plugin hold them.
  private let calls: Unmanaged<PluginCalls>
  private let emission: Unmanaged<PluginCalls.Emission>
  private let action: Unmanaged<ActionFacade>
  private let objects: Unmanaged<SliceObjects>
  private let kept: Unmanaged<LuaSlot>

  init(_ plugin: Plugin, _ plan: MiddlewarePlan, _ view: any StateView, _ output: any PluginOutput) {
    self.plugin = plugin
    self.plan = plan
    self.view = .allocate(capacity: 1)
    self.view.initialize(to: view)
    ownEmission = PluginCalls.Emission(unit: plan.name, function: "after")
    ownEmission.emit = { [unowned output] in output.dispatch($0, source: $1) }
    ownEmission.start = { [unowned output] in output.start($0) }
    emission = .passUnretained(ownEmission)
    lua = LuaCaller(plugin.lua)
    takesAction = plan.beforeTakesAction || plan.afterTakesAction
    beforeTakesAction = plan.beforeTakesAction
    beforeFunction = plan.before?.handle
    afterFunction = plan.after?.handle
    calls = .passUnretained(plugin.calls)
    action = .passUnretained(plugin.calls.action)
    objects = .passUnretained(plugin.objects)
    kept = .passUnretained(plan.kept)
  }

  deinit {
    view.deinitialize(count: 1)
    view.deallocate()
  }

  /// Whether there is anything to do after the commit.
  public var hasAfter: Bool { afterFunction != nil }

  /// Asks the middleware about an action before it is reduced. What it returns waits for ``after()``.
  ///
  /// - Throws: ``PluginError``; the action is not to be told to ``after()`` then.
  public func before(_ call: ActionCall, _ context: ActionContext) throws(PluginError) {
    if takesAction { action._withUnsafeGuaranteedRef { $0.hold(context, call: call) } }
    if let beforeFunction {
      let outcome = reading {
        var arguments = lua.arguments()
        if beforeTakesAction { append(to: &arguments.writer) }
        return kept._withUnsafeGuaranteedRef { lua.keep(beforeFunction, arguments, in: $0) }
      }
      if !outcome.isDone {
        let fault = fault("before", outcome)
        if takesAction { action._withUnsafeGuaranteedRef { $0.release() } }
        throw fault
      }
    }
    if takesAction, afterFunction == nil { action._withUnsafeGuaranteedRef { $0.release() } }
  }

  /// Tells the middleware that the action it was asked about is committed.
  public func after() throws(PluginError) {
    guard let afterFunction else { return }
    calls._withUnsafeGuaranteedRef { $0.emissionOfAfter = emission }
    let outcome = reading {
      var arguments = lua.arguments()
      append(to: &arguments.writer)
      kept._withUnsafeGuaranteedRef { arguments.writer.append($0) }
      return lua.count(afterFunction, arguments)
    }
    calls._withUnsafeGuaranteedRef { $0.emissionOfAfter = nil }
    if takesAction { action._withUnsafeGuaranteedRef { $0.release() } }
    if !outcome.isDone { throw fault("after", outcome) }
  }

  /// Writes the action and the context table.
  @inline(__always)
  private func append(to writer: inout LuaWriter) {
    writer.append(PluginCalls.actionObject)
    calls._withUnsafeGuaranteedRef { $0.appendContext(to: &writer) }
  }

  /// Runs Lua code that reads the state and, where it asks, the action.
  @inline(__always)
  private func reading(_ call: () -> LuaCaller.Outcome) -> LuaCaller.Outcome {
    objects._withUnsafeGuaranteedRef { objects in
      let outer = objects.viewInUse
      objects.viewInUse = UnsafePointer(view)
      action._withUnsafeGuaranteedRef { $0.isOpen = true }
      let outcome = call()
      action._withUnsafeGuaranteedRef { $0.shut() }
      objects.viewInUse = outer
      if outer == nil { objects.endCall() }
      return outcome
    }
  }

  private func fault(_ phase: String, _ outcome: LuaCaller.Outcome) -> PluginError {
    plugin.calls.faults.runtime("middleware '\(plan.name)' (\(phase))", lua.error(outcome))
  }
}
