import LuaRuntime
import StoreSchema

/// Puts what Lua raised into the words that users of plugins read.
struct PluginFaults {
  let manifest: PluginManifest

  func make(_ code: PluginError.Code, _ message: String, hint: String? = nil) -> PluginError {
    PluginError(code, of: manifest.name, message, hint: hint)
  }

  /// A fault while loading.
  func load(_ error: LuaError) -> PluginError {
    if let own = error.underlying as? PluginError { return own }
    guard let stop = stop(of: error) else { return raised(.load, error, error.message) }
    if stop.code == .budget { return stopped(stop.code, "init.lua ran too long", error) }
    return stopped(stop.code, "init.lua \(stop.text)", error)
  }

  /// The reason that ended a call before its own end, and its text in messages. Nil: Lua code, or a function that it
  /// called, raised an error.
  private func stop(of error: LuaError) -> (code: PluginError.Code, text: String)? {
    switch error.kind {
    case .instructions:
      (.budget, "used more than \(grouped(manifest.limits.instructions)) VM instructions")
    case .time: (.budget, "took longer than 1 s")
    case .interrupted: (.interrupted, "was interrupted")
    case .memory: (.memory, "needed more than \(memory)")
    case .syntax, .runtime, .notText: nil
    }
  }

  private func stopped(_ code: PluginError.Code, _ message: String, _ error: LuaError) -> PluginError {
    PluginError(
      code, of: manifest.name, message + (code == .interrupted ? "" : " and was stopped"),
      trace: code == .budget ? trace(of: error) : [])
  }

  /// The fault of what Lua code raised.
  private func raised(
    _ code: PluginError.Code, _ error: LuaError, _ message: String, hint: String? = nil
  ) -> PluginError {
    PluginError(
      code: code, plugin: manifest.name, detail: message, trace: trace(error.traceback.map { "\($0)" }), hint: hint,
      namesPlace: error.chunk != nil)
  }

  /// Does a part of loading.
  func loading<Result>(_ body: () throws(LuaError) -> Result) throws(PluginError) -> Result {
    do throws(LuaError) {
      return try body()
    } catch {
      throw load(error)
    }
  }

  /// A function that must be pure changed what it captures, or something else that stays.
  func impure(_ place: String, changed what: String, mayOnly allowed: String) -> PluginError {
    make(.impure, "\(place) changed \(what); \(allowed)", hint: PluginFaults.impurityHint)
  }

  /// A function that was seen to be impure is not called any more.
  ///
  /// - Parameter culprit: when it was seen.
  func idle(_ place: String, since culprit: String, mayOnly allowed: String) -> PluginError {
    make(
      .impure, "\(place) is no longer called, because \(culprit) it changed a value that it captures; \(allowed)",
      hint: "\(PluginFaults.impurityHint), then plugin reload \(manifest.name)")
  }

  static let impurityHint = "keep the value in the plugin's state"

  /// A fault of a reducer: the state is unchanged.
  ///
  /// - Parameter arguments: the names of those that the action has.
  func reducer(_ name: String, _ error: LuaError, arguments: [String] = []) -> PluginError {
    let place = "reducer '\(name)'"
    if let refusal = error.underlying as? DeliberateRefusal { return make(.refused, refusal.reason) }
    if let schema = error.underlying as? SchemaError {
      return make(.schema, "\(place) left invalid state: \(schema.message)", hint: Self.hint(for: schema))
    }
    if error.kind == .time {
      // No deadline ends a reducer: the message says how long it worked, and on how little.
      return PluginError(
        .budget, of: manifest.name, "\(place) \(error.detail) and was stopped", trace: trace(of: error))
    }
    let fault = runtime(place, error)
    return fault.hint == nil ? fault.with(hint: FunctionSignature.reducerHint(for: error, arguments: arguments)) : fault
  }

  private static func hint(for error: SchemaError) -> String {
    let unchanged = "state is unchanged"
    // The result of `/` is never an integer in Lua.
    guard case .typeMismatch("Int", _, .double(let number)) = error.problem, Int(exactly: number) != nil else {
      return unchanged
    }
    return unchanged + "; // divides without a fraction, math.tointeger makes an integer of a whole number"
  }

  /// A fault of any other function. A mistake of another function that a plugin calls stays the fault of that function.
  ///
  /// - Parameter signature: the parameters of the function.
  func runtime(_ place: String, _ error: LuaError, signature: FunctionSignature? = nil) -> PluginError {
    if let nested = error.underlying as? PluginError { return nested }
    if let refusal = error.underlying as? DeliberateRefusal { return make(.refused, refusal.reason) }
    if let nested = error.underlying as? DispatchOverrun { return overrun(place, nested, trace: trace(of: error)) }
    guard let stop = stop(of: error) else {
      return raised(.runtime, error, "\(place): \(error.message)", hint: signature?.hint(for: error))
    }
    return stopped(stop.code, "\(place) \(stop.text)", error)
  }

  /// A function dispatched more in one call than one dispatch may cause.
  func overrun(_ place: String, _ overrun: DispatchOverrun, trace: [String] = []) -> PluginError {
    PluginError(
      .budget, of: manifest.name, "\(place) \(overrun) and was stopped", trace: trace,
      hint: "one dispatch may cause so many; set runaway N allows more")
  }

  /// All calls for one dispatch took longer than they may together.
  func overtime(_ place: String) -> PluginError {
    make(
      .budget,
      "\(place) was not called: the plugin's middlewares have worked \(WorkingTime.most / 1000) s for one dispatch already"
    )
  }

  /// A fault of a task or a thunk, which has ended by it.
  func task(_ name: String, _ error: LuaError, word: String = "task") -> PluginError {
    if let limit = error.underlying as? PluginError {
      return PluginError(limit.code, of: limit.plugin, limit.detail, trace: trace(of: error) + ["in \(word) '\(name)'"])
    }
    guard let stop = stop(of: error) else {
      let refusal = error.underlying as? PluginRefusal
      return raised(
        .task, error, "\(word) '\(name)' failed: \(refusal?.description ?? error.message)",
        hint: refusal?.hint ?? (word == "thunk" ? FunctionSignature.thunk.hint(for: error) : nil))
    }
    guard stop.code != .interrupted else { return make(.interrupted, "\(word) '\(name)' \(stop.text)") }
    return PluginError(
      .task, of: manifest.name, "\(word) '\(name)' failed: \(stop.text)",
      trace: stop.code == .budget ? trace(of: error) : [])
  }

  /// The same where the host says what is wrong.
  func task(_ name: String, _ reason: String) -> PluginError {
    make(.task, "task '\(name)' failed: \(reason)")
  }

  private func trace(of error: LuaError) -> [String] {
    if !error.traceback.isEmpty, error.kind == .runtime { return trace(error.traceback.map { "\($0)" }) }
    guard let chunk = error.chunk, let line = error.line, error.kind != .syntax else { return [] }
    return trace(["\(chunk):\(line)"])
  }

  /// The places of a traceback, those in the shell's own Lua left out.
  private func trace(_ places: [String]) -> [String] {
    places.filter { !$0.hasPrefix("prelude:") }.map { "at \($0)" }
  }

  private var memory: String {
    let bytes = manifest.limits.memory
    return bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}

/// A number with its digits in groups of three.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number))
  for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert("_", at: index) }
  return String(digits)
}
