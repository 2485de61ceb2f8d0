import LuaRuntime
import StoreModules
import StoreSchema

/// The Lua state of a plugin, and what each call of the plugin's functions goes through.
final class PluginMachine {
  let lua: LuaState
  /// The caller of the functions that are called often.
  let caller: LuaCaller
  let objects: SliceObjects
  let calls: PluginCalls
  let log: PluginLog
  /// The files that the plugin's code has required.
  let modules: RequiredModules
  /// The time that the plugin's middlewares have worked.
  let workingTime = WorkingTime()

  init(
    _ lua: LuaState, _ caller: LuaCaller, _ objects: SliceObjects, _ calls: PluginCalls, _ log: PluginLog,
    _ modules: RequiredModules
  ) {
    self.lua = lua
    self.caller = caller
    self.objects = objects
    self.calls = calls
    self.log = log
    self.modules = modules
  }

  /// The name of the plugin's module.
  var name: String { calls.faults.manifest.name }

  /// Runs a function of the plugin that reads the state.
  ///
  /// - Parameters:
  ///   - place: the name of the function in faults.
  ///   - signature: the parameters of the function.
  func run<Result>(
    _ view: any StateView, _ place: @autoclosure () -> String, signature: FunctionSignature? = nil,
    _ body: () throws(LuaError) -> Result
  ) throws(PluginError) -> Result {
    do throws(LuaError) {
      return try reading(view, body)
    } catch {
      throw calls.faults.runtime(place(), error, signature: signature)
    }
  }

  /// Runs something that reads the state; what it takes over from Lua counts as the plugin's memory meanwhile.
  func reading<Result>(_ view: any StateView, _ body: () throws(LuaError) -> Result) throws(LuaError) -> Result {
    let outer = objects.viewInUse
    defer {
      objects.viewInUse = outer
      if outer == nil { objects.endCall() }
    }
    return try withUnsafePointer(to: view) { (view) throws(LuaError) in
      objects.viewInUse = view
      return try lua.metered(body)
    }
  }
}
