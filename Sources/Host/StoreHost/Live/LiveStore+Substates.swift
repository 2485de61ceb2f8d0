import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

extension Module {
  /// Whether the module's type says which names can follow its own; a substate that nobody declared has parts of any name.
  package var hasNamedParts: Bool {
    if case .any = schema?.kind { return false }
    return true
  }
}

extension LiveStore {
  /// The substates that are there, as modules.
  package var substateModules: [Module] {
    withShownState { $0.substates }.map { slice in
      let declared = application.substates.first { $0.name == slice.name }
      return Module(name: slice.name, origin: .swift, schema: slice.schema, actions: declared?.actions ?? [])
    }
  }

  /// The type that the substates of a name must have; nil: any.
  package func substateSchema(_ name: String) -> Schema { application.substateSchema(name) }

  /// Whether a module is a substate.
  package func isSubstate(_ name: String) -> Bool { withShownState { $0.substates.contains { $0.name == name } } }
}
