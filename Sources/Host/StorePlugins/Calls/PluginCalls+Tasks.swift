import LuaRuntime
import StoreCore
import StoreSchema

/// The table that tasks get, and the call by which middlewares start them.
extension PluginCalls {
  /// Makes the table that tasks get, which is one for all of them: its functions speak for the one that runs.
  func makeTaskTable(in lua: LuaState, dispatch: LuaValue) throws(LuaError) -> LuaTable {
    // As in `install`.
    let unmanaged = Unmanaged.passUnretained(self)
    let sleep = try lua.makeFunction { call in
      try unmanaged._withUnsafeGuaranteedRef { try $0.sleep(&call) }
    }
    let wait = try lua.makeFunction { [unowned self] call in
      let task = try self.taskThatPauses(call, "wait_for")
      let type = try actions.action(call[1], for: "task:wait_for")
      guard faults.manifest.mayRead(type.module) else { throw LuaFailure(faults.manifest.readRefusal(type.module)) }
      if type.module != faults.manifest.name { permissions.noteRead(type.module) }
      var timeout: Duration?
      if call[2] != .nil {
        timeout = Self.duration(call[2])
        guard timeout != nil else {
          throw LuaFailure("task:wait_for takes a number of seconds as its time limit, got \(call[2].described)")
        }
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
        ("sleep", .function(sleep)), ("dispatch", dispatch), ("wait_for", .function(wait)),
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
      guard case .string(let key) = call[1], case .function(let function) = call[2] else {
        throw LuaFailure("ctx:task needs a key and a function: ctx:task(\"later\", function(task) … end)")
      }
      start(PluginTaskStart(unit: emission.unit, key: key, function: function))
    }
  }

  /// Why the plugin may have no tasks; nil: it may.
  var timersRefusal: String? {
    faults.manifest.permissions.contains(.timers)
      ? nil : "may not start tasks (add \"timers\" to permissions in plugin.json)"
  }

  private func sleep(_ call: inout LuaCall) throws {
    let task = try taskThatPauses(call, "sleep")
    guard let duration = Self.duration(call[1]) else {
      let hint = call[1] == .nil ? " (is it called with a colon?)" : ""
      throw LuaFailure("task:sleep needs a number of seconds, got \(call[1].described)\(hint)")
    }
    task.request = .sleep(duration)
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

  /// A number of seconds; nil where it is none, or is longer than a clock can say. None is shorter than a millisecond, so
  /// that a loop that waits lets others run.
  static func duration(_ value: LuaValue) -> Duration? {
    switch value {
    case .integer(let seconds) where abs(Double(seconds)) <= 1e9: max(.seconds(seconds), .milliseconds(1))
    case .number(let seconds) where abs(seconds) <= 1e9: max(.nanoseconds(Int64(seconds * 1e9)), .milliseconds(1))
    default: nil
    }
  }
}

/// A refusal to a plugin, with the hint apart from the message.
struct PluginRefusal: Error, CustomStringConvertible {
  let description: String
  let hint: String
}
