import LuaRuntime
import StoreSchema

/// The parts of a plugin, once its `init.lua` has run and the definition is read.
struct PluginLoader {
  let machine: PluginMachine
  let definition: PluginDefinition
  let reducers: [ReducerPlan]
  let middlewares: [MiddlewarePlan]
  let interceptors: [InterceptorPlan]

  /// Runs a plugin's `init.lua` and reads what it declares.
  ///
  /// - Parameter twin: the definition that the same code declared before.
  init(
    _ source: PluginSource, twin: PluginDefinition?, in surroundings: Plugin.Surroundings
  ) throws(PluginError) {
    let manifest = source.manifest
    let faults = PluginFaults(manifest: manifest)
    let names = FunctionNames()
    let log = PluginLog(plugin: manifest.name, limit: manifest.limits.logLines)
    let modules = RequiredModules(source, names)
    let refusals = DeliberateRefusal.Occasion()
    let lua = try faults.loading { () throws(LuaError) in try Self.makeState(for: source, log) }
    let objects = SliceObjects(lua)
    lua.objectHandler = objects
    let table = try Self.runInit(lua, source, faults, names, modules, refusals)
    let reader = DefinitionReader(
      manifest: manifest, known: surroundings.known, twin: twin, places: DefinitionPlaces(lua, names))
    let definition = try lua.metered(faults.load) { () throws(PluginError) in try reader.read(table) }
    self.definition = definition
    lua.limits.instructions = manifest.limits.instructions
    let own = Dictionary(definition.ownActions.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })
    reducers = definition.reducers.compactMap { name, function in
      guard let type = own[name] ?? surroundings.action(name) ?? reader.goneAction(name) else { return nil }
      return ReducerPlan(function, for: type, module: manifest.name)
    }
    middlewares = try faults.loading { () throws(LuaError) in
      try definition.middleware.map { (unit) throws(LuaError) in try MiddlewarePlan(unit, in: lua) }
    }
    interceptors = definition.interceptors.enumerated().map { index, entry in
      InterceptorPlan(name: entry.name, object: ActionFacade.interceptedObject(index))
    }
    for plan in interceptors { objects.add(plan.action, as: plan.object) }
    for function in definition.watched { function.prepare(lua, globalsAreFixed: !names.mentionsEnvironment) }
    let calls = PluginCalls(
      faults: faults, ownActions: own, functionNames: names, known: surroundings.known,
      mostActions: surroundings.mostActions)
    try faults.loading { () throws(LuaError) in try calls.install(in: lua, objects) }
    machine = PluginMachine(lua, LuaCaller(lua), objects, calls, log, modules)
    tellRunningCode(refusals)
    refuseReading()
  }

  private static func makeState(for source: PluginSource, _ log: PluginLog) throws(LuaError) -> LuaState {
    let limits = LuaState.Limits(
      instructions: PluginManifest.ceiling.instructions, memory: source.manifest.limits.memory, milliseconds: 1000)
    let lua = try LuaState(limits: limits)
    // A reducer that keeps the message of an error that it caught does the same wherever the folder is.
    lua.hideFolder(source.displayName, behind: source.manifest.name)
    try lua.setGlobal("log", .table(try log.makeTable(in: lua)))
    return lua
  }

  private static func runInit(
    _ lua: LuaState, _ source: PluginSource, _ faults: PluginFaults, _ names: FunctionNames,
    _ modules: RequiredModules, _ refusals: DeliberateRefusal.Occasion
  ) throws(PluginError) -> LuaTable {
    let (text, chunk) = try source.lua("init.lua")
    names.note(text, chunk)
    do throws(LuaError) {
      let prelude = try lua.call(try lua.load(Prelude.definition, chunkName: "prelude"))
      if case .table(let words) = prelude.first {
        for (name, word) in words.entries() {
          if case .string(let name) = name { try lua.setGlobal(name, word) }
        }
      }
      try lua.setGlobal("refuse", .function(try DeliberateRefusal.makeFunction(in: lua, refusals)))
      try lua.setGlobal("require", .function(try modules.makeFunction(in: lua)))
      _ = try lua.call(try lua.loadModule(text, chunkName: chunk))
      if case .function(let defined) = prelude.last, case .table(let table) = try lua.call(defined).first {
        return table
      }
    } catch {
      var error = error
      // Lua knows no place where `plugin` was called by what ends a chunk.
      if error.kind == .runtime, error.underlying == nil, error.chunk == nil {
        (error.chunk, error.message) = (chunk, "\(chunk): \(error.message)")
      }
      throw faults.load(error)
    }
    throw PluginError(
      .load, of: source.manifest.name, "\(chunk): does not call plugin{…}", hint: "end it with: return plugin { … }")
  }

  /// Has the parts know what code runs: what may be done depends on that.
  private func tellRunningCode(_ refusals: DeliberateRefusal.Occasion) {
    let (objects, running, log) = (machine.objects, machine.calls.running, machine.log)
    log.refusal = { [unowned objects, unowned running] in
      objects.draft != nil ? "reducer" : running.isProjecting ? "projection" : nil
    }
    refusals.isGiven = { [unowned objects, unowned running] in objects.draft != nil || running.commandHost != nil }
    machine.modules.isWatched = { [unowned objects, unowned running] in objects.draft != nil || running.isProjecting }
    machine.calls.time = { [unowned log] in log.time }
  }

  /// Has code refused that reads what the plugin may not.
  private func refuseReading() {
    let (objects, running, permissions) = (machine.objects, machine.calls.running, machine.calls.permissions)
    let (manifest, fields) = (machine.calls.faults.manifest, definition.fieldNames)
    objects.refusal = { [unowned running, unowned objects, permissions] module in
      running.noteRead(module)
      if module == manifest.name { return nil }
      guard manifest.mayRead(module) else {
        guard let modules = objects.view?.moduleNames, !modules.contains(module) else {
          return manifest.readRefusal(module)
        }
        // No permission would help; what reads it says so, where no field of the plugin's own is meant.
        var field = fields.first { $0 == module }
        if field == nil, Suggestion.nearest(to: module, among: modules) == nil {
          field = Suggestion.nearest(to: module, among: fields)
        }
        guard let field else { return nil }
        return "state has no module '\(module)' (did you mean 'state.\(manifest.name).\(field)'?)"
      }
      permissions.noteRead(module)
      return nil
    }
  }
}
