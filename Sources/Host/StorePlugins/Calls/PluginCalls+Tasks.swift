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
