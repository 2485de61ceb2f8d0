import LuaRuntime
import StoreModules
import StoreSchema

/// The tasks and thunks of a plugin that have not ended. Thunks count as tasks.
public final class PluginTasks: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  let machine: PluginMachine
  private let declaredThunks: [PluginDefinition.Thunk]
  var running: [ObjectIdentifier: PluginTask] = [:]
  var thunks: [PluginThunk] = []
  private var limit: Int { machine.calls.faults.manifest.limits.tasks }

  init(thunks: [PluginDefinition.Thunk], _ machine: PluginMachine) {
    self.machine = machine
    declaredThunks = thunks
  }

  // MARK: Tasks

  /// Starts a task; it does nothing before it is resumed.
  ///
  /// - Parameter isOver: true if it was cancelled; asked by the thread that owns the store.
  /// - Throws: ``PluginError`` where the plugin has as many tasks as it may.
  public func begin(_ start: PluginTaskStart, isOver: @escaping () -> Bool) throws(PluginError) -> PluginTask {
    guard free > 0 || room(ending: { _ in false }) > 0 else { throw tooManyTasks }
    let task: PluginTask
    do throws(LuaError) {
      task = PluginTask(start, of: self, coroutine: try machine.lua.makeCoroutine(start.function), isOver: isOver)
    } catch {
      throw machine.calls.faults.task("\(machine.name)/\(start.unit)/\(start.key)", error)
    }
    running[ObjectIdentifier(task)] = task
    machine.calls.permissions.noteTask()
    return task
  }

  /// The number of tasks that may still begin; thunks count as tasks.
  ///
  /// - Parameter isEnding: true if a task is about to end, and makes room.
  public func room(ending isEnding: (PluginTask) -> Bool) -> Int {
    limit - thunks.count - running.values.count { !$0.isCancelled && !isEnding($0) }
  }

  /// The number of tasks that may still begin while all of those that there are go on.
  public var free: Int { limit - thunks.count - running.count }

  /// True if no task may dispatch anything more in this second.
  public var areActionsUsedUp: Bool { machine.calls.areActionsUsedUp }

  /// The error if there is no room for a task.
  public var tooManyTasks: PluginError {
    machine.calls.faults.make(
      .tasks, "more than \(limit) task\(limit == 1 ? "" : "s")",
      hint: "limits.tasks in plugin.json says how many, up to the setting plugin.ceiling.tasks")
  }

  /// Runs a part of a task.
  func run<Result>(
    _ task: PluginTask, _ emission: PluginEmission?, _ view: any StateView,
    _ body: () throws(LuaError) -> Result
  ) throws(LuaError) -> Result {
    let outer = (machine.calls.running.task, machine.calls.running.emission)
    (machine.calls.running.task, machine.calls.running.emission) = (.passUnretained(task), emission)
    defer { (machine.calls.running.task, machine.calls.running.emission) = outer }
    return try machine.reading(view, body)
  }

  // MARK: Thunks

  /// The name, in traces, listings and sources, of the unit that runs thunks.
  public static var thunkUnit: String { "thunk" }

  /// The thunks that the plugin declares, by name.
  public var thunkTypes: [ThunkType] { declaredThunks.map(\.type) }

  /// True if an action carries one of the plugin's thunks.
  public func isThunk(_ type: ActionType) -> Bool { type.module == "thunk:\(machine.name)" }

  /// Starts the thunk that an action carries; it does nothing before it is resumed.
  ///
  /// - Parameter key: the key that tells it from other running tasks.
  /// - Throws: ``PluginError`` where the plugin has no such thunk, or as many tasks as it may.
  public func begin(thunk call: ActionCall, key: String) throws(PluginError) -> PluginThunk {
    guard let declared = declaredThunks.first(where: { $0.type.action.name == call.type.name }) else {
      throw machine.calls.faults.make(.runtime, "no thunk '\(call.type.name)'")
    }
    guard room(ending: { _ in false }) > 0 else { throw tooManyTasks }
    do throws(LuaError) {
      let thunk = PluginThunk(call, key: key, of: self, try machine.lua.makeCoroutine(declared.run))
      thunks.append(thunk)
      return thunk
    } catch {
      throw machine.calls.faults.task("\(machine.name)/\(Self.thunkUnit)/\(key)", error, word: "thunk")
    }
  }
}
