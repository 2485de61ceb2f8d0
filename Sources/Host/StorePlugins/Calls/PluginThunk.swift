import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// A thunk of a plugin that runs: a Lua coroutine, which pauses while an action that it dispatched is processed (R20).
public final class PluginThunk {
  /// `PLUGIN/thunk/KEY`, as listings and errors show it.
  public let name: String
  /// Set by the function that pauses the coroutine.
  var request: (action: ActionCall, source: ActionSource)?
  private let tasks: PluginTasks
  private let call: ActionCall
  private var coroutine: LuaCoroutine?
  private let emission: PluginEmission
  private var hasStarted = false

  /// The next step of a thunk.
  public enum Step: Sendable {
    /// To go on when an action is done.
    case dispatch(ActionCall, ActionSource)
    /// Nothing more.
    case finished
  }

  init(_ call: ActionCall, key: String, of tasks: PluginTasks, _ coroutine: LuaCoroutine) {
    name = "\(tasks.machine.name)/\(PluginTasks.thunkUnit)/\(key)"
    self.tasks = tasks
    self.call = call
    self.coroutine = coroutine
    emission = PluginEmission(unit: PluginTasks.thunkUnit, function: call.type.name, kind: .effect)
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
          guard hasStarted else { return tasks.machine.calls.appendThunk(call, to: &writer) }
          writer.append(failure == nil)
          if let failure { writer.append(failure) }
        }
      }
    } catch {
      forget()
      throw tasks.machine.calls.faults.task(name, error, word: "thunk")
    }
    hasStarted = true
    switch (outcome, request) {
    case (.finished, _):
      forget()
      return .finished
    case (.yielded, let request?): return .dispatch(request.action, request.source)
    case (.yielded, nil):
      close(view: view)
      throw tasks.machine.calls.faults.make(
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
    tasks.thunks.removeAll { $0 === self }
  }

  private func running<Result>(
    _ emission: PluginEmission?, _ view: any StateView, _ body: () throws(LuaError) -> Result
  ) throws(LuaError) -> Result {
    let calls = tasks.machine.calls
    let outer = (calls.running.thunk, calls.running.emission)
    (calls.running.thunk, calls.running.emission) = (self, emission)
    defer { (calls.running.thunk, calls.running.emission) = outer }
    return try tasks.machine.reading(view, body)
  }
}

extension PluginCalls {
  /// Makes what thunks get as `t`, which is one for all of them: its functions speak for the one that runs.
  func makeThunkTable(in lua: LuaState, _ objects: SliceObjects, dispatch: LuaValue) throws(LuaError) -> LuaTable {
    let get = try lua.makeFunction { [unowned self] call in
      try running.check(.thunk)
      call.results.append(SliceObjects.stateObject)
    }
    let wait = try lua.makeFunction { [unowned self, unowned objects] call in
      try running.check(.thunk)
      guard let thunk = running.thunk, let emission = running.emission, call.canYield else {
        throw Self.cannotPause("t:dispatch_wait", "the thunk")
      }
      let action = try actions.makeAction(call[1], call[2], objects, for: "dispatch_wait", isRefusal: true)
      try countDispatch()
      thunk.request = (action, source(of: call, emission))
      call.yield()
    }
    return try lua.makeHostTable(
      "t", [("get", .function(get)), ("dispatch", dispatch), ("dispatch_wait", .function(wait))])
  }

  func appendThunk(_ call: ActionCall, to writer: inout LuaWriter) {
    LuaBridge.write(.record(call.record), to: &writer)
    HandedTables.append(handed.thunk, to: &writer)
  }
}
