import StoreModules
import StorePlugins

extension HostedApplication {
  /// The actions that there are beside some plugins, by full name. What a plugin adds to a module is there as long as the module
  /// is, whichever of them came first.
  package func actionsByName(beside plugins: [Plugin]) -> ActionTable {
    let names = Set(modules.map(\.name) + substates.map(\.name) + plugins.map(\.module.name))
    let added = plugins.flatMap(\.addedActions).filter { names.contains($0.module) }
    let types = actions + plugins.flatMap(\.module.actions) + added
    return ActionTable(types)
  }

  /// What a plugin finds in a store with some plugins: all but itself.
  package func surroundings(of name: String, beside plugins: [Plugin]) -> Plugin.Surroundings {
    let others = plugins.filter { $0.module.name != name }
    let actions = actionsByName(beside: others)
    let modules = modules + others.map(\.module)
    return Plugin.Surroundings(
      action: { actions[$0] }, actionNames: { actions.names }, moduleNames: modules.map(\.name),
      slice: { name in modules.first { $0.name == name }?.schema })
  }
}
