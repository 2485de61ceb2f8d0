import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The receiver of the dispatches and tasks of a plugin's middleware. Not held by the middleware, so that it can hold
/// that.
public protocol PluginOutput: AnyObject {
  /// Enqueues an action.
  func dispatch(_ call: ActionCall, source: ActionSource)
  /// Starts a task.
  func start(_ task: PluginTaskStart)
}

/// A middleware of a plugin at work in a store: asked before an action is reduced, and told once it is committed.
///
/// A store takes one action at a time through both: its facts are kept here, in properties, and nothing is made for an action. Where
/// several are attempted before the first is committed, the facts of each are taken away, and put back for its end.
public final class PluginUnit: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.
  let machine: PluginMachine
  let plan: MiddlewarePlan
  let ownEmission: PluginEmission
  /// At a place of its own, so that a call needs no copy of it.
  let view: UnsafeMutablePointer<any StateView>
  private let lua: LuaCaller
  let context: LuaHandle?
  private let takesAction: Bool
  private let beforeFunction: MiddlewareFunction?
  private let afterFunction: MiddlewareFunction?
  /// True if `after` uses the result of `before`.
  private let keepsResult: Bool
  // Unmanaged, because counting references to them takes longer than a small call: this object and the machine hold them.
  private let running: Unmanaged<RunningCode>
  private let emission: Unmanaged<PluginEmission>
  private let action: Unmanaged<ActionFacade>
  private let objects: Unmanaged<SliceObjects>
  private var kept: Unmanaged<LuaSlot>
  /// Holds it.
  private var slot: LuaSlot
  /// The elements that it was asked about, where it runs for each.
  var asked: [Asked] = []

  init(
    _ machine: PluginMachine, _ plan: MiddlewarePlan, _ view: any StateView,
    _ output: any PluginOutput
  ) {
    self.machine = machine
    self.plan = plan
    self.view = .allocate(capacity: 1)
    self.view.initialize(to: view)
    ownEmission = PluginEmission(unit: plan.name, function: "after")
    ownEmission.emit = { [unowned output] in output.dispatch($0, source: $1) }
    ownEmission.start = { [unowned output] in output.start($0) }
    emission = .passUnretained(ownEmission)
    lua = LuaCaller(machine.lua)
    context = machine.calls.handed.contextHandle
    takesAction = plan.each != nil || plan.before?.takesAction ?? false || plan.after?.takesAction ?? false
    beforeFunction = plan.before
    afterFunction = plan.after
    keepsResult = plan.after?.takesKept ?? false
    running = .passUnretained(machine.calls.running)
    action = .passUnretained(machine.calls.action)
    objects = .passUnretained(machine.objects)
    slot = plan.kept
    kept = .passUnretained(slot)
  }

  deinit {
    view.deinitialize(count: 1)
    view.deallocate()
  }

  /// True if there is anything to do after the commit.
  public var hasAfter: Bool { afterFunction != nil }

  /// Asks the middleware about an action before it is reduced. Its result waits for ``after()``.
  ///
  /// - Throws: ``PluginError``; the action is not to be told to ``after()`` then.
  public func before(_ call: ActionCall, _ context: ActionContext) throws(PluginError) {
    if machine.workingTime.isOver(context, lua) {
      throw machine.calls.faults.overtime(place(beforeFunction == nil ? "after" : "before"))
    }
    if takesAction { action._withUnsafeGuaranteedRef { $0.hold(context, call: call) } }
    if let each = plan.each {
      do throws(PluginError) {
        try ask(each.elements(for: call, in: view.pointee))
      } catch {
        action._withUnsafeGuaranteedRef { $0.release() }
        throw error
      }
    } else if let beforeFunction {
      let outcome = run(beforeFunction, keepsResult: keepsResult)
      if !outcome.isDone {
        let fault = fault("before", outcome)
        if takesAction { action._withUnsafeGuaranteedRef { $0.release() } }
        throw fault
      }
    }
    if takesAction, afterFunction == nil { action._withUnsafeGuaranteedRef { $0.release() } }
  }

  /// What is known of an action between ``before(_:_:)`` and ``after()``.
  public struct Facts {
    fileprivate let context: ActionContext
    fileprivate let call: ActionCall
    /// The result of `before`; nil: it is not kept there.
    fileprivate let slot: LuaSlot?
    fileprivate let asked: [Asked]
  }

  /// Takes away what is known of the action that the middleware was asked about last, so that others may come before its end.
  public func takeFacts(_ call: ActionCall, _ context: ActionContext) -> Facts {
    if takesAction { action._withUnsafeGuaranteedRef { $0.release() } }
    var taken: LuaSlot?
    // Without room for another slot the result is lost with the next one's.
    if keepsResult, plan.each == nil, let other = try? machine.lua.makeSlot() {
      taken = slot
      use(other)
    }
    defer { asked = [] }
    return Facts(context: context, call: call, slot: taken, asked: asked)
  }

  /// Puts back what is known of an action, whose end comes next.
  public func putBack(_ facts: Facts) {
    if takesAction { action._withUnsafeGuaranteedRef { $0.hold(facts.context, call: facts.call) } }
    if let slot = facts.slot { use(slot) }
    asked = facts.asked
  }

  private func use(_ other: LuaSlot) {
    slot = other
    kept = .passUnretained(other)
  }

  /// Tells the middleware that the action it was asked about is committed.
  public func after() throws(PluginError) {
    guard let afterFunction else { return }
    ownEmission.count = DispatchCount()
    running._withUnsafeGuaranteedRef { $0.emissionOfAfter = emission }
    try tellOfCommit(afterFunction)
    // The function may have caught the error.
    if let overrun = ownEmission.count.overrun { throw machine.calls.faults.overrun(place("after"), overrun) }
  }

  private func tellOfCommit(_ function: MiddlewareFunction) throws(PluginError) {
    defer {
      running._withUnsafeGuaranteedRef { $0.emissionOfAfter = nil }
      if takesAction { action._withUnsafeGuaranteedRef { $0.release() } }
    }
    if let each = plan.each { return try tell(each) }
    let outcome = run(function, keepsResult: false)
    if !outcome.isDone { throw fault("after", outcome) }
  }

  /// Runs one of the functions, which reads the state and, where it asks, the action.
  @inline(__always)
  private func run(_ function: MiddlewareFunction, keepsResult: Bool) -> LuaCaller.Outcome {
    if function.isAlone { return call(function, keepsResult) }
    return objects._withUnsafeGuaranteedRef { objects in
      let outer = objects.viewInUse
      objects.viewInUse = UnsafePointer(view)
      // Among the objects of a command that dispatched are such as were made of a state before.
      objects.isStill = outer == nil
      action._withUnsafeGuaranteedRef { $0.isOpen = true }
      let outcome = call(function, keepsResult)
      action._withUnsafeGuaranteedRef { $0.shut() }
      objects.isStill = false
      objects.viewInUse = outer
      if outer == nil { objects.endCall() }
      return outcome
    }
  }

  /// Calls one of the functions with what it uses.
  @inline(__always)
  private func call(_ function: MiddlewareFunction, _ keepsResult: Bool) -> LuaCaller.Outcome {
    var arguments = lua.arguments()
    var tables = function.tables
    if let given = tables {
      let isWritten = action._withUnsafeGuaranteedRef { action in
        given._withUnsafeGuaranteedRef { action.write(in: $0, to: &arguments.writer) }
      }
      if !isWritten { tables = nil }
    }
    if function.takesAction {
      if tables == nil { arguments.writer.append(ActionFacade.actionObject) }
    } else if function.takesContext || function.takesKept {
      arguments.writer.appendNil()
    }
    if function.takesContext {
      running._withUnsafeGuaranteedRef { $0.isContextOpen = true }
      if let context { arguments.writer.append(context) }
    } else if function.takesKept {
      arguments.writer.appendNil()
    }
    defer {
      running._withUnsafeGuaranteedRef { $0.isContextOpen = false }
      tables?._withUnsafeGuaranteedRef { $0.dropLong(lua) }
      if function.takesKept, !keepsResult { kept._withUnsafeGuaranteedRef { lua.empty($0) } }
    }
    return kept._withUnsafeGuaranteedRef { kept in
      if function.takesKept { arguments.writer.append(kept) }
      if let tables {
        action._withUnsafeGuaranteedRef { action in
          tables._withUnsafeGuaranteedRef { action.writeArguments(of: $0, to: &arguments.writer) }
        }
      }
      guard keepsResult else { return lua.run(function.handle, arguments, isBrief: function.isBrief) }
      return lua.keep(function.handle, arguments, in: kept, isBrief: function.isBrief)
    }
  }

  private func fault(_ phase: String, _ outcome: LuaCaller.Outcome) -> PluginError {
    machine.calls.faults.runtime(place(phase), lua.error(outcome), signature: .middleware)
  }

  func place(_ phase: String) -> String { "middleware '\(plan.name)' (\(phase))" }
}

/// A middleware that runs for one element after the other (R17).
extension PluginUnit {
  /// An element that the middleware was asked about, and the result of `before`.
  struct Asked {
    let element: ElementRule.Element
    let kept: LuaValue
  }

  /// Asks the middleware about each element that an action is for.
  func ask(_ elements: [ElementRule.Element]) throws(PluginError) {
    asked = []
    for element in elements {
      var kept = LuaValue.nil
      if let function = plan.functions.before {
        kept = try run(function, "before", element.value, nil)
      }
      asked.append(Asked(element: element, kept: kept))
    }
  }

  /// Tells the middleware of each element that the action is committed: the element as it is now or, where the action took it
  /// away, as it stood before.
  func tell(_ rule: ElementRule) throws(PluginError) {
    guard let function = plan.functions.after else { return }
    defer { (ownEmission.element, asked) = (nil, []) }
    for one in asked {
      let id = one.element.id
      ownEmission.element = AddressedElement(argument: rule.argument, id: id)
      let value = rule.value(of: id, in: view.pointee) ?? one.element.value
      _ = try run(function, "after", value, one.kept)
    }
  }

  /// Runs one of the functions for an element.
  ///
  /// - Parameter kept: the result of `before`; nil: this is `before`.
  private func run(
    _ function: LuaFunction, _ phase: String, _ element: Value, _ kept: LuaValue?
  ) throws(PluginError) -> LuaValue {
    let (calls, wasOpen) = (machine.calls, machine.calls.action.isOpen)
    calls.action.isOpen = true
    calls.running.isContextOpen = true
    defer {
      calls.running.isContextOpen = false
      calls.action.isOpen = wasOpen
    }
    return try machine.run(view.pointee, place(phase), signature: .middleware) { () throws(LuaError) in
      try machine.lua.call(
        function,
        firstResultWith: { writer in
          writer.append(ActionFacade.actionObject)
          if let context { writer.append(context) } else { writer.appendNil() }
          if let kept { writer.append(kept) }
          LuaBridge.write(element, to: &writer)
        })
    }
  }
}
