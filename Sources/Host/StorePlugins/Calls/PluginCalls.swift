import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The values that a plugin's functions get beside slices: `meta`, the action, `ctx`, `cmd` and `log`.
final class PluginCalls {
  let faults: PluginFaults
  let meta = ActionFacade(name: "meta")
  let action: ActionFacade
  /// The permissions that the plugin uses.
  let permissions = PermissionLedger()
  /// The actions that the plugin's code may name.
  let actions: NamedActions
  /// The code that runs now.
  let running = RunningCode()
  /// The emission of the running task's dispatches. All tasks share one: only one task runs at a time and none starts
  /// another.
  let emissionOfTasks = PluginEmission(unit: "", function: "", kind: .effect)
  /// The number of actions that tasks and thunks may dispatch per second.
  private var dispatches: Allowance
  /// The number of actions that one dispatch may cause (R30).
  let mostActions: () -> Int
  /// The text form of printed tables; nil: their type.
  var tables: TableText?
  /// The time on the clock of the store; nil: it has none.
  var time: () -> Duration? = { nil }
  private let functionNames: FunctionNames
  /// The tables that functions get.
  private(set) var handed = HandedTables()
  /// The interceptors that were made: Lua may keep the functions that speak for them.
  var interceptors: [InterceptorPlan] = []

  init(
    faults: PluginFaults, ownActions: [String: ActionType], functionNames: FunctionNames, known: KnownModules,
    mostActions: @escaping () -> Int
  ) {
    action = ActionFacade(name: "action", meta: meta)
    self.functionNames = functionNames
    self.faults = faults
    actions = NamedActions(faults.manifest, permissions, own: ownActions, known: known)
    dispatches = Allowance(limit: faults.manifest.limits.actions)
    self.mostActions = mostActions
  }

  /// Makes the tables and functions that plugins see.
  func install(in lua: LuaState, _ objects: SliceObjects) throws(LuaError) {
    objects.add(meta, as: ActionFacade.metaObject)
    objects.add(action, as: ActionFacade.actionObject)
    action.names = try ActionNames(in: lua)
    try actions.intern(in: lua)
    // Unowned: the plugin that owns the Lua state owns both, and an object that anything refers to weakly is slow to count.
    // Unmanaged where every task comes by, so that nothing is counted: a function of a state is called by its owner only.
    let (unmanaged, unmanagedObjects) = (Unmanaged.passUnretained(self), Unmanaged.passUnretained(objects))
    func makeDispatch(of handle: RunningCode.Handle) throws(LuaError) -> LuaValue {
      .function(
        try lua.makeFunction { call in
          try unmanaged._withUnsafeGuaranteedRef { calls in
            try unmanagedObjects._withUnsafeGuaranteedRef { try calls.dispatch(&call, $0, of: handle) }
          }
        })
    }
    let project = try lua.makeFunction { [unowned self, unowned objects] call in
      try running.check(.command)
      guard case .string(let path) = call[1] else {
        throw LuaFailure("cmd:project needs the name of a projection or a path")
      }
      // Before it is read: what is wrong with a path tells of what stands there.
      let module = String(path.prefix { $0 != "." && $0 != "[" })
      if let refusal = objects.refusal(module) { throw LuaFailure(refusal) }
      // The shell's own listings, which are no slice: they show what others did.
      guard module != "shell" || faults.manifest.mayRead(module) else {
        throw LuaFailure(faults.manifest.readRefusal(module))
      }
      // A projection has a budget of its own each time: the command would have any number of them.
      let reading = try call.state.timed { try self.running.asking { try $0.read(path) } }
      running.projected.note(path, reading)
      LuaBridge.write(reading.value, to: &call.results)
    }
    let print = try lua.makeFunction { [unowned self] call in
      try running.check(.command)
      guard case .table = call[0] else { throw LuaFailure("write cmd:print(…), with a colon") }
      let text = try TableText.printed(call, from: 1, separator: " ", tables)
      try running.asking { $0.print(text) }
    }
    let wait = try makeWaitFunction(in: lua)
    let start = try makeStartFunction(in: lua)
    handed.task = try makeTaskTable(in: lua, dispatch: try makeDispatch(of: .task))
    handed.thunk = try makeThunkTable(in: lua, objects, dispatch: try makeDispatch(of: .thunk))
    let state = LuaValue.object(SliceObjects.stateObject)
    let context = try lua.makeHostTable(
      "ctx", [("task", .function(start)), ("state", state), ("dispatch", try makeDispatch(of: .context))])
    (handed.context, handed.contextHandle) = (context, context.handle)
    handed.command = try lua.makeHostTable(
      "cmd",
      [
        ("state", state), ("dispatch", try makeDispatch(of: .command)), ("project", .function(project)),
        ("print", .function(print)), ("wait", .function(wait)),
      ])
  }

  private func dispatch(_ call: inout LuaCall, _ objects: SliceObjects, of handle: RunningCode.Handle) throws {
    try running.check(handle)
    // Else a table of arguments would be taken for an action as a table.
    if case .string = call.argument(0).kind {
      throw LuaFailure("write \(handle.rawValue):dispatch(…), with a colon")
    }
    guard let emission = handle == .context ? running.emissionOfAfter?.takeUnretainedValue() : running.emission else {
      throw LuaFailure("dispatching is not possible here; do it in after, or in a command")
    }
    guard let emit = emission.emit else {
      // Processed at once, it is the call's no longer.
      return try call.state.metered({ $0 as any Error }) { () throws(any Error) in
        let action = try actions.makeAction(call, objects, for: emission.element, isRefusal: false)
        let source = source(of: call, emission)
        try running.asking { try $0.dispatch(action, source: source) }
      }
    }
    let action = try actions.makeAction(call, objects, for: emission.element, isRefusal: emission.kind == .effect)
    if emission.kind == .effect { try countDispatch() } else { try emission.count.add(most: mostActions) }
    emit(action, source(of: call, emission))
  }

  /// Counts an action that a task or a thunk dispatches. The limit of one dispatch bounds all other answers to an
  /// action (R30); a task begins of itself, as often as it likes.
  func countDispatch() throws(PluginError) {
    guard let time = time(), !dispatches.take(at: time) else { return }
    throw faults.make(.budget, "more than \(grouped(dispatches.limit)) actions a second")
  }

  /// True if tasks have dispatched as many actions as they may in a second.
  var areActionsUsedUp: Bool { time().map { dispatches.left(at: $0) <= 0 } ?? false }

  /// The place of a call from Lua, as the source of the actions that it dispatches.
  func source(of call: borrowing LuaCall, _ emission: PluginEmission) -> ActionSource {
    emission.source(of: call.caller, functionNames, plugin: faults.manifest.name)
  }
}

extension PluginCalls {
  /// Makes `cmd:wait(seconds)` and `cmd:wait(action name…)`, after which may come a limit in seconds.
  func makeWaitFunction(in lua: LuaState) throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [unowned self] call in
      try running.check(.command)
      guard call.canYield else { throw Self.cannotPause("cmd:wait", "the command") }
      var given = Array(call.arguments.dropFirst())
      var limit: Duration?
      switch given.last {
      case .integer, .number: limit = try Self.duration(given.removeLast(), of: "cmd:wait", as: "wait")
      default: break
      }
      var actions: [String] = []
      for name in given {
        guard case .string = name else {
          throw LuaFailure("cmd:wait takes a number of seconds or names of actions, got \(name.described)")
        }
        let type = try self.actions.action(name, for: "cmd:wait")
        guard faults.manifest.mayRead(type.module) else { throw LuaFailure(faults.manifest.readRefusal(type.module)) }
        if type.module != faults.manifest.name { permissions.noteRead(type.module) }
        actions.append(type.fullName)
      }
      guard limit != nil || !actions.isEmpty else {
        throw LuaFailure("cmd:wait needs a number of seconds or the name of an action")
      }
      running.commandWait = PluginWait(actions: actions, limit: limit)
      call.yield()
    }
  }
}

/// The table that tasks get, and the call by which middlewares start them.
extension PluginCalls {
  /// Makes the table that tasks get, which is one for all of them: its functions speak for the one that runs.
  func makeTaskTable(in lua: LuaState, dispatch: LuaValue) throws(LuaError) -> LuaTable {
    // As in `install`.
    let unmanaged = Unmanaged.passUnretained(self)
    let sleep = try lua.makeFunction { call in
      try unmanaged._withUnsafeGuaranteedRef { try $0.sleep(&call) }
    }
    let sleepUntil = try lua.makeFunction { [unowned self] call in
      let task = try self.taskThatPauses(call, "sleep_until")
      task.request = .sleepUntil(try Self.time(call[1], of: "task:sleep_until"))
      call.yield()
    }
    let now = try lua.makeFunction { [unowned self] call in
      try running.check(.task)
      call.results.append((self.time() ?? .zero).seconds)
    }
    let wait = try lua.makeFunction { [unowned self] call in
      let task = try self.taskThatPauses(call, "wait_for")
      let type = try actions.action(call[1], for: "task:wait_for")
      guard faults.manifest.mayRead(type.module) else { throw LuaFailure(faults.manifest.readRefusal(type.module)) }
      if type.module != faults.manifest.name { permissions.noteRead(type.module) }
      var timeout: Duration?
      if call[2] != .nil {
        timeout = try Self.duration(call[2], of: "task:wait_for", as: "time limit")
      }
      task.request = .waitFor(type, timeout: timeout)
      call.yield()
    }
    let cancelled = try lua.makeFunction { [unowned self] call in
      try running.check(.task)
      call.results.append(running.task?._withUnsafeGuaranteedRef { $0.isCancelled } ?? true)
    }
    return try lua.makeHostTable(
      "task",
      [
        ("sleep", .function(sleep)), ("sleep_until", .function(sleepUntil)), ("now", .function(now)),
        ("dispatch", dispatch), ("wait_for", .function(wait)),
        ("cancelled", .function(cancelled)),
      ])
  }

  /// Makes `ctx:task(key, fn)`.
  func makeStartFunction(in lua: LuaState) throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [unowned self] call in
      try running.check(.context)
      guard let emission = running.emissionOfAfter?.takeUnretainedValue(), let start = emission.start else {
        throw LuaFailure("ctx:task is only possible in after")
      }
      if let refusal = timersRefusal { throw LuaFailure(refusal) }
      guard let key = EffectToken(call[1]) else {
        throw Self.badTask("a text, a number or a boolean as its key", call[1])
      }
      guard case .function(let function) = call[2] else { throw Self.badTask("a function as its work", call[2]) }
      start(PluginTaskStart(unit: emission.unit, key: key, of: emission.element, function: function))
    }
  }

  /// Why the plugin may have no tasks; nil: it may.
  var timersRefusal: String? {
    faults.manifest.permissions.contains(.timers)
      ? nil : "may not start tasks (add \"timers\" to permissions in plugin.json)"
  }

  private func sleep(_ call: inout LuaCall) throws {
    let task = try taskThatPauses(call, "sleep")
    task.request = .sleep(try Self.duration(call[1], of: "task:sleep", as: "wait"))
    call.yield()
  }

  private func taskThatPauses(_ call: borrowing LuaCall, _ name: String) throws(LuaFailure) -> PluginTask {
    try running.check(.task)
    guard let task = running.task, call.canYield else { throw Self.cannotPause("task:\(name)", "the task") }
    return task.takeUnretainedValue()
  }

  /// Why a function that pauses cannot do so where it was called.
  static func cannotPause(_ function: String, _ caller: String) -> LuaFailure {
    LuaFailure("\(function) is only possible while \(caller) runs, and not in a coroutine of its own")
  }

  private static func badTask(_ wanted: String, _ found: LuaValue) -> LuaFailure {
    LuaFailure("ctx:task needs \(wanted), got \(found.described): ctx:task(\"later\", function(task) … end)")
  }

  /// The longest time that a clock can be asked for, in seconds: 31 years.
  static let longestWait = 1_000_000_000

  /// A time of the store's that a function was given, in seconds.
  private static func time(_ value: LuaValue, of function: String) throws(LuaFailure) -> Duration {
    let limit = 4 * longestWait
    return try max(
      duration(value, of: function, "a time in seconds, as meta.at gives it", "a time is at most", limit), .zero)
  }

  /// A number of seconds that a function was given. None is shorter than a millisecond, so that a loop that waits lets others
  /// run.
  static func duration(_ value: LuaValue, of function: String, as meaning: String) throws(LuaFailure) -> Duration {
    try max(
      duration(value, of: function, "a number of seconds", "a \(meaning) has at most", longestWait), .milliseconds(1))
  }

  private static func duration(
    _ value: LuaValue, of function: String, _ wanted: String, _ most: String, _ limit: Int
  ) throws(LuaFailure) -> Duration {
    let seconds: Double
    switch value {
    case .integer(let number): seconds = Double(number)
    case .number(let number) where !number.isNaN: seconds = number
    default:
      let hint = value == .nil ? " (is it called with a colon?)" : ""
      throw LuaFailure("\(function) needs \(wanted), got \(value.described)\(hint)")
    }
    guard seconds <= Double(limit) else {
      throw LuaFailure("\(function): \(most) \(limit) seconds, got \(value.described)")
    }
    if case .integer(let number) = value { return .seconds(max(number, 0)) }
    return .nanoseconds(Int64(max(seconds, 0) * 1e9))
  }
}

/// A refusal to a plugin, with the hint apart from the message.
struct PluginRefusal: Error, CustomStringConvertible {
  let description: String
  let hint: String
}
