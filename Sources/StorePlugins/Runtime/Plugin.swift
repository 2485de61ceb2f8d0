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
  /// The value that its slice starts from.
  public let initialState: Value
  /// Its middlewares in declared order.
  public let units: [UnitType]
  /// The full name of the action to dispatch once it is loaded.
  public let onLoad: String?

  let lua: LuaState
  let objects: SliceObjects
  let definition: PluginDefinition
  let calls: PluginCalls
  private let reducers: [ObjectIdentifier: WatchedFunction]
  /// How often it is looked at whether reducers and projections keep state of their own.
  public var purity = Purity.always

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
    /// The names of the modules.
    public let moduleNames: [String]

    /// Joins the two.
    public init(action: @escaping (String) -> ActionType?, moduleNames: [String]) {
      self.action = action
      self.moduleNames = moduleNames
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
  init(unproven source: PluginSource, into surroundings: Surroundings) throws(PluginError) {
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
    objects = SliceObjects(lua)
    lua.objectHandler = objects
    let names = FunctionNames()
    let table = try Plugin.runInit(lua, source, faults, names)
    let reader = DefinitionReader(
      manifest: manifest, foreignAction: surroundings.action, moduleNames: surroundings.moduleNames)
    definition = try reader.read(table)
    lua.limits.instructions = manifest.limits.instructions
    initialState = definition.initial
    onLoad = definition.onLoad
    module = Module(
      name: manifest.name, origin: .lua, schema: definition.schema, actions: definition.actions,
      projections: definition.projections.map(\.type), commands: definition.commands.map(\.type))
    units = definition.middleware.map { UnitType(name: $0.name, isOpen: $0.isOpen) }
    let own = Dictionary(definition.actions.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })
    var reducers: [ObjectIdentifier: WatchedFunction] = [:]
    for (name, function) in definition.reducers {
      if let type = own[name] ?? surroundings.action(name) { reducers[ObjectIdentifier(type)] = function }
    }
    self.reducers = reducers
    for function in definition.watched { function.prepare(lua, globalsAreFixed: !names.mentionsEnvironment) }
    calls = PluginCalls(
      faults: faults, ownActions: own, functionNames: names, foreignAction: surroundings.action)
    do throws(LuaError) {
      try calls.install(in: lua, objects)
    } catch {
      throw faults.load(error)
    }
    objects.refusal = { [permissions = calls.permissions] module in
      if module == manifest.name { return nil }
      guard manifest.mayRead(module) else { return manifest.readRefusal(module) }
      permissions.noteRead(module)
      return nil
    }
  }

  private static func runInit(
    _ lua: LuaState, _ source: PluginSource, _ faults: PluginFaults, _ names: FunctionNames
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
      try lua.setGlobal("require", .function(try requireFunction(lua, source, names)))
      _ = try lua.call(try lua.load(text, chunkName: chunk))
      if case .function(let defined) = prelude.last, case .table(let table) = try lua.call(defined).first {
        return table
      }
    } catch {
      throw faults.load(error)
    }
    throw PluginError(
      .load, "\(source.manifest.name): \(chunk): does not call plugin{…}", hint: "end it with: return plugin { … }")
  }

  private static func requireFunction(
    _ lua: LuaState, _ source: PluginSource, _ names: FunctionNames
  ) throws(LuaError) -> LuaFunction {
    var loaded: [String: LuaValue] = [:]
    var loading: [String] = []
    return try lua.makeFunction("require") { call in
      guard case .string(let name) = call[0] else { throw LuaFailure("require needs a name such as \"lib.dates\"") }
      if let value = loaded[name] { return call.results.append(value) }
      guard !loading.contains(name) else {
        throw LuaFailure("'\(name)' requires itself: \((loading + [name]).joined(separator: " -> "))")
      }
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count >= 2, parts[0] == "lib", parts.allSatisfy({ String($0).isName }) else {
        throw LuaFailure("require finds only the plugin's own files below lib: require(\"lib.dates\"), not '\(name)'")
      }
      let file: (text: String, chunk: String)
      do throws(PluginError) {
        file = try source.lua(parts.joined(separator: "/") + ".lua")
      } catch {
        throw LuaFailure(error.message)
      }
      names.note(file.text, file.chunk)
      loading.append(name)
      defer { loading.removeLast() }
      let value = try call.state.call(try call.state.load(file.text, chunkName: file.chunk)).first ?? .boolean(true)
      loaded[name] = value
      call.results.append(value)
    }
  }

  /// Stops the plugin's Lua that runs, if any does; may be called from any thread.
  public var interrupt: @Sendable () -> Void {
    let interruption = lua.interruption
    return { interruption.interrupt() }
  }

  /// The actions that the plugin adds to other modules, for its lifted reducers.
  public var addedActions: [ActionType] { definition.lifted.filter(\.declaresAction).map(\.action) }

  // MARK: Reducing

  /// Whether the plugin has a reducer for an action.
  public func reduces(_ type: ActionType) -> Bool { reducers[ObjectIdentifier(type)] != nil }

  /// Runs the plugin's reducer for an action on its slice, in place.
  ///
  /// - Throws: ``PluginError``; the slice may then hold half of the change and must be thrown away.
  public func reduce(
    _ call: ActionCall, number: Int, time: Duration, source: ActionSource, slice: inout Value
  ) throws(PluginError) {
    guard let function = reducers[ObjectIdentifier(call.type)] else { return }
    calls.meta.set(number: number, time: time, source: source, call: call)
    let schema = definition.schema ?? .dynamic(.any)
    var failure: PluginError?
    withUnsafeMutablePointer(to: &slice) { slice in
      failure = run(function, call, module.name, schema, UnsafeMutableRawPointer(slice))
    }
    if let failure { throw failure }
  }

  /// How many reducers the plugin lifts over other modules' slices.
  public var liftedCount: Int { definition.lifted.count }

  /// The module over whose slice a lifted reducer works, where it answers an action; nil where it does not.
  public func module(ofLifted index: Int, for type: ActionType) -> String? {
    let lifted = definition.lifted[index]
    return lifted.action === type ? lifted.module : nil
  }

  /// Runs a lifted reducer on another module's slice, in place; every write is checked against the slice's own type.
  ///
  /// - Throws: ``PluginError``; the slice may then hold half of the change and must be thrown away.
  public func reduce(
    lifted index: Int, _ call: ActionCall, number: Int, time: Duration, source: ActionSource, schema: Schema,
    slice: UnsafeMutableRawPointer
  ) throws(PluginError) {
    let lifted = definition.lifted[index]
    calls.meta.set(number: number, time: time, source: source, call: call)
    if let failure = run(lifted.function, call, lifted.module, schema, slice) { throw failure }
  }

  /// Calls a reducer with a draft of a slice.
  ///
  /// - Returns: what went wrong.
  private func run(
    _ watched: WatchedFunction, _ call: ActionCall, _ name: String, _ schema: Schema, _ slice: UnsafeMutableRawPointer
  ) -> PluginError? {
    if watched.isImpure, purity != .off { return impureReducer(call) }
    let draft = objects.beginDraft(name, schema, slice)
    defer { objects.endCall() }
    do throws(LuaError) {
      let digest = try watched.digestBefore(purity, lua)
      let count = try lua.call(
        watched.function,
        discardingResultsWith: { writer in
          writer.append(draft)
          LuaBridge.write(.record(call.record), to: &writer)
          writer.append(PluginCalls.metaObject)
        })
      guard count == 0 else {
        return calls.faults.make(
          .runtime, "reducer '\(call.type.fullName)' returned a value; change the draft in place and return nothing")
      }
      if let digest, try watched.hasChanged(since: digest, lua) { return impureReducer(call) }
      return nil
    } catch {
      return calls.faults.reducer(call.type.fullName, error)
    }
  }

  private func impureReducer(_ call: ActionCall) -> PluginError {
    calls.faults.impure("reducer '\(call.type.fullName)'", mayOnly: "reducers may only change their draft")
  }

  // MARK: Middleware

  /// Whether a middleware wants to be asked about an action.
  public func accepts(_ type: ActionType, unit index: Int) -> Bool {
    let unit = definition.middleware[index]
    return (unit.before != nil || unit.after != nil) && unit.on.accepts(type)
  }

  /// Whether a middleware has anything to do after the commit.
  public func hasAfter(unit index: Int) -> Bool { definition.middleware[index].after != nil }

  /// Asks a middleware before reducing.
  ///
  /// - Returns: what it wants to see again in ``after(unit:_:_:kept:view:emit:)``.
  public func before(
    unit index: Int, _ call: ActionCall, _ context: ActionContext, view: any StateView
  ) throws(PluginError) -> LuaValue {
    let unit = definition.middleware[index]
    guard let function = unit.before else { return .nil }
    calls.action.set(number: context.number, time: context.time, source: context.source, call: call)
    return try run(view, "middleware '\(unit.name)' (before)") { () throws(LuaError) in
      try lua.call(
        function,
        arguments: { writer in
          writer.append(PluginCalls.actionObject)
          calls.appendContext(to: &writer)
        }
      ).first ?? .nil
    }
  }

  /// Tells a middleware after the commit.
  ///
  /// - Parameters:
  ///   - kept: what it returned before reducing.
  ///   - emit: enqueues what it dispatches.
  public func after(
    unit index: Int, _ call: ActionCall, _ context: ActionContext, kept: LuaValue, view: any StateView,
    emit: @escaping (ActionCall, ActionSource) -> Void
  ) throws(PluginError) {
    let unit = definition.middleware[index]
    guard let function = unit.after else { return }
    calls.action.set(number: context.number, time: context.time, source: context.source, call: call)
    let outer = calls.emission
    calls.emission = PluginCalls.Emission(unit: unit.name, function: "after", emit: emit)
    // A command of this plugin may be waiting for what it dispatched.
    defer { calls.emission = outer }
    _ = try run(view, "middleware '\(unit.name)' (after)") { () throws(LuaError) in
      try lua.call(
        function,
        arguments: { writer in
          writer.append(PluginCalls.actionObject)
          calls.appendContext(to: &writer)
          writer.append(kept)
        })
    }
  }

  // MARK: Projections and commands

  /// Computes a projection.
  ///
  /// - Throws: ``PluginError`` where its function fails or its result is not of the declared type.
  public func project(_ name: String, view: any StateView) throws(PluginError) -> Value {
    guard let projection = definition.projections.first(where: { $0.type.name == name }) else {
      throw calls.faults.make(.runtime, "no projection '\(name)'")
    }
    let place = "projection '\(module.name).\(name)'"
    let watched = projection.function
    let fault = calls.faults.impure(place, mayOnly: "projections may only read state")
    if watched.isImpure, purity != .off { throw fault }
    return try run(view, place) { () throws(LuaError) in
      let digest = try watched.digestBefore(purity, lua)
      let result = try lua.call(watched.function, arguments: { $0.append(PluginCalls.stateObject) }).first ?? .nil
      if let digest, try watched.hasChanged(since: digest, lua) {
        throw LuaError(kind: .runtime, message: fault.message, underlying: fault)
      }
      do throws(SchemaError) {
        return try projection.type.schema.check(try objects.value(of: result))
      } catch {
        throw LuaError(kind: .runtime, message: error.message, underlying: error)
      }
    }
  }

  /// Runs one of the plugin's commands.
  ///
  /// - Returns: text to print as it is, or a value to show, or nil.
  public func run(
    command name: String, arguments: Record, view: any StateView, host: any PluginCommandHost
  ) throws(PluginError) -> CommandResult {
    guard let command = definition.commands.first(where: { $0.type.name == name }) else {
      throw calls.faults.make(.runtime, "no command '\(name)'")
    }
    calls.commandHost = host
    calls.emission = PluginCalls.Emission(unit: name, function: "run", emit: nil)
    defer {
      calls.commandHost = nil
      calls.emission = nil
    }
    return try run(view, "command '\(module.name) \(name)'") { () throws(LuaError) in
      let result = try lua.call(
        command.run,
        arguments: { writer in
          LuaBridge.write(.record(arguments), to: &writer)
          calls.appendCommand(to: &writer)
        }
      ).first
      switch result {
      case nil, .nil: return .nothing
      case .string(let text): return .text(text)
      case .some(let value):
        do throws(SchemaError) {
          return .value(try objects.value(of: value))
        } catch {
          throw LuaError(kind: .runtime, message: error.message, underlying: error)
        }
      }
    }
  }

  /// Tells the plugin that it is about to go.
  public func unload(view: any StateView) throws(PluginError) {
    guard let function = definition.onUnload else { return }
    _ = try run(view, "on_unload") { () throws(LuaError) in
      try lua.call(function, arguments: { calls.appendContext(to: &$0) })
    }
  }

  private func run<Result>(
    _ view: any StateView, _ place: String, _ body: () throws(LuaError) -> Result
  ) throws(PluginError) -> Result {
    let outer = objects.view
    objects.view = view
    defer {
      objects.view = outer
      if outer == nil { objects.endCall() }
    }
    do throws(LuaError) {
      return try body()
    } catch {
      throw calls.faults.runtime(place, error)
    }
  }
}

/// What a command of a plugin gave.
public enum CommandResult: Sendable {
  /// Nothing.
  case nothing
  /// Text to print as it is.
  case text(String)
  /// A value to show.
  case value(Value)
}

/// What a command of a plugin may do with the shell.
public protocol PluginCommandHost: AnyObject {
  /// Has an action processed.
  func dispatch(_ call: ActionCall, source: ActionSource) throws
  /// The value at a path or of a projection.
  func project(_ path: String) throws -> Value
  /// Prints a line.
  func print(_ text: String)
}

extension PluginManifest {
  /// Whether the plugin may read a module's slice: its own, or one that it asked for.
  public func mayRead(_ module: String) -> Bool { module == name || permissions.contains(.read(module: module)) }

  func readRefusal(_ module: String) -> String {
    "may not read '\(module)' (add \"read:\(module)\" to permissions in plugin.json)"
  }

  func mayDispatch(_ type: ActionType) -> Bool {
    type.module == name || permissions.contains(.dispatch(module: type.module, action: nil))
      || permissions.contains(.dispatch(module: type.module, action: type.name))
  }
}
