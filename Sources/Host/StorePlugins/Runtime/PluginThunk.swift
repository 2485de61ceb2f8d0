import LuaRuntime
import StoreCore
import StoreSchema

/// A thunk of a plugin that runs: a Lua coroutine, which pauses while an action that it dispatched is processed (R20).
public final class PluginThunk {
  /// `PLUGIN/thunk/KEY`, as listings and errors show it.
  public let name: String
  /// Set by the function that pauses the coroutine.
  var request: (action: ActionCall, source: ActionSource)?
  private let plugin: Plugin
  private let call: ActionCall
  private var coroutine: LuaCoroutine?
  private let emission: PluginCalls.Emission
  private var hasStarted = false

  /// What a thunk wants next.
  public enum Step: Sendable {
    /// To go on when an action is done.
    case dispatch(ActionCall, ActionSource)
    /// Nothing more.
    case finished
  }

  init(_ call: ActionCall, key: String, of plugin: Plugin, _ coroutine: LuaCoroutine) {
    name = "\(plugin.module.name)/\(Plugin.thunkUnit)/\(key)"
    self.plugin = plugin
    self.call = call
    self.coroutine = coroutine
    emission = PluginCalls.Emission(unit: Plugin.thunkUnit, function: call.type.name, kind: .effect)
  }

  /// Runs it until it waits for an action or ends; every time with a budget of its own.
  ///
  /// - Parameters:
  ///   - failure: why the action that it waited for was not committed; nil: it was.
  ///   - emit: enqueues what it dispatches without waiting.
  /// - Throws: ``PluginError``; it has ended then.
  public func resume(
    failure: String? = nil, view: any StateView, emit: @escaping (ActionCall, ActionSource) -> Void
  ) throws(PluginError) -> Step {
    guard let coroutine else { return .finished }
    request = nil
    emission.emit = emit
    defer { emission.emit = nil }
    let outcome: LuaCoroutine.Outcome
    do throws(LuaError) {
      outcome = try running(emission, view) { () throws(LuaError) in
        try coroutine.resume { writer in
          guard hasStarted else { return plugin.calls.appendThunk(call, to: &writer) }
          writer.append(failure == nil)
          if let failure { writer.append(failure) }
        }
      }
    } catch {
      forget()
      throw plugin.calls.faults.task(name, error, word: "thunk")
    }
    hasStarted = true
    switch (outcome, request) {
    case (.finished, _):
      forget()
      return .finished
    case (.yielded, let request?): return .dispatch(request.action, request.source)
    case (.yielded, nil):
      close(view: view)
      throw plugin.calls.faults.make(
        .task, "thunk '\(name)' failed: it paused by itself; wait with t:dispatch_wait(action)")
    }
  }

  /// Ends it where it waits, and runs what its `<close>` variables ask for; an error there is nobody's.
  public func close(view: any StateView) {
    guard let coroutine else { return }
    forget()
    guard hasStarted else { return }
    try? running(nil, view) { () throws(LuaError) in try coroutine.close() }
  }

  private func forget() {
    coroutine = nil
    plugin.thunks.removeAll { $0 === self }
  }

  private func running<Result>(
    _ emission: PluginCalls.Emission?, _ view: any StateView, _ body: () throws(LuaError) -> Result
  ) throws(LuaError) -> Result {
    let calls = plugin.calls
    let outer = (calls.thunk, calls.emission)
    (calls.thunk, calls.emission) = (self, emission)
    defer { (calls.thunk, calls.emission) = outer }
    return try plugin.reading(view, body)
  }
}

extension Plugin {
  /// What traces, listings and sources call the unit that runs thunks.
  public static var thunkUnit: String { "thunk" }

  /// The thunks that the plugin declares, by name.
  public var thunkTypes: [ThunkType] { definition.thunks.map(\.type) }

  /// Whether an action carries one of the plugin's thunks.
  public func isThunk(_ type: ActionType) -> Bool { type.module == "thunk:\(module.name)" }

  /// Starts the thunk that an action carries; it does nothing before it is resumed.
  ///
  /// - Parameter key: what tells it from others that run.
  /// - Throws: ``PluginError`` where the plugin has no such thunk, or as many tasks as it may.
  public func begin(thunk call: ActionCall, key: String) throws(PluginError) -> PluginThunk {
    guard let declared = definition.thunks.first(where: { $0.type.action.name == call.type.name }) else {
      throw calls.faults.make(.runtime, "no thunk '\(call.type.name)'")
    }
    guard room(ending: { _ in false }) > 0 else { throw tooManyTasks }
    do throws(LuaError) {
      let thunk = PluginThunk(call, key: key, of: self, try lua.makeCoroutine(declared.run))
      thunks.append(thunk)
      return thunk
    } catch {
      throw calls.faults.task("\(module.name)/\(Plugin.thunkUnit)/\(key)", error, word: "thunk")
    }
  }
}

extension PluginCalls {
  /// Makes what thunks get as `t`, which is one for all of them: its functions speak for the one that runs.
  func makeThunkTable(in lua: LuaState, _ objects: SliceObjects, dispatch: LuaValue) throws(LuaError) -> LuaTable {
    let get = try lua.makeFunction("get") { [unowned self] call in
      try check(.thunk)
      call.results.append(SliceObjects.stateObject)
    }
    let wait = try lua.makeFunction("dispatch_wait") { [unowned self, unowned objects] call in
      try check(.thunk)
      guard let thunk, let emission, call.canYield else { throw Self.cannotPause("t:dispatch_wait", "the thunk") }
      let action = try makeAction(call[1], call[2], objects, for: "dispatch_wait", isRefusal: true)
      try countDispatch()
      thunk.request = (action, source(of: call, emission))
      call.yield()
    }
    return try lua.makeHostTable(
      "t", [("get", .function(get)), ("dispatch", dispatch), ("dispatch_wait", .function(wait))])
  }

  func appendThunk(_ call: ActionCall, to writer: inout LuaWriter) {
    LuaBridge.write(.record(call.record), to: &writer)
    if let thunkTable { writer.append(thunkTable) }
  }
}
