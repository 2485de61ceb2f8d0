import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// A plugin's reducers, loaded once more into a fresh Lua state, to see whether they compute there what they computed
/// elsewhere.
public final class ReducerTwin {
  private let plugin: Plugin
  private var types: [String: ActionType] = [:]

  /// Loads the plugin.
  ///
  /// - Parameter collectsOften: true if garbage is collected without pauses.
  public init(
    _ source: PluginSource, in surroundings: Plugin.Surroundings, collectsOften: Bool
  ) throws(PluginError) {
    plugin = try Plugin(loading: source, into: surroundings)
    if collectsOften { plugin.machine.lua.collectOften() }
    for type in plugin.module.actions + plugin.addedActions { types[type.fullName] = type }
  }

  /// The modules whose slices its reducers may change: its own, then those that it lifts reducers over.
  public var modules: [String] {
    var names = [plugin.module.name]
    for lifted in plugin.definition.lifted where !names.contains(lifted.module) { names.append(lifted.module) }
    return names
  }

  /// True if one of its reducers answers an action.
  public func reduces(_ type: ActionType) -> Bool {
    let type = types[type.fullName] ?? type
    return plugin.reducers.reduces(type) || plugin.reducers.lifted.contains { $0.type === type }
  }

  /// Runs the plugin's reducers for an action, in the order in which a store runs them.
  ///
  /// - Parameter modify: hands out a module's slice for change in place.
  /// - Throws: ``PluginError``, and what `modify` throws.
  public func reduce(
    _ call: ActionCall, _ context: ActionContext,
    modify: (String, (Schema, UnsafeMutableRawPointer) throws -> Void) throws -> Void
  ) throws {
    let call = types[call.type.fullName].map { ActionCall($0, call.arguments) } ?? call
    if plugin.module.schema == nil {
      var nothing = plugin.initialState
      try plugin.reducers.reduce(call, context: context, slice: &nothing)
    } else if plugin.reducers.reduces(call.type) {
      try modify(plugin.module.name) { _, slice in
        try plugin.reducers.reduce(call, context: context, slice: &slice.assumingMemoryBound(to: Value.self).pointee)
      }
    }
    for index in 0..<plugin.reducers.liftedCount {
      guard let module = plugin.reducers.module(ofLifted: index, for: call.type) else { continue }
      try modify(module) { schema, slice in
        try plugin.reducers.reduce(lifted: index, call, context: context, schema: schema, slice: slice)
      }
    }
  }
}
