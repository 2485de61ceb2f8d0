import StoreModules
import StoreSchema

extension Plugin {
  /// The parts of a store that a plugin finds when it is loaded.
  public struct Surroundings {
    /// An action of another module, by its full name.
    public let action: (String) -> ActionType?
    /// The full names of the actions of all modules, for suggestions.
    public let actionNames: () -> [String]
    /// The names of the modules.
    public let moduleNames: [String]
    /// The type of another module's slice, by its name.
    public let slice: (String) -> Schema?
    /// A plugin of the same code that is there or was: what both declare is kept once.
    public let twin: (PluginSource) -> Plugin?

    /// The number of actions that one dispatch may cause (R30).
    public var mostActions: () -> Int = { 1000 }

    /// True if modules may be gone beside which the plugin was loaded. Declarations about them then rest until they are
    /// there again.
    public var mayLack = false

    /// The modules that a definition is read against.
    var known: KnownModules {
      KnownModules(
        action: action, actionNames: actionNames, moduleNames: moduleNames, slice: slice, mayLack: mayLack)
    }

    /// Joins them.
    public init(
      action: @escaping (String) -> ActionType?, actionNames: @escaping () -> [String] = { [] }, moduleNames: [String],
      slice: @escaping (String) -> Schema? = { _ in nil }, twin: @escaping (PluginSource) -> Plugin? = { _ in nil }
    ) {
      self.action = action
      self.actionNames = actionNames
      self.moduleNames = moduleNames
      self.slice = slice
      self.twin = twin
    }
  }
}
