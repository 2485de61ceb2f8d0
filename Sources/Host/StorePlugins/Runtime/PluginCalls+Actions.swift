import LuaRuntime
import StoreCore
import StoreSchema

/// How Lua says which action it means: by name and arguments, as a table `{ name = …, args = … }`, or by the action that it
/// was given.
extension PluginCalls {
  /// The action that Lua wants to dispatch, checked, where the plugin may dispatch it.
  ///
  /// - Parameter isRefusal: whether a refusal tells its hint apart from its message.
  func makeAction(
    _ action: LuaValue, _ arguments: LuaValue, _ objects: SliceObjects, for function: String, isRefusal: Bool
  ) throws -> ActionCall {
    let (type, given) = try namedAction(action, arguments, objects, for: function)
    guard mayDispatch(type) else {
      let hint = "add \"dispatch:\(type.fullName)\" to permissions in plugin.json"
      let refusal = "may not dispatch '\(type.fullName)'"
      if isRefusal { throw PluginRefusal(description: refusal, hint: hint) }
      throw LuaFailure("\(refusal) (\(hint))")
    }
    return try dispatched(type, given, objects)
  }

  /// The action of a type that the plugin declares, which it may dispatch.
  func makeAction(of type: ActionType, _ arguments: LuaValue, _ objects: SliceObjects) throws -> ActionCall {
    try dispatched(type, .lua(arguments), objects)
  }

  private func dispatched(_ type: ActionType, _ given: LuaArguments, _ objects: SliceObjects) throws -> ActionCall {
    if type.module != faults.manifest.name { permissions.noteDispatch(type) }
    return try call(of: type, given, objects)
  }

  /// The action that Lua means, checked, whether or not the plugin may dispatch it.
  func readAction(
    _ action: LuaValue, _ arguments: LuaValue, _ objects: SliceObjects, for function: String
  ) throws -> ActionCall {
    let (type, given) = try namedAction(action, arguments, objects, for: function)
    return try call(of: type, given, objects)
  }

  private func namedAction(
    _ action: LuaValue, _ arguments: LuaValue, _ objects: SliceObjects, for function: String
  ) throws -> (ActionType, LuaArguments) {
    switch action {
    case .table(let table) where table["name"] != .nil:
      return (try self.action(table["name"], for: function), .lua(table["args"]))
    case .object(let object):
      guard object.tag == SliceObjects.Tag.facade, let facade = objects.facades[object.id] as? ActionFacade else {
        throw LuaFailure("\(function) needs the name of an action, got \(action.described)")
      }
      guard let call = facade.current else {
        throw LuaFailure("this \(facade.name) was valid only during the call that gave it")
      }
      return (call.type, .checked(call.arguments))
    default: return (try self.action(action, for: function), .lua(arguments))
    }
  }

  private enum LuaArguments {
    case lua(LuaValue)
    case checked([Value])
  }

  private func call(of type: ActionType, _ given: LuaArguments, _ objects: SliceObjects) throws -> ActionCall {
    switch given {
    case .checked(let arguments): return ActionCall(type, arguments)
    case .lua(let value):
      do throws(SchemaError) {
        if case .nil = value { return try type.call([]) }
        return try type.call(LuaBridge.arguments(named: try objects.value(of: value)))
      } catch {
        throw LuaFailure(type.sentence(for: error))
      }
    }
  }
}
