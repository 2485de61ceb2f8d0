import StoreModules
import StoreSchema

/// The modules beside a plugin, as far as its definition may name them.
struct KnownModules {
  /// An action of another module, by its full name.
  let action: (String) -> ActionType?
  /// The full names of the actions of other modules, for suggestions.
  let actionNames: () -> [String]
  /// The names of the store's modules.
  let moduleNames: [String]
  /// The type of another module's slice, by its name.
  let slice: (String) -> Schema?
  /// True if other modules and their actions may be gone.
  let mayLack: Bool
}
