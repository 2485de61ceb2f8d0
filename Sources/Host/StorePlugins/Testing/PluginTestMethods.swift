import LuaRuntime
import StoreSchema

/// The table `t` of tests and its methods, which speak for the running test.
final class PluginTestMethods {
  private(set) var table: LuaTable
  /// The global `log`, whose lines are printed below the test's.
  private(set) var log: LuaTable
  /// The test that runs.
  var run: PluginTestRun?

  private typealias Method = @Sendable (inout LuaCall, PluginTestRun) throws -> Void

  init(in lua: LuaState) throws(LuaError) {
    let empty = try lua.makeTable { writer in
      writer.beginTable(record: 0)
      writer.endTable()
    }
    (table, log) = (empty, empty)
    var functions: [(String, LuaValue)] = []
    for (name, method) in Self.methods {
      let function = try lua.makeFunction { [unowned self] call in
        guard let run else { throw LuaFailure("t:\(name) is only possible while its test runs") }
        guard case .table = call.argument(0).kind else { throw LuaFailure("write t:\(name)(…), with a colon") }
        try method(&call, run)
      }
      functions.append((name, .function(function)))
    }
    table = try lua.makeHostTable("t", functions)
    log = try lua.makeHostTable("log", try makeLogFunctions(in: lua))
  }

  /// Makes the functions of `log`.
  private func makeLogFunctions(in lua: LuaState) throws(LuaError) -> [(String, LuaValue)] {
    var functions: [(String, LuaValue)] = []
    for (name, prefix) in [("info", ""), ("warn", "warning: ")] {
      let function = try lua.makeFunction { [unowned self] call in
        guard let run else { throw LuaFailure("log.\(name) is only possible while a test runs") }
        run.note(prefix + (try Self.line(of: call, from: 0, run)), call.state.meter)
      }
      functions.append((name, .function(function)))
    }
    return functions
  }

  /// The methods by name, in the order in which the guide lists them.
  private static let methods: [(name: String, method: Method)] = [
    ("dispatch", dispatch), ("advance", advance), ("get", get), ("equals", equals), ("ok", ok), ("fails", fails),
    ("gate", gate), ("run", runLine), ("actions", actions), ("print", print), ("skip", skip),
  ]

  // MARK: Doing

  private static func dispatch(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    let name = try text(call, 1, "t:dispatch needs the name of an action")
    let arguments: [(name: String, value: Value)]
    do throws(SchemaError) {
      arguments = try LuaBridge.arguments(named: try value(call[2]))
    } catch {
      throw PluginTestFailure(code: error.code, "\(name): \(error.message)", at: call.place)
    }
    let place = call.origin
    try run.ask(call) { try $0.dispatch(name, arguments, at: place) }
  }

  private static func advance(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    let seconds: Double
    switch call[1] {
    case .integer(let number): seconds = Double(number)
    case .number(let number): seconds = number
    default: throw LuaFailure("t:advance needs a number of seconds, got \(call[1].described)")
    }
    guard seconds >= 0, seconds <= 1e9 else { throw LuaFailure("t:advance takes 0 to 1e9 seconds, got \(seconds)") }
    try run.ask(call) { try $0.advance(.nanoseconds(Int64((seconds * 1e9).rounded()))) }
  }

  private static func gate(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    let name = try text(call, 1, "t:gate needs the name of a middleware")
    guard case .string(let position) = call[2], position == "on" || position == "off" else {
      throw LuaFailure("t:gate takes \"on\" or \"off\", got \(call[2].described)")
    }
    let place = call.origin
    try run.ask(call) { try $0.setGate(name, isOpen: position == "on", at: place) }
  }

  private static func runLine(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    let line = try text(call, 1, "t:run needs a line as it is typed at the prompt")
    let place = call.origin
    call.results.append(try run.ask(call) { try $0.run(line, at: place) })
  }

  private static func print(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    run.note(try line(of: call, from: 1, run), call.state.meter)
  }

  /// Arguments as a test prints them.
  private static func line(of call: LuaCall, from first: Int, _ run: PluginTestRun) throws -> String {
    try (first..<max(call.count, first)).map { position in
      if case .table = call.argument(position).kind { return run.described(call[position]) }
      return try call.describe(position)
    }.joined(separator: " ")
  }

  private static func skip(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    guard case .string(let reason) = call[1] else { throw LuaFailure("t:skip needs a reason") }
    throw PluginTestRun.Skip(reason: reason)
  }

  // MARK: Looking

  private static func get(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    let path = try text(call, 1, "t:get needs a path or the name of a projection")
    LuaBridge.write(try run.ask(call) { try $0.value(at: path) }, to: &call.results)
  }

  private static func actions(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    LuaBridge.write(.list(PersistentList(run.host.actions())), to: &call.results)
  }

  private static func equals(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    guard call.count >= 3 else { throw LuaFailure("t:equals takes the value found and the value expected") }
    // Of texts that are no UTF-8 the host sees only that.
    if case .string(let found) = call.argument(1).kind, case .string(let expected) = call.argument(2).kind,
      found.bytes.elementsEqual(expected.bytes)
    {
      return
    }
    let difference: LuaDifference?
    do throws(LuaDifference.Refusal) {
      difference = try LuaDifference.first(expected: call[2], found: call[1])
    } catch {
      throw LuaFailure(error.message)
    }
    guard let difference else { return }
    let (expected, found) = (run.described(difference.expected), run.described(difference.found))
    let place = difference.path.isEmpty ? "not equal" : "not equal at \(difference.path)"
    throw run.unmet(
      // As where a character is spelt in two ways.
      expected == found ? "\(place): the bytes of the texts differ" : place,
      details: ["expected  \(expected)", "got       \(found)"], call)
  }

  private static func ok(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    guard !call[1].isTruthy else { return }
    if case .string(let message) = call[2] { throw run.unmet(message, call) }
    throw run.unmet("expected something true, got \(run.described(call[1]))", call)
  }

  private static func fails(_ call: inout LuaCall, _ run: PluginTestRun) throws {
    guard case .string(let code) = call[1], case .function(let body) = call[2] else {
      throw LuaFailure("t:fails needs the code of an error and a function: t:fails(\"out-of-range\", function() … end)")
    }
    let error: LuaError
    do {
      // The cost of the function counts as the test's.
      let state = call.state
      _ = try state.timed { () throws(LuaError) in try state.call(body) }
      throw run.unmet("expected error[\(code)], but nothing failed", call)
    } catch let raised as LuaError {
      error = raised
    }
    if error.origin is PluginTestRun.Skip { throw error }
    switch error.kind {
    // The test itself was stopped.
    case .instructions, .time, .interrupted, .memory: throw error
    case .syntax, .runtime, .notText: break
    }
    guard let failure = error.origin as? PluginTestFailure else {
      guard code != ErrorCode.luaError.rawValue else { return call.results.append(error.detail) }
      throw run.unmet(
        "expected error[\(code)], got another", details: ["error[lua-error]: \(error.message)"], call)
    }
    guard let found = failure.code else { throw error }
    guard found.rawValue == code else {
      throw run.unmet("expected error[\(code)], got another", details: [failure.headline], call)
    }
    call.results.append(failure.message)
  }

  // MARK: Arguments

  private static func text(_ call: borrowing LuaCall, _ index: Int, _ message: String) throws -> String {
    guard case .string(let text) = call[index] else { throw LuaFailure("\(message), got \(call[index].described)") }
    return text
  }

  private static func value(_ lua: LuaValue) throws(SchemaError) -> Value {
    try LuaBridge.value(of: lua) { (_) throws(SchemaError) in
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "an object of the shell"))
    }
  }
}

extension PluginTestRun {
  /// A value on one line, as Lua writes it.
  func described(_ lua: LuaValue) -> String {
    let value = try? LuaBridge.value(of: lua) { (_) throws(SchemaError) in .none }
    guard let value else { return lua.described }
    let text = host.text(of: value)
    return text.count <= 400 ? text : text.prefix(400) + "…"
  }
}
