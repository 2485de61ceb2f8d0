import LuaRuntime
import StoreCore
import StoreSchema

/// Projections and the last call of a plugin.
extension Plugin {
  /// Computes a projection.
  ///
  /// - Throws: ``PluginError`` where its function fails or its result is not of the declared type.
  public func project(_ name: String, view: any StateView) throws(PluginError) -> Value {
    guard let index = definition.projections.firstIndex(where: { $0.type.name == name }) else {
      throw calls.faults.make(.runtime, "no projection '\(name)'")
    }
    let (projection, cache) = (definition.projections[index], projectionCaches[index])
    if let value = cache.value(in: view) { return value }
    cache.noteRun()
    let place = "projection '\(module.name).\(name)'"
    let watched = projection.function
    let fault = calls.faults.impure(place, mayOnly: "projections may only read state")
    if watched.isImpure, purity != .off {
      throw calls.faults.idle(place, watched, since: "before", mayOnly: "projections may only read state")
    }
    (calls.isProjecting, calls.slicesRead) = (true, [])
    defer {
      (calls.isProjecting, calls.slicesRead) = (false, nil)
      modules.forget()
    }
    let value = try run(view, place) { () throws(LuaError) in
      let digest = try watched.digestBefore(purity, lua)
      if digest != nil, let name = try watched.disturbance(lua) {
        let fault = calls.faults.disturbed(place, by: name, mayOnly: "projections may only read state")
        throw LuaError(kind: .runtime, message: fault.message, underlying: fault)
      }
      let outcome = Result { () throws(LuaError) in
        try lua.call(watched.function, arguments: { $0.append(SliceObjects.stateObject) })
      }
      if let digest, try watched.hasChanged(since: digest, lua) {
        throw LuaError(kind: .runtime, message: fault.message, underlying: fault)
      }
      if try modules.takeChanges(lua), purity != .off {
        watched.noteImpurity()
        let fault = calls.faults.impure(
          place, changed: "a module that it requires", mayOnly: "projections may only read state")
        throw LuaError(kind: .runtime, message: fault.message, underlying: fault)
      }
      let result = try outcome.get().first ?? .nil
      do throws(SchemaError) {
        return try projection.type.schema.check(try objects.value(of: result))
      } catch {
        throw LuaError(kind: .runtime, message: error.message, underlying: error)
      }
    }
    cache.keep(value, reading: calls.slicesRead ?? [], in: view)
    return value
  }

  /// Tells the plugin that it is about to go.
  public func unload(view: any StateView) throws(PluginError) {
    guard let function = definition.onUnload else { return }
    calls.isContextOpen = true
    defer { calls.isContextOpen = false }
    _ = try run(view, "on_unload") { () throws(LuaError) in
      try lua.call(function, arguments: { calls.appendContext(to: &$0) })
    }
  }
}

/// What a command of a plugin gave.
public enum CommandResult: Sendable {
  /// Nothing.
  case nothing
  /// Text to print as it is.
  case text(String)
  /// A value to show.
  case value(Reading)
}

/// What a command of a plugin may do with the shell.
public protocol PluginCommandHost: AnyObject {
  /// Has an action processed.
  func dispatch(_ call: ActionCall, source: ActionSource) throws
  /// The value at a path or of a projection, and its type.
  func read(_ path: String) throws -> Reading
  /// Prints a line.
  func print(_ text: String)
  /// Lets time pass until what is waited for is there.
  ///
  /// - Returns: the action that ended the wait; nil: the time is over.
  func wait(_ wait: PluginWait) throws -> AwaitedAction?
}
