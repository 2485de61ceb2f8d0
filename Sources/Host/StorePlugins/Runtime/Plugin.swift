import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// A loaded Lua plugin: its module and the functions behind it. A Lua state of its own bounds its memory, and nothing
/// of it stays when it goes.
public final class Plugin: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the reducers and middlewares that are made of it.

  /// The folder that it was loaded from.
  public let source: PluginSource
  /// The module that it adds to the store.
  public let module: Module
  /// The value that its slice starts from; a record without fields where it keeps no state.
  public let initialState: Value
  /// Its middlewares in declared order.
  public let units: [UnitType]
  /// The full name of the action to dispatch once it is loaded.
  public let onLoad: String?

  /// The reducers.
  public let reducers: PluginReducers
  /// The projections.
  public let projections: PluginProjections
  /// The commands.
  public let commands: PluginCommands
  /// The bridges and transitions.
  public let rules: PluginRules
  /// The middlewares.
  public let middlewares: PluginMiddlewares
  /// The interceptors.
  public let interceptors: PluginInterceptors
  /// The tasks and thunks.
  public let tasks: PluginTasks
  let definition: PluginDefinition
  let machine: PluginMachine
  /// True if its Lua holds more than half of the memory that it may have.
  package var isShortOfMemory: Bool { machine.lua.memoryInUse > machine.lua.limits.memory / 2 }

  /// A middleware of a plugin, as listings show it.
  public struct UnitType: Sendable {
    /// The unit's name within the plugin.
    public let name: String
    /// True if its gate stands open after loading.
    public let isOpen: Bool
    /// The rule that moves its gate besides; nil: only the shell does.
    public let rule: GateRule?
  }

  /// Runs a plugin's `init.lua`, reads what it declares and proves of it what can be proven without running it.
  ///
  /// - Throws: ``PluginError``; nothing stays behind.
  public convenience init(loading source: PluginSource, into surroundings: Surroundings) throws(PluginError) {
    try self.init(unproven: source, into: surroundings)
    if let fault = captureFaults.first {
      throw machine.calls.faults.make(.impure, fault, hint: PluginFaults.impurityHint)
    }
  }

  /// Runs a plugin's `init.lua` and reads what it declares.
  init(unproven given: PluginSource, into surroundings: Surroundings) throws(PluginError) {
    let twin = surroundings.twin(given)
    source = twin?.source ?? given
    let name = source.manifest.name
    let loaded = try PluginLoader(source, twin: twin?.definition, in: surroundings)
    (machine, definition) = (loaded.machine, loaded.definition)
    // Without a state a draft has no fields, so that a reducer which writes is told.
    let schema = definition.schema ?? .dynamic(.record(RecordSchema(name: name, fields: [])))
    initialState = definition.schema == nil ? schema.initialValue : definition.initial
    onLoad = definition.onLoad?.fullName
    module = Module(
      name: name, origin: .lua, schema: definition.schema, actions: definition.actions,
      projections: definition.projections.map(\.type), commands: definition.commands.map(\.type))
    units = definition.middleware.map { UnitType(name: $0.name, isOpen: $0.isOpen, rule: $0.rule) }
    let lifted = definition.lifted.map { ReducerPlan($0.function, for: $0.action, module: $0.module) }
    reducers = PluginReducers(loaded.reducers, lifted: lifted, over: schema, machine)
    projections = PluginProjections(definition.projections, machine)
    commands = PluginCommands(definition.commands, machine)
    rules = PluginRules(bridges: definition.bridges, transitions: definition.transitions, machine)
    middlewares = PluginMiddlewares(loaded.middlewares, machine)
    interceptors = PluginInterceptors(definition.interceptors, loaded.interceptors, machine)
    tasks = PluginTasks(thunks: definition.thunks, machine)
  }

  /// Compiles the files that the plugin has not required so far, so that a mistake in one of them shows now.
  ///
  /// - Throws: ``PluginError`` at the first that is not Lua.
  public func checkLibraries() throws(PluginError) {
    for name in source.codeNames {
      let (text, chunk) = try source.lua(name)
      do throws(LuaError) {
        _ = try machine.lua.load(text, chunkName: chunk)
      } catch {
        throw machine.calls.faults.load(error)
      }
    }
  }

  /// Binds reducers and dispatches to the actions of other modules that now go by their names: the module that declares
  /// them was loaded anew. A reducer whose action is gone answers none.
  ///
  /// - Parameter action: an action by its full name.
  public func rebind(to action: @escaping (String) -> ActionType?) {
    machine.calls.actions.foreign = action
    reducers.rebind(beside: module.name, added: Set(addedActions.map(\.fullName)), to: action)
  }

  /// Stops the plugin's Lua that runs, if any does; may be called from any thread.
  public var interrupt: @Sendable () -> Void {
    let interruption = machine.lua.interruption
    return { interruption.interrupt() }
  }

  /// True if the plugin's Lua ran when it was to be stopped, since it was last asked.
  public func takeInterruption() -> Bool { machine.lua.takeInterruption() }

  /// The actions that the plugin adds to other modules, for its lifted reducers.
  public var addedActions: [ActionType] { definition.addedActions }

  /// The full names of the actions that its reducers answer, sorted.
  public var reducedActionNames: [String] {
    Set(definition.reducers.keys).union(definition.lifted.map(\.action.fullName)).sorted()
  }

  /// The migration from the state of an earlier version.
  public var migration: PluginMigration {
    PluginMigration(
      machine: machine, schema: reducers.schema, keepsState: module.schema != nil, initialState: initialState,
      migrate: definition.migrate)
  }

  /// Has reducers ask whether they do actions of another node of a shared store again: such a call ended well there.
  package func askWhetherFollowing(_ isFollowing: @escaping () -> Bool) { reducers.isFollowing = isFollowing }

  /// The frequency of the check that reducers and projections keep no state of their own.
  public var purity: Purity {
    get { reducers.purity }
    set { (reducers.purity, projections.purity) = (newValue, newValue) }
  }

  /// True if its reducers repeat recorded calls. Such calls ended when they were recorded, and so are not stopped
  /// because they work longer here (R31).
  public var repeatsWhatEnded: Bool {
    get { machine.lua.isUnhurried }
    set { machine.lua.isUnhurried = newValue }
  }

  /// Tells the plugin that it is about to go.
  public func unload(view: any StateView) throws(PluginError) {
    guard let function = definition.onUnload else { return }
    machine.calls.running.isContextOpen = true
    defer { machine.calls.running.isContextOpen = false }
    _ = try machine.run(view, "on_unload") { () throws(LuaError) in
      try machine.lua.call(function, arguments: { machine.calls.handed.appendContext(to: &$0) })
    }
  }

  /// Counts what the plugin uses of its permissions together with what an earlier version has used.
  public func goOnCounting(from earlier: Plugin) {
    machine.calls.permissions.goOn(
      from: earlier.machine.calls.permissions, reduced: earlier.reducers.lifted.map { ($0.module, $0.uses) })
  }

  /// Counts what was used of the same code in another Lua state, where nothing but projections ran.
  public func countUses(of other: Plugin) {
    machine.calls.permissions.takeReads(from: other.machine.calls.permissions)
    projections.takeUses(from: other.projections)
  }

  /// The permissions that the plugin has used since it was loaded, in the order of its manifest.
  public var permissionUses: [PermissionUse] {
    let required = definition.requiredPermissions(of: module.name)
    return source.manifest.permissions.map { permission in
      machine.calls.permissions.use(of: permission, required: required) { module in
        reducers.lifted.reduce(0) { $1.module == module ? $0 + $1.uses : $0 }
      }
    }
  }

  /// Has what the plugin says go somewhere; what it said before comes first.
  ///
  /// - Parameters:
  ///   - now: the time on the clock of the plugin's store.
  ///   - onDrop: called when a line is dropped, since there were too many.
  public func attachLog(
    now: @escaping () -> Duration, onDrop: @escaping () -> Void = {}, _ sink: @escaping (PluginLogLine) -> Void
  ) {
    machine.log.attach(now: now, onDrop: onDrop, sink)
  }

  /// Says, as the last of the plugin's lines, how many were dropped since this was last called.
  public func sayDroppedLogLines() { machine.log.sayDropped() }

  /// Has tables that the plugin logs or prints written as values.
  public func describeTables(_ text: @escaping (Value) -> String) {
    (machine.log.tables, machine.calls.tables) = (TableText(text), TableText(text))
  }
}

extension Plugin {
  /// Finds, without running them, the reducers, projections and `migrate` that assign to locals captured from outside:
  /// one sentence for each assignment. The look at their code happens once, so that such a plugin is not even loaded;
  /// captured tables show only while a function runs.
  var captureFaults: [String] {
    let reducers = definition.reducers.sorted { $0.key < $1.key }.map { ("reducer '\($0.key)'", $0.value) }
    let lifted = definition.lifted.map { ("reducer '\($0.action.fullName)'", $0.function) }
    let projections = definition.projections.map { ("projection '\(module.name).\($0.type.name)'", $0.function) }
    let migrate = definition.migrate.map { [("migrate", $0)] } ?? []
    return (reducers + lifted + projections + migrate).flatMap { place, watched in
      machine.lua.captureAssignments(of: watched.function).map { assignment in
        "\(place) assigns to the captured local '\(assignment.name)' (\(assignment.chunk):\(assignment.line))"
      }
    }
  }
}

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
