import StoreModules
import StorePlugins
import StoreSchema

/// The state as plugins see it: of the moment of each read.
package struct LiveView: StateView {
  package unowned let host: LiveStore

  package var moduleNames: [String] { host.modules.map(\.name) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    host.store.withState { $0.readSlice(module, body) }
  }

  package func version(of module: String) -> Int? { host.comparing.versions.version(of: module) }
}

/// The state as the Lua of a client sees it: what is shown to the client at the moment of each read.
package struct ClientView: StateView {
  package unowned let client: StoreClient

  package var moduleNames: [String] { client.modules.map(\.name) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    client.readModules?.insert(module)
    return client.withShownState { $0.readSlice(module, body) }
  }

  // A client that looks at an earlier state goes there and back without an action.
  package func version(of module: String) -> Int? {
    client.past == nil ? client.live.comparing.versions.version(of: module) : nil
  }
}

/// One state as plugins see it.
package struct StateSnapshot: StateView {
  package let state: HostState
  package let moduleNames: [String]
  /// Which versions its slices are; nil: nobody knows.
  package var versions: SliceVersions?

  package func version(of module: String) -> Int? { versions?.version(of: module) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    state.readSlice(module, body)
  }
}
