import LuaRuntime
import StoreCore
import StoreSchema

/// How a plugin's middlewares are called.
extension Plugin {
  /// Whether a middleware wants to be asked about an action.
  public func accepts(_ type: ActionType, unit index: Int) -> Bool { middlewares[index].accepts(type) }

  /// Puts a middleware to work.
  ///
  /// - Parameters:
  ///   - view: the state that it reads.
  ///   - output: where what it causes goes.
  public func unit(_ index: Int, view: any StateView, output: any PluginOutput) -> PluginUnit {
    PluginUnit(self, middlewares[index], view, output)
  }

  /// Runs a function of the plugin that reads the state.
  ///
  /// - Parameters:
  ///   - place: what faults call the function.
  ///   - signature: how it is called.
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
