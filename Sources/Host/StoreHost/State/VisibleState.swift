import StorePlugins
import StoreSchema

/// A state as far as a plugin may read it.
package struct VisibleState: Sendable {
  package let state: HostState
  package let manifest: PluginManifest

  /// What it may read, as one value, for traces.
  package var value: Value { state.value { manifest.mayRead($0) } }

  /// The value at a path, none where it leads to nothing; nil where its module is not there.
  package func read(_ path: Path) -> Value? {
    guard case .field(let module) = path.steps.first else { return nil }
    var value: Value?
    _ = state.readSlice(module) { schema, slice in
      value = (try? schema.read(path.steps.dropFirst(), in: slice, from: Path([path.steps[0]])).value) ?? .some(.none)
    }
    return value
  }
}
