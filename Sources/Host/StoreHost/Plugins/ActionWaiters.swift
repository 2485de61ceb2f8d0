import StoreModules
import StorePlugins

/// Tasks that wait for an action.
package final class ActionWaiters: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.

  /// By the action's full name, since the plugin that declares it may be reloaded meanwhile; in the order in which they began
  /// to wait.
  private var waiting: [String: [TaskRun]] = [:]

  /// Has a task wait for the next action of a type.
  package func add(_ task: TaskRun, for type: ActionType) { waiting[type.fullName, default: []].append(task) }

  /// Has a task wait for it no longer.
  package func remove(_ task: TaskRun, for type: ActionType) {
    waiting[type.fullName]?.removeAll { $0 === task }
    if waiting[type.fullName]?.isEmpty ?? false { waiting[type.fullName] = nil }
  }

  /// Wakes those that wait for an action.
  package func tell(_ call: ActionCall) {
    guard !waiting.isEmpty, let tasks = waiting.removeValue(forKey: call.type.fullName) else { return }
    for task in tasks { task.take(call) }
  }
}
