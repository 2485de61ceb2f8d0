import StoreCore
import StoreModules
import StorePlugins

/// A task of a plugin at work as an effect of its unit, which runs in steps: from one wait to the next.
package final class TaskRun: EffectSteps {
  private let start: PluginTaskStart
  private let tasks: UnitTasks
  private let effect: EffectContext<Void, HostAction>
  /// Nil before the first step.
  private var task: PluginTask?
  /// The action that it waited for, where it came.
  private var action: ActionCall?
  /// The action that it waits for.
  private var awaited: ActionType?

  package init(_ start: PluginTaskStart, of tasks: UnitTasks, _ effect: EffectContext<Void, HostAction>) {
    self.start = start
    self.tasks = tasks
    self.effect = effect
  }

  private var surroundings: PluginSurroundings { tasks.surroundings }

  package func step() -> EffectWait {
    stopWaiting()
    do throws(PluginError) {
      return try resume()
    } catch {
      surroundings.note(error, unit: tasks.unit, startedBy: effect.action.number)
      return .finished
    }
  }

  package func cancel() {
    stopWaiting()
    task?.close(view: surroundings.view)
  }

  /// Goes on with an action that it waited for.
  package func take(_ call: ActionCall) {
    action = call
    awaited = nil
    effect.resume()
  }

  private func resume() throws(PluginError) -> EffectWait {
    let task: PluginTask
    if let begun = self.task {
      task = begun
    } else {
      tasks.noteBegun(start)
      task = try tasks.plugin.tasks.begin(start) { [effect] in effect.isCancelled }
      self.task = task
    }
    let action = action
    self.action = nil
    let step = try task.resume(with: action, view: surroundings.view) { [self] in
      effect.send(DispatchedAction(surroundings.typed($0), source: $1))
    }
    switch step {
    case .finished: return .finished
    case .sleep(let duration): return .sleep(duration)
    case .waitFor(let type, let timeout):
      awaited = type
      surroundings.waiters.add(self, for: type)
      return .resumption(within: timeout)
    }
  }

  /// No longer waits for an action: none came, or it is too late for one.
  private func stopWaiting() {
    guard let type = awaited else { return }
    awaited = nil
    surroundings.waiters.remove(self, for: type)
  }
}
