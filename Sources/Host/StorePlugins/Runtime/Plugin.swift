import LuaRuntime
import StoreCore
import StoreSchema

/// A loaded Lua plugin: its module and the functions behind it, in a Lua state of its own, so that its memory is bounded
/// and nothing of it stays when it goes.
public final class Plugin: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the reducers and middlewares that are made of it.

  /// The folder that it was loaded from.
  public let source: PluginSource
  /// What it adds to the store.
  public let module: Module
  /// The value that its slice starts from; a record without fields where it keeps no state.
  public let initialState: Value
  /// Its middlewares in declared order.
  public let units: [UnitType]
  /// The full name of the action to dispatch once it is loaded.
  public let onLoad: String?

  let lua: LuaState
  /// What calls its functions.
  let caller: LuaCaller
  let objects: SliceObjects
  let definition: PluginDefinition
  let calls: PluginCalls
  /// The type of the slice.
  let schema: Schema
  /// How each of its own reducers is called.
  let reducers: ReducerPlans
  /// How each lifted reducer is called.
  private(set) var lifted: [ReducerPlan]
  /// How each middleware is called.
  let middlewares: [MiddlewarePlan]
  let log: PluginLog
  /// What its code has required.
  let modules: RequiredModules
  /// What each projection gave last.
  let projectionCaches: [StateCache<Value>]
  /// Its interceptors, the outermost first.
  let interceptors: [InterceptorPlan]
  /// Its tasks that have not ended.
  var tasks: [PluginTask] = []
  /// Its thunks that have not ended.
  var thunks: [PluginThunk] = []
  let workingTime = WorkingTime()
  /// How often it is looked at whether reducers and projections keep state of their own.
  @exclusivity(unchecked) public var purity = Purity.always

  /// Whether its reducers repeat what they did when it was recorded: they ended then, and so are not stopped because they work
  /// longer here (R31).
  public var repeatsWhatEnded: Bool {
    get { lua.isUnhurried }
    set { lua.isUnhurried = newValue }
  }

  /// A middleware of a plugin, as listings show it.
  public struct UnitType: Sendable {
    /// The unit's name within the plugin.
    public let name: String
    /// Whether its gate stands open after loading.
    public let isOpen: Bool
  }

  /// What a plugin finds in the store that it is loaded into.
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

    /// How many actions one dispatch may cause (R30).
    public var mostActions: () -> Int = { 1000 }

    /// Whether something may be gone that the plugin was loaded beside: what it declares about that then rests until it is
    /// there again.
    public var mayLack = false

    /// What a definition is read against.
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

  /// Runs a plugin's `init.lua`, reads what it declares and proves of it what can be proven without running it.
  ///
  /// - Throws: ``PluginError``; nothing stays behind.
  public convenience init(loading source: PluginSource, into surroundings: Surroundings) throws(PluginError) {
    try self.init(unproven: source, into: surroundings)
    if let fault = captureScan.faults.first {
      throw calls.faults.make(.impure, fault, hint: PluginFaults.impurityHint)
    }
  }

  /// The assignments to captured locals in its code.
  var captureScan: CaptureScan { CaptureScan(module.name, definition, lua) }

  /// Runs a plugin's `init.lua` and reads what it declares.
  init(unproven given: PluginSource, into surroundings: Surroundings) throws(PluginError) {
    let twin = surroundings.twin(given)
    let source = twin?.source ?? given
    self.source = source
    let manifest = source.manifest
    let faults = PluginFaults(manifest: manifest)
    do throws(LuaError) {
      let limits = LuaState.Limits(
        instructions: PluginManifest.ceiling.instructions, memory: manifest.limits.memory, milliseconds: 1000)
      lua = try LuaState(name: manifest.name, limits: limits)
    } catch {
      throw faults.load(error)
    }
    // A reducer that keeps the message of an error that it caught does the same wherever the folder is.
    lua.hideFolder(source.displayName, behind: manifest.name)
    caller = LuaCaller(lua)
    objects = SliceObjects(lua)
    lua.objectHandler = objects
    let names = FunctionNames()
    log = PluginLog(plugin: manifest.name, limit: manifest.limits.logLines)
    do throws(LuaError) {
      try lua.setGlobal("log", .table(try log.makeTable(in: lua)))
    } catch {
      throw faults.load(error)
    }
    modules = RequiredModules(source, names)
    let refusals = DeliberateRefusal.Occasion()
    let table = try Plugin.runInit(lua, source, faults, names, modules, refusals)
    let reader = DefinitionReader(
      manifest: manifest, known: surroundings.known, twin: twin?.definition, places: DefinitionPlaces(lua, names))
    definition = try lua.metered(faults.load) { () throws(PluginError) in try reader.read(table) }
    lua.limits.instructions = manifest.limits.instructions
    // Without a state a draft has no fields, so that a reducer which writes is told.
    schema = definition.schema ?? .dynamic(.record(RecordSchema(name: manifest.name, fields: [])))
    initialState = definition.schema == nil ? schema.initialValue : definition.initial
    onLoad = definition.onLoad?.fullName
    module = Module(
      name: manifest.name, origin: .lua, schema: definition.schema, actions: definition.actions,
      projections: definition.projections.map(\.type), commands: definition.commands.map(\.type))
    units = definition.middleware.map { UnitType(name: $0.name, isOpen: $0.isOpen) }
    let own = Dictionary(definition.ownActions.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })
    var plans: [ReducerPlan] = []
    for (name, function) in definition.reducers {
      guard let type = own[name] ?? surroundings.action(name) ?? reader.goneAction(name) else { continue }
      plans.append(ReducerPlan(function, for: type, module: manifest.name))
    }
    reducers = ReducerPlans(plans)
    lifted = definition.lifted.map { ReducerPlan($0.function, for: $0.action, module: $0.module) }
    do throws(LuaError) {
      var middlewares: [MiddlewarePlan] = []
      for unit in definition.middleware { middlewares.append(try MiddlewarePlan(unit, in: lua)) }
      self.middlewares = middlewares
    } catch {
      throw faults.load(error)
    }
    interceptors = definition.interceptors.enumerated().map { index, entry in
      InterceptorPlan(name: entry.name, object: PluginCalls.interceptedObject(index))
    }
    projectionCaches = definition.projections.map { _ in StateCache() }
    for plan in interceptors { objects.facades[plan.object.id] = plan.action }
    for function in definition.watched { function.prepare(lua, globalsAreFixed: !names.mentionsEnvironment) }
    calls = PluginCalls(
      faults: faults, ownActions: own, functionNames: names, surroundings: surroundings)
    do throws(LuaError) {
      try calls.install(in: lua, objects)
    } catch {
      throw faults.load(error)
    }
    log.refusal = { [unowned objects, unowned calls] in
      objects.draft != nil ? "reducer" : calls.isProjecting ? "projection" : nil
    }
    refusals.isGiven = { [unowned objects, unowned calls] in objects.draft != nil || calls.commandHost != nil }
    modules.isWatched = { [unowned objects, unowned calls] in objects.draft != nil || calls.isProjecting }
    calls.time = { [unowned log] in log.time }
    let fields = definition.fieldNames
    objects.refusal = { [unowned calls, unowned objects, permissions = calls.permissions] module in
      calls.noteRead(module)
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
      _ = try lua.call(try lua.load(text, chunkName: chunk))
      if case .function(let defined) = prelude.last, case .table(let table) = try lua.call(defined).first {
        return table
      }
    } catch {
      var error = error
      // Lua knows no place where `plugin` was called by what ends a chunk.
      if error.kind == .runtime, error.underlying == nil, error.chunk == nil {
        error.message = "\(chunk): \(error.message)"
      }
      throw faults.load(error)
    }
    throw PluginError(
      .load, "\(source.manifest.name): \(chunk): does not call plugin{…}", hint: "end it with: return plugin { … }")
  }

  /// Compiles the files that the plugin has not required so far, so that a mistake in one of them shows now.
  ///
  /// - Throws: ``PluginError`` at the first that is not Lua.
  public func checkLibraries() throws(PluginError) {
    for name in source.codeNames {
      let (text, chunk) = try source.lua(name)
      do throws(LuaError) {
        _ = try lua.load(text, chunkName: chunk)
      } catch {
        throw calls.faults.load(error)
      }
    }
  }

  /// Has reducers that answer other modules' actions answer the ones that now go by their names, and what dispatches dispatch
  /// those: the module that declares them was loaded anew. A reducer whose action is gone answers none.
  ///
  /// - Parameter action: an action by its full name.
  public func rebind(to action: @escaping (String) -> ActionType?) {
    let own = module.name
    calls.foreignAction = action
    reducers.rebind { $0.type.module == own ? nil : action($0.type.fullName) }
    let added = Set(addedActions.map(\.fullName))
    lifted = lifted.map { plan in
      guard plan.type.module != own, !added.contains(plan.type.fullName) else { return plan }
      return action(plan.type.fullName).map { plan.answering($0) } ?? plan
    }
  }

  /// Stops the plugin's Lua that runs, if any does; may be called from any thread.
  public var interrupt: @Sendable () -> Void {
    let interruption = lua.interruption
    return { interruption.interrupt() }
  }

  /// Whether the plugin's Lua ran when it was to be stopped, since it was last asked.
  public func takeInterruption() -> Bool { lua.takeInterruption() }

  /// The actions that the plugin adds to other modules, for its lifted reducers.
  public var addedActions: [ActionType] { definition.addedActions }

  /// Has tables that the plugin logs or prints written as values.
  public func describeTables(_ text: @escaping (Value) -> String) {
    (log.tables, calls.tables) = (TableText(text), TableText(text))
  }
}
