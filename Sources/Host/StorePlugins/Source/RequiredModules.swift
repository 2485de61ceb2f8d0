import LuaRuntime

/// The plugin's own files below `lib` that its code has required; each runs once.
final class RequiredModules {
  private let source: PluginSource
  private let names: FunctionNames
  private var loaded: [String: LuaValue] = [:]
  private var loading: [String] = []
  /// True while code runs that may keep no state of its own: the modules that it gets may not change meanwhile.
  var isWatched: () -> Bool = { false }
  /// The modules that such code has got since the last look, and their former digests.
  @exclusivity(unchecked) private var lent: [String: (value: LuaReference, digest: LuaState.CaptureDigest)] = [:]

  init(_ source: PluginSource, _ names: FunctionNames) {
    self.source = source
    self.names = names
  }

  /// Makes the function `require`.
  func makeFunction(in lua: LuaState) throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [self] call in
      guard case .string(let name) = call[0] else { throw LuaFailure("require needs a name such as \"lib.dates\"") }
      let value = try loaded[name] ?? run(name, in: call.state)
      loaded[name] = value
      if isWatched() { try lend(name, value, call.state) }
      call.results.append(value)
    }
  }

  /// So many files are each run by the one before, well within what Lua takes of calls within calls.
  private static let maximumDepth = 100

  private func run(_ name: String, in lua: LuaState) throws -> LuaValue {
    guard !loading.contains(name) else {
      throw LuaFailure("'\(name)' requires itself: \((loading + [name]).joined(separator: " -> "))")
    }
    guard loading.count < Self.maximumDepth else {
      throw LuaFailure("'\(name)' is required at the end of a chain of \(Self.maximumDepth) files; require it earlier")
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "lib", parts.allSatisfy({ String($0).isName }) else {
      throw LuaFailure("require finds only the plugin's own files below lib: require(\"lib.dates\"), not '\(name)'")
    }
    let file: (text: String, chunk: String)
    do throws(PluginError) {
      file = try source.lua(parts.joined(separator: "/") + ".lua")
    } catch {
      throw LuaFailure(error.message(withoutName: source.manifest.name))
    }
    // Reading it takes its time, and again where it fails and is asked for once more.
    lua.meter.work(file.text.utf8.count / 2)
    names.note(file.text, file.chunk)
    loading.append(name)
    defer { loading.removeLast() }
    return try lua.call(try lua.loadModule(file.text, chunkName: file.chunk)).first ?? .boolean(true)
  }

  // MARK: What may not change

  private func lend(_ name: String, _ value: LuaValue, _ lua: LuaState) throws(LuaError) {
    guard lent[name] == nil else { return }
    switch value {
    case .table(let table): lent[name] = (table, try lua.digestOfCaptures(table))
    case .function(let function): lent[name] = (function, try lua.digestOfCaptures(function))
    default: break
    }
  }

  /// True if nothing is watched.
  var isIdle: Bool { lent.isEmpty }

  /// True if a module that watched code has got has changed since this was last asked.
  func takeChanges(_ lua: LuaState) throws(LuaError) -> Bool {
    guard !lent.isEmpty else { return false }
    defer { lent = [:] }
    for (value, digest) in lent.values where try lua.digestOfCaptures(value) != digest { return true }
    return false
  }

  /// Watches no longer what was lent to code that has failed.
  func forget() { lent = [:] }
}
