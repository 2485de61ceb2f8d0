import StoreCore
import StoreModules
import StorePlugins

/// A task of a plugin at work as an effect of its unit, which runs in steps: from one wait to the next.
///
/// A task that follows the state and has come to its end waits until what it dispatched is done. Where some of that failed, or was
/// dropped, the state still asks for what the task was for: it starts again after a while.
package final class TaskRun: EffectSteps {
  private var start: PluginTaskStart
  private let tasks: UnitTasks
  private let effect: EffectContext<Void, HostAction>
  private let isSupervised: Bool
  /// What became of what it has dispatched since it waited last; nil: it has dispatched nothing.
  private var fate: ActionFate?
  /// True while it waits for that.
  private var isEnding = false
  /// How often it has started again.
  private var restarts = 0
  /// Nil before the first step.
  private var task: PluginTask?
  /// The action that it waited for, where it came, and its position among the actions that are kept meanwhile.
  private var taken: (action: ActionCall, position: Int)?
  private var awaited: ActionType?

  /// - Parameter isSupervised: true if it runs because the state asks for it.
  package init(
    _ start: PluginTaskStart, of tasks: UnitTasks, _ effect: EffectContext<Void, HostAction>, isSupervised: Bool
  ) {
    self.start = start
    self.tasks = tasks
    self.effect = effect
    self.isSupervised = isSupervised
  }

  private var surroundings: PluginSurroundings { tasks.surroundings }

  package func step() -> EffectWait {
    stopWaiting()
    do throws(PluginError) {
      return try resume()
    } catch {
      tasks.noteEnded(start)
      surroundings.note(error, unit: tasks.unit, startedBy: effect.action.number, task: start.key)
      return .finished
    }
  }

  package func cancel() {
    stopWaiting()
    if taken != nil { surroundings.waiters.endWaking() }
    taken = nil
    task?.close(view: surroundings.view)
  }

  /// Goes on with an action that it waited for.
  ///
  /// - Parameter position: the action's position among those that are kept until the task has gone on.
  package func take(_ call: ActionCall, at position: Int) {
    taken = (call, position)
    awaited = nil
    effect.resume()
  }

  private func resume() throws(PluginError) -> EffectWait {
    if isEnding { return ended() }
    fate = nil
    // The clock may start more tasks in a second than may dispatch in it.
    if self.task == nil, start.due != nil, tasks.plugin.tasks.areActionsUsedUp { return .sleep(.seconds(1)) }
    // Others may have taken its place.
    if self.task == nil, restarts > 0, tasks.plugin.tasks.free <= 0 { return .sleep(.seconds(1)) }
    let task: PluginTask
    if let begun = self.task {
      task = begun
    } else {
      tasks.noteBegun(start)
      task = try tasks.plugin.tasks.begin(start) { [effect] in effect.isCancelled }
      self.task = task
    }
    let taken = taken
    self.taken = nil
    defer { if taken != nil { surroundings.waiters.endWaking() } }
    var (action, position) = (taken?.action, taken?.position)
    while true {
      let step = try task.resume(with: action, view: surroundings.view) { [self] in
        effect.send(DispatchedAction(hostAction($0), source: caused($1)))
      }
      switch step {
      case .finished:
        tasks.noteEnded(start)
        (self.task, isEnding) = (nil, true)
        // Behind what it has dispatched.
        return fate == nil ? .finished : .sleep(.zero)
      case .sleepUntil(let time): return .until(time)
      case .sleep(let duration): return .sleep(duration)
      case .waitFor(let type, let timeout):
        // An action that came between the one that the task got and this step is not lost.
        if var next = position, !effect.isCancelled, let missed = surroundings.waiters.next(type, from: &next) {
          (action, position) = (missed, next)
          continue
        }
        awaited = type
        surroundings.waiters.add(self, for: type)
        return .resumption(within: timeout)
      }
    }
  }

  /// The source of an action that the task dispatches. If the task follows the state, its action belongs to the one that set when it
  /// is due: it is taken back with that.
  private func caused(_ source: ActionSource) -> ActionSource {
    guard isSupervised else { return source }
    if start.setter == 0 {
      var starts = [start]
      tasks.findSetters(of: &starts)
      start = starts[0]
    }
    let setter = start.setter ?? effect.action.number
    guard setter > 0 else { return source }
    var source = source
    source.cause = setter
    return source
  }

  private func hostAction(_ call: ActionCall) -> HostAction {
    let action = surroundings.typed(call)
    guard isSupervised else { return action }
    let fate = fate ?? ActionFate()
    self.fate = fate
    return HostAction(action, fate)
  }

  /// Comes to an end, or waits to start again: a second, then twice as long each time, up to about an hour.
  private func ended() -> EffectWait {
    guard fate?.isRejected == true else { return .finished }
    isEnding = false
    start = tasks.renewed(start)
    restarts += 1
    return .sleep(.seconds(1 << min(restarts - 1, 12)))
  }

  /// No longer waits for an action: none came, or it is too late for one.
  private func stopWaiting() {
    guard let type = awaited else { return }
    awaited = nil
    surroundings.waiters.remove(self, for: type)
  }
}
