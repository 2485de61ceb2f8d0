import StoreModules

package final class ActionWaiters: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too. Asked with every action, by what calls nothing that asks
  // again.

  /// By the action's full name, since the plugin that declares it may be reloaded meanwhile; in the order in which they began
  /// to wait.
  @exclusivity(unchecked) private var waiting: [String: [TaskRun]] = [:]
  /// The number of tasks that have got an action and not gone on yet.
  @exclusivity(unchecked) private var waking = 0
  /// The actions since the first of these got its own.
  private var passed: [ActionCall] = []

  package func add(_ task: TaskRun, for type: ActionType) { waiting[type.fullName, default: []].append(task) }

  /// Has a task wait for it no longer.
  package func remove(_ task: TaskRun, for type: ActionType) {
    waiting[type.fullName]?.removeAll { $0 === task }
    if waiting[type.fullName]?.isEmpty ?? false { waiting[type.fullName] = nil }
  }

  package func tell(_ action: HostAction) {
    if waking == 0, waiting.isEmpty { return }
    let call = action.call
    if waking > 0 { passed.append(call) }
    guard !waiting.isEmpty, let tasks = waiting.removeValue(forKey: call.type.fullName) else { return }
    waking += tasks.count
    for task in tasks { task.take(call, at: passed.count) }
  }

  /// The next action of a type behind those that a waking task has seen, where it has come by now.
  ///
  /// - Parameter position: the number of actions that the task has seen; moved behind the action.
  package func next(_ type: ActionType, from position: inout Int) -> ActionCall? {
    guard let index = passed[position...].firstIndex(where: { $0.type.fullName == type.fullName }) else { return nil }
    position = index + 1
    return passed[index]
  }

  /// Takes note that a task which got an action has gone on, or was cancelled.
  package func endWaking() {
    waking -= 1
    if waking == 0 { passed = [] }
  }
}
