import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// Delayed work of a plugin that runs: a Lua coroutine, resumed step by step by whoever has the clock.
public final class PluginTask {
  /// The unit that started it.
  public let unit: String
  /// The key that tells it from the unit's other tasks.
  public let key: EffectToken
  private let keyText: String
  private let element: AddressedElement?
  private var entry: (key: Value, value: Value)?
  /// Set by the functions that pause the coroutine.
  var request: Step?
  private let tasks: PluginTasks
  private var coroutine: LuaCoroutine?
  private let isOver: () -> Bool
  private var hasStarted = false

  /// The next step of a task.
  public enum Step: Sendable {
    /// To go on after a while.
    case sleep(Duration)
    /// To go on at a time of the store's.
    case sleepUntil(Duration)
    /// To go on with the next action of a type, or without one after a while; nil: never without.
    case waitFor(ActionType, timeout: Duration?)
    /// Nothing more.
    case finished
  }

  init(_ start: PluginTaskStart, of tasks: PluginTasks, coroutine: LuaCoroutine, isOver: @escaping () -> Bool) {
    unit = start.unit
    key = start.key
    keyText = "\(start.key)"
    element = start.element
    entry = start.entry
    self.tasks = tasks
    self.coroutine = coroutine
    self.isOver = isOver
  }

  /// `PLUGIN/UNIT/KEY`, as listings and errors show it.
  public var name: String { "\(tasks.machine.name)/\(unit)/\(keyText)" }

  /// True if the runner of the task has cancelled it.
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
    let emission = tasks.machine.calls.emissionOfTasks
    if emission.unit != unit { emission.unit = unit }
    (emission.function, emission.emit, emission.element) = (keyText, emit, element)
    defer { (emission.emit, emission.element) = (nil, nil) }
    let outcome: LuaCoroutine.Outcome
    do throws(LuaError) {
      outcome = try tasks.run(self, emission, view) { () throws(LuaError) in
        try coroutine.resume { writer in
          if !hasStarted {
            HandedTables.append(tasks.machine.calls.handed.task, to: &writer)
            guard let (key, value) = entry else { return }
            LuaBridge.write(key, to: &writer)
            return LuaBridge.write(value, to: &writer)
          }
          if let action {
            LuaBridge.write(.record(action.record), to: &writer)
          } else if waitedForAction {
            writer.appendNil()
          }
        }
      }
    } catch {
      forget()
      throw tasks.machine.calls.faults.task(name, error)
    }
    hasStarted = true
    entry = nil
    switch (outcome, request) {
    case (.finished, _):
      forget()
      return .finished
    case (.yielded, let step?): return step
    case (.yielded, nil):
      close(view: view)
      throw tasks.machine.calls.faults.task(
        name, "it paused by itself; wait with task:sleep(seconds) or task:wait_for(action)")
    }
  }

  /// Ends it where it waits, and runs what its `<close>` variables ask for; an error there is nobody's.
  public func close(view: any StateView) {
    guard let coroutine else { return }
    forget()
    guard hasStarted else { return }
    try? tasks.run(self, nil, view) { () throws(LuaError) in try coroutine.close() }
  }

  private func forget() {
    coroutine = nil
    tasks.running[ObjectIdentifier(self)] = nil
  }
}
