import StorePlugins

package struct TaskFailure: Error, Equatable, CustomStringConvertible {
  package let error: PluginError
  /// The action that started it, in words.
  package let startedBy: String?

  package var description: String { error.message }
}

/// A fault of a plugin beside an action, which the log does not have.
package struct PluginFault: Sendable {
  /// The number of the action in which it arose, or that started the task; 0: none.
  package let action: Int
  /// The unit's name within the plugin.
  package let unit: String
  /// The id of the task that failed or could not start, as listings of effects have it; nil: the fault is no task's.
  package let effect: String?
  package let error: PluginError
}

extension [any Error] {
  /// Appends an error, unless it is the same failure of tasks as the last one.
  package mutating func appendOnce(_ error: any Error) {
    if let failure = error as? TaskFailure, let last = last as? TaskFailure, failure == last { return }
    append(error)
  }
}
