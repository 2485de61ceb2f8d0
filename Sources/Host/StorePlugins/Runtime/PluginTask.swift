import LuaRuntime
import StoreCore
import StoreSchema

/// Delayed work of a plugin that runs: a Lua coroutine, resumed step by step by whoever has the clock.
public final class PluginTask {
  /// The unit that started it.
  public let unit: String
  /// What tells it from the unit's others.
  public let key: String
  /// Set by the functions that pause the coroutine.
  var request: Step?
  private let plugin: Plugin
  private var coroutine: LuaCoroutine?
  private let isOver: () -> Bool
  private var hasStarted = false

  /// What a task wants next.
  public enum Step: Sendable {
    /// To go on after a while.
    case sleep(Duration)
    /// To go on with the next action of a type, or without one after a while; nil: never without.
    case waitFor(ActionType, timeout: Duration?)
    /// Nothing more.
    case finished
  }

  init(_ start: PluginTaskStart, of plugin: Plugin, coroutine: LuaCoroutine, isOver: @escaping () -> Bool) {
    unit = start.unit
    key = start.key
    self.plugin = plugin
    self.coroutine = coroutine
    self.isOver = isOver
  }

  /// `PLUGIN/UNIT/KEY`, as listings and errors show it.
  public var name: String { "\(plugin.module.name)/\(unit)/\(key)" }

  /// Whether whoever runs it has cancelled it.
  var isCancelled: Bool { isOver() }

  /// Runs it until it waits or ends; every time with a budget of its own.
  ///
  /// - Parameters:
  ///   - action: the action that it waited for; nil: none came, or it waited for none.
  ///   - emit: enqueues what it dispatches.
  /// - Throws: ``PluginError``; it has ended then.
  public func resume(
    with action: ActionCall? = nil, view: any StateView, emit: @escaping (ActionCall, ActionSource) -> Void
  ) throws(PluginError) -> Step {
    guard let coroutine else { return .finished }
    var waitedForAction = false
    if case .waitFor? = request { waitedForAction = true }
    request = nil
    let emission = plugin.calls.emissionOfTasks
    if emission.unit != unit { emission.unit = unit }
    (emission.function, emission.emit) = (key, emit)
    defer { emission.emit = nil }
    let outcome: LuaCoroutine.Outcome
    do throws(LuaError) {
      outcome = try plugin.running(self, emission, view) { () throws(LuaError) in
        try coroutine.resume { writer in
          if !hasStarted { return plugin.calls.appendTask(to: &writer) }
          if let action {
            LuaBridge.write(.record(action.record), to: &writer)
          } else if waitedForAction {
            writer.appendNil()
          }
        }
      }
    } catch {
      forget()
      throw plugin.calls.faults.task(name, error)
    }
    hasStarted = true
    switch (outcome, request) {
    case (.finished, _):
      forget()
      return .finished
    case (.yielded, let step?): return step
    case (.yielded, nil):
      close(view: view)
      throw plugin.calls.faults.task(
        name, "it paused by itself; wait with task:sleep(seconds) or task:wait_for(action)")
    }
  }

  /// Ends it where it waits, and runs what its `<close>` variables ask for; an error there is nobody's.
  public func close(view: any StateView) {
    guard let coroutine else { return }
    forget()
    guard hasStarted else { return }
    try? plugin.running(self, nil, view) { () throws(LuaError) in try coroutine.close() }
  }

  private func forget() {
    coroutine = nil
    plugin.tasks.removeAll { $0 === self }
  }
}

/// A task that is to be started.
public struct PluginTaskStart: @unchecked Sendable {
  // Safe: the function is called only by the thread that owns the store, and may be let go of on any (`LuaLink`).

  /// The unit that starts it.
  public let unit: String
  /// What tells it from the unit's others.
  public let key: String
  let function: LuaFunction
}

extension Plugin {
  /// Starts a task; it does nothing before it is resumed.
  ///
  /// - Parameter isOver: whether it was cancelled; asked by the thread that owns the store.
  /// - Throws: ``PluginError`` where the plugin has as many tasks as it may.
  public func begin(_ start: PluginTaskStart, isOver: @escaping () -> Bool) throws(PluginError) -> PluginTask {
    guard room(ending: { _ in false }) > 0 else { throw tooManyTasks }
    let task: PluginTask
    do throws(LuaError) {
      task = PluginTask(start, of: self, coroutine: try lua.makeCoroutine(start.function), isOver: isOver)
    } catch {
      throw calls.faults.task("\(module.name)/\(start.unit)/\(start.key)", error)
    }
    tasks.append(task)
    calls.permissions.noteTask()
    return task
  }

  /// How many more tasks may begin; thunks count as tasks.
  ///
  /// - Parameter isEnding: whether a task is about to end, and makes room.
  public func room(ending isEnding: (PluginTask) -> Bool) -> Int {
    source.manifest.limits.tasks - thunks.count - tasks.count { !$0.isCancelled && !isEnding($0) }
  }

  /// What is said where there is no room for a task.
  public var tooManyTasks: PluginError {
    let limit = source.manifest.limits.tasks
    return calls.faults.make(.budget, "more than \(limit) task\(limit == 1 ? "" : "s")")
  }

  /// Whether a middleware says which tasks should run.
  public func supervises(unit index: Int) -> Bool { middlewares[index].supervise != nil }

  /// Asks a middleware which tasks should run in the state. What it said before holds for as long as nothing has changed that
  /// it read.
  ///
  /// - Returns: all of them, by key in the order of the keys.
  public func supervise(unit index: Int, view: any StateView) throws(PluginError) -> [PluginTaskStart] {
    let plan = middlewares[index]
    guard let function = plan.supervise else { return [] }
    if let starts = plan.supervised.value(in: view) { return starts }
    plan.supervised.noteRun()
    let outer = calls.emission
    (calls.emission, calls.slicesRead) = (nil, [])
    defer { (calls.emission, calls.slicesRead) = (outer, nil) }
    let wanted = try run(view, "middleware '\(plan.name)' (supervise)") { () throws(LuaError) -> [PluginTaskStart] in
      switch try lua.call(function, firstResultWith: { $0.append(SliceObjects.stateObject) }) {
      case .nil: return []
      case .table(let table): return try starts(table, plan.name)
      case let other: throw LuaError(kind: .runtime, message: "returned \(other.described), not a table of tasks")
      }
    }
    plan.supervised.keep(wanted, reading: calls.slicesRead ?? [], in: view)
    return wanted
  }

  /// Has a middleware asked again: its tasks are to start anew, from functions that none of them has run.
  public func forgetSupervised(unit index: Int) { middlewares[index].supervised.forget() }

  private func starts(_ table: LuaTable, _ unit: String) throws(LuaError) -> [PluginTaskStart] {
    var starts: [PluginTaskStart] = []
    for (key, value) in table.entries() {
      guard case .string(let key) = key, case .function(let function) = value else {
        throw LuaError(kind: .runtime, message: "returned an entry that is not NAME = function(task) … end")
      }
      starts.append(PluginTaskStart(unit: unit, key: key, function: function))
    }
    return starts
  }

  /// Runs a part of a task.
  func running<Result>(
    _ task: PluginTask, _ emission: PluginCalls.Emission?, _ view: any StateView,
    _ body: () throws(LuaError) -> Result
  ) throws(LuaError) -> Result {
    let outer = (calls.task, calls.emission)
    (calls.task, calls.emission) = (.passUnretained(task), emission)
    defer { (calls.task, calls.emission) = outer }
    return try reading(view, body)
  }
}
