import StorePlugins
import StoreSchema

/// A state as far as a plugin may read it.
package struct VisibleState: Sendable {
  package let state: HostState
  package let manifest: PluginManifest

  /// What it may read, as one value, for traces.
  package var value: Value { state.value { manifest.mayRead($0) } }

  /// The value at a path, none where it leads to nothing; nil where its module is not there.
  package func read(_ path: Path) -> Value? { state.read(path) }
}
