import StoreModules
import StorePlugins
import StoreSchema

/// The state as plugins and Lua see it: of the moment of each read.
struct HostView: StateView {
  unowned let host: ShellHost

  var moduleNames: [String] { host.modules.map(\.name) }

  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    host.readModules?.insert(module)
    return host.withShownState { $0.readSlice(module, body) }
  }

  // A store that shows an earlier state changes it without an action.
  func version(of module: String) -> Int? {
    host.past != nil || host.store.isParked ? nil : host.versions.version(of: module)
  }
}

/// One state as plugins see it.
struct StateSnapshot: StateView {
  unowned let host: ShellHost
  let state: HostState

  var moduleNames: [String] { host.modules.map(\.name) }

  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    state.readSlice(module, body)
  }
}
