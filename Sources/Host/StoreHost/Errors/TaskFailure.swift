import StorePlugins

/// A task of a plugin failed.
package struct TaskFailure: Error, Equatable, CustomStringConvertible {
  package let error: PluginError
  /// The action that started it, in words.
  package let startedBy: String?

  package var description: String { error.message }
}
