import StoreCore
import StoreModules
import StorePlugins

/// A middleware of a plugin in the shell's root. The store takes one action at a time through it, so that what an action
/// needs is kept here and nothing is made for it.
package final class HostedMiddleware: PluginOutput, @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  private let name: String
  private let tasks: UnitTasks
  private let surroundings: PluginSurroundings
  private var unit: PluginUnit?
  /// What runs after the commit, one for all actions.
  private var after = IO<HostAction>.none
  private var action: ActionContext?
  private var effects: EffectScope?
  private var handler: ActionHandler<HostAction>?

  package init(_ plugin: Plugin, unit index: Int, _ tasks: UnitTasks, _ surroundings: PluginSurroundings) {
    name = plugin.units[index].name
    self.tasks = tasks
    self.surroundings = surroundings
    let unit = plugin.middlewares.unit(index, view: surroundings.view, output: self)
    self.unit = unit
    // Unowned: the middleware that runs it holds both.
    if unit.hasAfter { after = IO { [unowned self] in run(unit, $0) } }
  }

  /// Takes the effects of the unit, which has new ones each time that it is attached.
  package func attach(_ effects: EffectScope) { self.effects = effects }

  package func handle(_ call: ActionCall, _ context: ActionContext) -> IO<HostAction> {
    guard !surroundings.strikes.isOut else { return .none }
    do throws(PluginError) {
      try unit?.before(call, context)
    } catch {
      surroundings.note(error, in: context.number, unit: name)
      return .none
    }
    surroundings.strikes.ran(in: context.number)
    guard !after.isNone else { return .none }
    if surroundings.faults.isHoldingBack, let unit { return later(unit, unit.takeFacts(call, context), context) }
    action = context
    return after
  }

  /// What runs after the commit of an attempt: others may have been made since.
  private func later(_ unit: PluginUnit, _ facts: PluginUnit.Facts, _ context: ActionContext) -> IO<HostAction> {
    IO { [unowned self] handler in
      action = context
      unit.putBack(facts)
      run(unit, handler)
    }
  }

  private func run(_ unit: PluginUnit, _ handler: ActionHandler<HostAction>) {
    self.handler = handler
    defer {
      self.handler = nil
      action = nil
    }
    do throws(PluginError) {
      try unit.after()
    } catch {
      surroundings.note(error, in: action?.number ?? 0, unit: name)
    }
  }

  package func dispatch(_ call: ActionCall, source: ActionSource) {
    handler?.dispatch(DispatchedAction(surroundings.typed(call), source: source))
  }

  package func start(_ task: PluginTaskStart) {
    if let rehearsal = surroundings.rehearsal { return rehearsal.note("\(tasks.name)/\(task.key)") }
    guard let action, let effects, let handler else { return }
    effects.start(tasks.effect(task), context: action, output: handler)
  }
}
