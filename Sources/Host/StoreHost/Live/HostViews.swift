import StoreModules
import StorePlugins
import StoreSchema

/// The state as plugins and Lua see it: of the moment of each read.
package struct HostView: StateView {
  package unowned let host: LiveStore

  package var moduleNames: [String] { host.modules.map(\.name) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    host.looking.readModules?.insert(module)
    return host.withShownState { $0.readSlice(module, body) }
  }

  // A store that shows an earlier state changes it without an action.
  package func version(of module: String) -> Int? {
    host.looking.past != nil || host.store.isParked ? nil : host.comparing.versions.version(of: module)
  }
}

/// One state as plugins see it.
package struct StateSnapshot: StateView {
  package unowned let host: LiveStore
  package let state: HostState

  package var moduleNames: [String] { host.modules.map(\.name) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    state.readSlice(module, body)
  }
}
