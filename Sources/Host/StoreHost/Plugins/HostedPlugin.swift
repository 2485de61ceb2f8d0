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
  let tasks: [UnitTasks]
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
      tasks = []
      interceptors = []
      lacksUnits =
        !plugin.units.isEmpty || !plugin.rules.unitNames.isEmpty
        || !plugin.interceptors.names.isEmpty || !plugin.tasks.thunkTypes.isEmpty
      return
    }
    lacksUnits = false
    tasks = plugin.units.indices.map { UnitTasks(plugin, unit: $0, surroundings) }
    units = tasks.map { Self.unit(plugin, $0, surroundings) } + Self.ruleUnits(plugin, surroundings)
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
      }, modify: { (state: inout HostState, body) in try body(&state) }
    ).taking(kinds: { reducers.module(ofLifted: index, for: $0.call.type) != nil })
  }

  private static func ownReducer(_ plugin: Plugin, _ strikes: PluginStrikes) -> Reducer<HostAction, HostState> {
    let (name, reducers) = (plugin.module.name, plugin.reducers)
    @Sendable func takes(_ action: HostAction) -> Bool { reducers.reduces(action.call.type) && !strikes.isStopped }
    let copying = Reducer<ActionCall, Value>.throwing(name) { call, slice, context in
      try strikes.counting(context.number, "reducer") {
        try reducers.reduce(call, context: context, slice: &slice)
      }
    }.lift(action: { takes($0) ? $0.call : nil }) { (state: inout HostState, body) in
      guard let index = state.plugins.firstIndex(where: { $0.name == name }) else {
        guard plugin.module.schema == nil else { return }
        var nothing = plugin.initialState
        return try body(&nothing)
      }
      try body(&state.plugins[index].value)
    }
    // Not lifted to the call, of which each action would make one more.
    return Reducer<HostAction, HostState>.throwing(name, canFail: takes) { action, state, context in
      guard takes(action) else { return }
      try strikes.counting(context.number, "reducer") {
        let isThere = try state.writeSlice(name) { slice, edit, isNoted in
          try reducers.reduce(action.call, context: context, slice: &slice, edit: &edit, isNoted: isNoted)
        }
        guard !isThere, plugin.module.schema == nil else { return }
        var nothing = plugin.initialState
        try reducers.reduce(action.call, context: context, slice: &nothing)
      }
    }.writingInPlace(copying: copying).taking(kinds: { reducers.reduces($0.call.type) })
  }

  private static func unit(_ plugin: Plugin, _ tasks: UnitTasks, _ surroundings: PluginSurroundings) -> HostUnit {
    let index = tasks.index
    let type = plugin.units[index]
    let fullName = "\(plugin.module.name).\(type.name)"
    let gate = Gate(isOpen: type.isOpen)
    let hosted = HostedMiddleware(plugin, unit: index, tasks, surroundings)
    let supervised = plugin.middlewares.supervises(index) && surroundings.rehearsal == nil ? tasks : nil
    let middleware = Middleware<ActionCall, HostAction, Value>(fullName) { call, action, _ in
      hosted.handle(call, action)
    }
    let units = middleware.units.map { unit in
      unit.mapAttachment { attachment in
        hosted.attach(attachment.effects)
        if let supervised {
          attachment.superviseChanges(SupervisedStatement { supervised.supervisedChange(isWhole: $0) })
        }
        return attachment
      }
    }
    let unit = HostUnit(
      fullName, origin: .lua, gate: gate, accepts: { plugin.middlewares.accepts($0.call.type, unit: index) },
      Middleware(units: units).keepingOutput(
        input: { (action: HostAction) in action.call },
        // The middleware reads by its view; this is what traces show that it sees.
        state: { (state: HostState) in state.value { plugin.source.manifest.mayRead($0) } }))
    // Not the gate itself, which holds what asks it.
    tasks.isOpen = { [position = unit.ruled.position] in gate.isOpen && position.isOpen(in: surroundings.view) }
    return unit
  }
}

extension HostedPlugin {
  /// The plugin's interceptors in the shell's chain, the outermost first.
  package static func interceptors(
    _ plugin: Plugin, _ surroundings: PluginSurroundings
  ) -> [Interceptor<HostAction, HostState>] {
    plugin.interceptors.names.indices.map { index in
      Interceptor("\(plugin.module.name).\(plugin.interceptors.names[index])") { attachment in
        { next in { action in intercept(action, attachment, plugin, index, surroundings, next) } }
      }
    }
  }

  private static func intercept(
    _ action: HostAction, _ attachment: Interceptor<HostAction, HostState>.Attachment, _ plugin: Plugin, _ index: Int,
    _ surroundings: PluginSurroundings, _ next: @escaping (HostAction) -> Void
  ) {
    guard let context = attachment.context() else { return }
    // The shell's own switches are the user's: no plugin stands between, or it could not be taken away.
    guard action.shell == nil, !surroundings.strikes.isOut else { return next(action) }
    var hasPassed = false
    do throws(PluginError) {
      try plugin.interceptors.intercept(
        index, action.call, context, view: surroundings.view,
        emit: { attachment.output.dispatch(DispatchedAction(surroundings.typed($0), source: $1)) },
        next: { other in
          hasPassed = true
          next(other.map(surroundings.typed) ?? action)
        })
      surroundings.strikes.ran(in: context.number)
    } catch {
      surroundings.note(error, in: context.number, unit: plugin.interceptors.names[index])
      // The others go on (R29): what fails takes nothing from anybody.
      if !hasPassed { next(action) }
    }
  }
}

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
          accepts: { $0.shell?.concernsRules(of: plugin.module.name) ?? true }, .transitions(name, rules)))
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

extension HostedPlugin {
  /// The interceptor that takes the plugin's thunks and runs them (R20); nil where it declares none. It stands behind the
  /// plugin's own interceptors.
  package static func thunks(_ plugin: Plugin, _ surroundings: PluginSurroundings) -> Interceptor<
    HostAction, HostState
  >? {
    guard !plugin.tasks.thunkTypes.isEmpty else { return nil }
    return Interceptor("\(plugin.module.name).\(PluginTasks.thunkUnit)") { action, context, attachment, next in
      guard plugin.tasks.isThunk(action.call.type) else { return next(action) }
      if let rehearsal = surroundings.rehearsal { return rehearsal.note(action.call.type.fullName) }
      let key = "\(action.call.type.name)#\(context.number)"
      let run = ThunkRun(plugin, surroundings, action.call, key) { await attachment.dispatchAndWait($0, of: context) }
      attachment.effects.start(
        Effect<Void, HostAction>.runAtOnce { await run.run($0) }.token(key), dependencies: (), context: context,
        output: attachment.output(of: context))
    }
  }
}

/// One thunk of a plugin, run as an effect of its interceptor.
private struct ThunkRun: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.
  let plugin: Plugin
  let surroundings: PluginSurroundings
  let call: ActionCall
  let key: String
  let wait: (DispatchedAction<HostAction>) async -> DispatchResult

  init(
    _ plugin: Plugin, _ surroundings: PluginSurroundings, _ call: ActionCall, _ key: String,
    wait: @escaping (DispatchedAction<HostAction>) async -> DispatchResult
  ) {
    self.plugin = plugin
    self.surroundings = surroundings
    self.call = call
    self.key = key
    self.wait = wait
  }

  func run(_ effect: EffectContext<Void, HostAction>) async {
    do throws(PluginError) {
      let thunk = try plugin.tasks.begin(thunk: call, key: key)
      try await drive(thunk, effect)
      thunk.close(view: surroundings.view)
    } catch {
      // The log has the action only once it was taken, and the thunk begins before.
      let action = ActionText.brief(call.type.fullName, arguments: call.record)
      surroundings.note(
        error, unit: PluginTasks.thunkUnit, startedBy: effect.action.number,
        "#\(effect.action.number) \(action) (\(effect.action.source.short))")
    }
  }

  private func drive(_ thunk: PluginThunk, _ effect: EffectContext<Void, HostAction>) async throws(PluginError) {
    var failure: String?
    while !effect.isCancelled {
      let step = try thunk.resume(failure: failure, view: surroundings.view) { call, source in
        effect.send(DispatchedAction(surroundings.typed(call), source: source))
      }
      guard case .dispatch(let call, let source) = step else { return }
      failure = await wait(DispatchedAction(surroundings.typed(call), source: source)).thunkFailure
    }
  }
}

extension DispatchResult {
  /// Why an action was not committed, in words for the thunk that waited for it.
  fileprivate var thunkFailure: String? {
    switch outcome {
    case .done, .queued: nil
    case .dropped(let interceptor): "dropped by \(interceptor)"
    case .failed(let error): HostError(describing: error).message
    case .stopped(let error): error.message
    }
  }
}
