import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The middlewares of a plugin, each by its position in declared order.
public final class PluginMiddlewares: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  private let machine: PluginMachine
  /// The plans of the middlewares.
  private let plans: [MiddlewarePlan]

  init(_ plans: [MiddlewarePlan], _ machine: PluginMachine) {
    self.machine = machine
    self.plans = plans
  }

  /// True if a middleware wants to be asked about an action.
  public func accepts(_ type: ActionType, unit index: Int) -> Bool { plans[index].accepts(type) }

  /// The plan of a middleware.
  func plan(_ index: Int) -> MiddlewarePlan { plans[index] }

  /// Puts a middleware to work.
  ///
  /// - Parameters:
  ///   - view: the state that it reads.
  ///   - output: the receiver of its dispatches and tasks.
  public func unit(_ index: Int, view: any StateView, output: any PluginOutput) -> PluginUnit {
    PluginUnit(machine, plans[index], view, output)
  }

  /// True if a middleware says which tasks should run.
  public func supervises(_ index: Int) -> Bool { plans[index].supervise != nil || supervisesEntries(index) }

  /// True if a middleware has tasks for the entries of a map.
  public func supervisesEntries(_ index: Int) -> Bool { plans[index].entryTasks != nil }

  /// True if nothing has changed that a middleware read when it was asked last which tasks should run.
  public func isSupervisionUnchanged(_ index: Int, view: any StateView) -> Bool {
    plans[index].supervised.value(in: view) != nil
  }

  /// Asks a middleware which tasks should run in the state. Its former answer holds as long as nothing that it read has
  /// changed.
  ///
  /// - Returns: all of them, by key in the order of the keys.
  public func supervise(_ index: Int, view: any StateView) throws(PluginError) -> [PluginTaskStart] {
    let plan = plans[index]
    guard let function = plan.supervise else { return [] }
    if let starts = plan.supervised.value(in: view) { return starts }
    plan.supervised.noteRun()
    let outer = machine.calls.running.emission
    (machine.calls.running.emission, machine.calls.running.slicesRead) = (nil, [])
    defer { (machine.calls.running.emission, machine.calls.running.slicesRead) = (outer, nil) }
    let wanted = try machine.run(view, "middleware '\(plan.name)' (supervise)") {
      () throws(LuaError) -> [PluginTaskStart] in
      guard let each = plan.each else {
        return try starts(
          machine.lua.call(function, firstResultWith: { $0.append(SliceObjects.stateObject) }), plan.name, of: nil)
      }
      if case .field(let module)? = each.path.steps.first { machine.calls.running.noteRead(module) }
      var all: [PluginTaskStart] = []
      for element in each.elements(in: view) {
        let wanted = try machine.lua.call(
          function,
          firstResultWith: { writer in
            LuaBridge.write(element.value, to: &writer)
            writer.append(SliceObjects.stateObject)
          })
        all += try starts(wanted, plan.name, of: AddressedElement(argument: each.argument, id: element.id))
      }
      return all
    }
    plan.supervised.keep(wanted, reading: machine.calls.running.slicesRead ?? [], in: view)
    return wanted
  }

  /// Has a middleware asked again: its tasks are to start anew, from functions that none of them has run.
  public func forgetSupervised(_ index: Int) {
    plans[index].supervised.forget()
    plans[index].entriesSeen = nil
  }

  private func starts(
    _ wanted: LuaValue, _ unit: String, of element: AddressedElement?
  ) throws(LuaError) -> [PluginTaskStart] {
    if wanted == .nil { return [] }
    guard case .table(let table) = wanted else {
      throw LuaError(kind: .runtime, message: "returned \(wanted.described), not a table of tasks")
    }
    var starts: [PluginTaskStart] = []
    for (key, value) in table.entries() {
      guard let key = EffectToken(key), case .function(let function) = value else {
        throw LuaError(
          kind: .runtime,
          message: "returned an entry that is not KEY = function(task) … end, but \(key.described) = \(value.described)"
        )
      }
      starts.append(PluginTaskStart(unit: unit, key: key, of: element, function: function))
    }
    return starts
  }
}
