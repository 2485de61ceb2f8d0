import StorePlugins

/// A task of a plugin failed.
package struct TaskFailure: Error, Equatable, CustomStringConvertible {
  package let error: PluginError
  /// The action that started it, in words.
  package let startedBy: String?

  package var description: String { error.message }
}

extension [any Error] {
  /// Appends an error, unless it is the same failure of tasks as the last one.
  package mutating func appendOnce(_ error: any Error) {
    if let failure = error as? TaskFailure, let last = last as? TaskFailure, failure == last { return }
    append(error)
  }
}
