import StoreCore
import StoreModules
import StorePlugins
import StoreUnits

extension HostedPlugin {
  /// The units of the plugin's bridges and transitions, each with a gate; none for what it does not declare.
  package static func ruleUnits(_ plugin: Plugin, _ surroundings: PluginSurroundings) -> [HostUnit] {
    var units: [HostUnit] = []
    if plugin.rules.bridgeCount > 0 {
      let name = "\(plugin.module.name).\(PluginRules.bridgeUnit)"
      let rules: [BridgeRule<ActionCall, ActionCall, VisibleState>] = plugin.rules.bridgeRules(
        host(surroundings, PluginRules.bridgeUnit))
      units.append(
        unit(
          name, plugin, surroundings, accepts: { plugin.rules.bridges($0.call.type) },
          .bridge(name, rules, naming: { $0.type.fullName })))
    }
    if plugin.rules.transitionCount > 0 {
      let name = "\(plugin.module.name).\(PluginRules.transitionUnit)"
      let rules: [TransitionRule<ActionCall, VisibleState>] = plugin.rules.transitionRules(
        host(surroundings, PluginRules.transitionUnit)
      ) { $0.read($1) }
      units.append(
        unit(
          name, plugin, surroundings,
          accepts: { action in
            if case .shell(let change) = action.payload { change.concernsRules(of: plugin.module.name) } else { true }
          }, .transitions(name, rules)))
    }
    return units
  }

  private static func unit(
    _ name: String, _ plugin: Plugin, _ surroundings: PluginSurroundings,
    accepts: @escaping @Sendable (HostAction) -> Bool, _ middleware: Middleware<ActionCall, ActionCall, VisibleState>
  ) -> HostUnit {
    let manifest = plugin.source.manifest
    return HostUnit(
      name, origin: .lua, accepts: accepts,
      middleware.lift(
        input: { (action: HostAction) in action.call }, output: { surroundings.typed($0) },
        state: { VisibleState(state: $0, manifest: manifest) }))
  }

  private static func host(_ surroundings: PluginSurroundings, _ unit: String) -> PluginRules.Host {
    PluginRules.Host(view: surroundings.view) { surroundings.note($0, unit: unit) }
  }
}
