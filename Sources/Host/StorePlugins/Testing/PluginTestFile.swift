import LuaRuntime
import StoreSchema

/// A file of a plugin's tests, run in a Lua state of its own: the sandbox of plugins, and the words `test` and `log`.
public final class PluginTestFile {
  /// The file's path within the plugin's folder.
  public let path: String
  /// The names of its tests, in the order of the file.
  public private(set) var names: [String] = []

  private let lua: LuaState
  private var bodies: [LuaFunction] = []
  /// True if the file has run, and so has declared its tests.
  private var isComplete = false
  private var calling: LuaFunction?
  /// The objects that speak for the running test: first the methods of the whole file, then the `t` of each test, which
  /// code may keep.
  private var methods: [PluginTestMethods] = []

  /// The limits of a test: the same as for a script that is in a hurry.
  private static let limits = LuaState.Limits(instructions: 50_000_000, memory: 64 << 20, milliseconds: 10_000)

  /// Runs a file, which declares its tests and runs none.
  ///
  /// - Throws: ``PluginTestFailure`` where it cannot be read or is no Lua, or where its own lines fail.
  public init(_ path: String, of source: PluginSource) throws(PluginTestFailure) {
    self.path = path
    let file: (text: String, chunk: String)
    do throws(PluginError) {
      file = try source.lua(path)
    } catch {
      throw PluginTestFailure(code: .noSuchFile, error.message)
    }
    do throws(LuaError) {
      lua = try LuaState(limits: Self.limits)
      try lua.setGlobal("test", .function(try makeTest()))
      try lua.setGlobal("require", .function(try RequiredModules(source, FunctionNames()).makeFunction(in: lua)))
      calling = try Self.function(in: lua, "return function(body, t) body(t) end")
      let methods = try PluginTestMethods(in: lua)
      try lua.setGlobal("log", .table(methods.log))
      self.methods = [methods]
      _ = try lua.call(try lua.load(file.text, chunkName: file.chunk))
      isComplete = true
    } catch {
      throw Self.failure(error, code: error.kind == .syntax ? .luaSyntax : .luaError)
    }
  }

  /// Stops the test that runs, if one does; may be called from any thread.
  public var interrupt: @Sendable () -> Void {
    let interruption = lua.interruption
    return { interruption.interrupt() }
  }

  private static func function(in lua: LuaState, _ text: String) throws(LuaError) -> LuaFunction? {
    guard case .function(let function) = try lua.call(try lua.load(text, chunkName: "test")).first else { return nil }
    return function
  }

  private func makeTest() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [unowned self] call in
      guard case .string(let name) = call[0], case .function(let body) = call[1] else {
        throw LuaFailure("test needs a name and a function: test(\"it counts\", function(t) … end)")
      }
      guard !isComplete else {
        throw LuaFailure("test '\(name)' is declared while another one runs; declare it beside that, not within it")
      }
      guard !names.contains(name) else { throw LuaFailure("there are two tests '\(name)'") }
      names.append(name)
      bodies.append(body)
    }
  }

  /// Runs one of the tests.
  ///
  /// - Parameter host: its store and its clock.
  public func run(_ index: Int, host: any PluginTestHost) -> PluginTestOutcome {
    guard let calling, let shared = methods.first else {
      return PluginTestOutcome(name: names[index], result: .failed(PluginTestFailure("the file has no tests")))
    }
    let run = PluginTestRun(host)
    let result: PluginTestOutcome.Result
    do throws(LuaError) {
      let own = try PluginTestMethods(in: lua)
      methods.append(own)
      (shared.run, own.run) = (run, run)
      defer { (shared.run, own.run) = (nil, nil) }
      _ = try lua.call(calling, [.function(bodies[index]), .table(own.table)])
      // An expectation whose error `pcall` swallowed does not hold all the same.
      result = run.firstUnmet.map { .failed($0) } ?? .passed
    } catch {
      if let skip = error.origin as? PluginTestRun.Skip {
        result = .skipped(skip.reason)
      } else {
        result = .failed(Self.failure(error, code: nil))
      }
    }
    return PluginTestOutcome(name: names[index], result: result, lines: run.lines)
  }

  /// The failure that stands for an error, with the lines of the file that led to it.
  static func failure(_ error: LuaError, code: ErrorCode?) -> PluginTestFailure {
    let trace = error.traceback.filter { $0.chunk != "test" }
    var failure: PluginTestFailure
    if let own = error.origin as? PluginTestFailure {
      failure = own
    } else {
      failure = PluginTestFailure(code: code, reason(error))
      failure.place = error.chunk.flatMap { chunk in error.line.map { PluginTestPlace(file: chunk, line: $0) } }
    }
    if failure.place == nil { failure.place = trace.first.map { PluginTestPlace(file: $0.chunk, line: $0.line) } }
    // The place is the innermost of the lines.
    failure.details += trace.dropFirst().prefix(4).map { frame in
      frame.what == "in local 'body'" ? "at \(frame.chunk):\(frame.line): in the test" : "at \(frame)"
    }
    return failure
  }

  private static func reason(_ error: LuaError) -> String {
    switch error.kind {
    case .instructions: "used more than 50_000_000 VM instructions and was stopped"
    case .time: "took longer than 10 s and was stopped"
    case .interrupted: "was interrupted"
    case .memory: "needed more than 64 MiB and was stopped"
    case .syntax, .runtime, .notText: error.detail
    }
  }
}

extension LuaError {
  /// The error that the host raised, through however many calls it went.
  var origin: (any Error)? {
    var error = underlying
    while let inner = error as? LuaError { error = inner.underlying }
    return error
  }
}
