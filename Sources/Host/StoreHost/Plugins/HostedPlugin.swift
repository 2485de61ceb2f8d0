import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import StoreUnits

/// A plugin in the shell's root: one reducer over its slice, and a gated unit for each of its middlewares.
package struct HostedPlugin {
  package let plugin: Plugin
  package let strikes: PluginStrikes
  package let units: [HostUnit]
  /// The plugin's interceptors, the outermost first, the one that runs its thunks last.
  package let interceptors: [Interceptor<HostAction, HostState>]
  /// Whether it has middlewares, rules, interceptors or thunks that stay away, as after a replay (R27).
  package let lacksUnits: Bool

  /// - Parameter reducersAlone: whether its middlewares, rules and interceptors stay away (R27).
  package init(_ plugin: Plugin, _ surroundings: PluginSurroundings, reducersAlone: Bool = false) {
    self.plugin = plugin
    strikes = surroundings.strikes
    guard !reducersAlone else {
      units = []
      interceptors = []
      lacksUnits =
        !plugin.units.isEmpty || !plugin.rules.unitNames.isEmpty
        || !plugin.interceptors.names.isEmpty || !plugin.tasks.thunkTypes.isEmpty
      return
    }
    lacksUnits = false
    units = plugin.units.indices.map { Self.unit(plugin, $0, surroundings) } + Self.ruleUnits(plugin, surroundings)
    let thunks = Self.thunks(plugin, surroundings)
    interceptors = Self.interceptors(plugin, surroundings) + (thunks.map { [$0] } ?? [])
    for (unit, gate) in zip(units, gates) { unit.ruled.follow(gate) }
  }

  /// The gates of its middlewares, as they stand to begin with.
  package var gates: [ShellState.Gate] {
    let module = plugin.module.name
    let gates = plugin.units.map {
      ShellState.Gate(name: "\(module).\($0.name)", isOpen: $0.isOpen, plugin: module, rule: $0.rule)
    }
    return gates + plugin.rules.unitNames.map { ShellState.Gate(name: "\(module).\($0)", isOpen: true, plugin: module) }
  }

  /// What plugins do to the state, behind the application's reducers: each changes its own slice, in load order, and then what
  /// they lift over the slices of others runs behind those others' own, whichever was loaded first.
  package static func reducers(
    _ plugins: [(plugin: Plugin, strikes: PluginStrikes)], behind reducer: Reducer<HostAction, HostState>
  ) -> Reducer<HostAction, HostState> {
    var reducer = reducer
    for (plugin, strikes) in plugins { reducer = reducer.appending(ownReducer(plugin, strikes)) }
    for (plugin, strikes) in plugins {
      for index in 0..<plugin.reducers.liftedCount { reducer = reducer.appending(lifted(plugin, index, strikes)) }
    }
    return reducer
  }

  /// The same for what happened once: what fails is no strike against the plugins that run.
  ///
  /// - Parameter shell: says which of the plugins were on; nil: all of them.
  package static func reducers(
    of plugins: [Plugin], as shell: ShellState?, behind reducer: Reducer<HostAction, HostState>
  ) -> Reducer<HostAction, HostState> {
    let silent = plugins.map { plugin in
      let strikes = PluginStrikes(FaultBox())
      if let shell { strikes.set(isStopped: shell.condition(of: plugin.module.name) != .on) }
      return (plugin, strikes)
    }
    return reducers(silent, behind: reducer)
  }

  private static func lifted(
    _ plugin: Plugin, _ index: Int, _ strikes: PluginStrikes
  ) -> Reducer<HostAction, HostState> {
    let reducers = plugin.reducers
    return Reducer<ActionCall, HostState>.throwing(plugin.module.name) { call, state, context in
      guard let module = reducers.module(ofLifted: index, for: call.type) else { return }
      try state.modifySlice(module) { schema, slice in
        try strikes.counting(context.number, "reducer") {
          try reducers.reduce(lifted: index, call, context: context, schema: schema, slice: slice)
        }
      }
    }.lift(
      action: { (action: HostAction) in
        strikes.isStopped || reducers.module(ofLifted: index, for: action.call.type) == nil ? nil : action.call
      }, modify: { (state: inout HostState, body) in try body(&state) })
  }

  private static func ownReducer(_ plugin: Plugin, _ strikes: PluginStrikes) -> Reducer<HostAction, HostState> {
    let (name, reducers) = (plugin.module.name, plugin.reducers)
    return Reducer<ActionCall, Value>.throwing(name) { call, slice, context in
      try strikes.counting(context.number, "reducer") {
        try reducers.reduce(call, context: context, slice: &slice)
      }
    }.lift(
      action: { (action: HostAction) in
        reducers.reduces(action.call.type) && !strikes.isStopped ? action.call : nil
      },
      modify: { (state: inout HostState, body) in
        guard let index = state.plugins.firstIndex(where: { $0.name == name }) else {
          guard plugin.module.schema == nil else { return }
          var nothing = plugin.initialState
          return try body(&nothing)
        }
        try body(&state.plugins[index].value)
      })
  }

  private static func unit(_ plugin: Plugin, _ index: Int, _ surroundings: PluginSurroundings) -> HostUnit {
    let type = plugin.units[index]
    let fullName = "\(plugin.module.name).\(type.name)"
    let gate = Gate(isOpen: type.isOpen)
    let tasks = UnitTasks(plugin, unit: index, surroundings)
    let hosted = HostedMiddleware(plugin, unit: index, tasks, surroundings)
    let supervised = plugin.middlewares.supervises(index) ? tasks : nil
    let middleware = Middleware<ActionCall, HostAction, Value>(fullName) { call, action, _ in
      hosted.handle(call, action)
    }
    let units = middleware.units.map { unit in
      unit.mapAttachment { attachment in
        hosted.attach(attachment.effects)
        if let supervised { attachment.superviseChanges { supervised.supervisedChange(isWhole: $0) } }
        return attachment
      }
    }
    let unit = HostUnit(
      fullName, origin: .lua, gate: gate, accepts: { plugin.middlewares.accepts($0.call.type, unit: index) },
      Middleware(units: units).lift(
        input: { (action: HostAction) in action.call },
        output: { $0 },
        // The middleware reads by its view; this is what traces show that it sees.
        state: { (state: HostState) in state.value { plugin.source.manifest.mayRead($0) } }))
    // The gate holds what asks it.
    tasks.isOpen = { [weak ruled = unit.ruled] in gate.isOpen && ruled?.isOpen(in: surroundings.view) == true }
    return unit
  }
}
