import StoreCore
import StorePlugins

/// A live store's part in a store that processes on many machines share, as the live store asks it.
package protocol SharedNode: AnyObject, Sendable {
  /// True while an action of another node is taken over.
  var isFollowing: Bool { get }

  /// Has an action and all that it causes done in the order of all nodes, and waits for that. The turn is given away meanwhile.
  ///
  /// - Returns: nil while this thread processes another action, which causes this one.
  func dispatch(_ action: HostAction, _ source: ActionSource, for client: StoreClient?) -> DispatchResult?

  /// Hands the code of a plugin on to all nodes. The turn is given away meanwhile.
  func publish(_ source: PluginSource) throws

  /// Takes note of whether a plugin runs here without its middlewares and tasks: such a node keeps none of them for the others.
  func note(lacksUnits: Bool)
}
