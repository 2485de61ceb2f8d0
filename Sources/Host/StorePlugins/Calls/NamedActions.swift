import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The actions that a plugin's code may name. Lua names an action by a table `{ name = …, args = … }`, or by the action
/// that it was given.
final class NamedActions {
  private let manifest: PluginManifest
  /// The permissions that the plugin uses.
  private let permissions: PermissionLedger
  /// The actions that the plugin declares, by name; actions of its own module with the module's name and without.
  private let own: [String: ActionType]
  /// The same by the strings that Lua has for those names.
  private var ownKeys: [OwnName] = []
  /// The one that was dispatched last.
  @exclusivity(unchecked) private var recent: OwnName?
  /// An action of another module, by its full name.
  var foreign: (String) -> ActionType?
  /// The full names of the actions of all modules, for suggestions.
  private let foreignNames: () -> [String]

  private typealias OwnName = (key: LuaKey, type: ActionType)

  init(
    _ manifest: PluginManifest, _ permissions: PermissionLedger, own: [String: ActionType], known: KnownModules
  ) {
    self.manifest = manifest
    self.permissions = permissions
    let short = own.values.filter { $0.module == manifest.name }.map { ($0.name, $0) }
    self.own = own.merging(short) { full, _ in full }
    foreign = known.action
    foreignNames = known.actionNames
  }

  /// Has Lua's strings stand for the plugin's own actions.
  func intern(in lua: LuaState) throws(LuaError) {
    ownKeys = try own.map { name, type throws(LuaError) in (try lua.intern(name), type) }
  }

  /// The action of that name, one of the plugin's own with or without its module.
  func action(_ value: LuaValue, for function: String) throws(LuaFailure) -> ActionType {
    guard case .string(let name) = value else {
      let hint =
        switch value {
        case .nil, .table: " (is it called with a colon?)"
        default: ""
        }
      throw LuaFailure("\(function) needs the name of an action, got \(value.described)\(hint)")
    }
    if let type = own[name] { return type }
    guard let type = foreign(name) else {
      let isFull = name.contains(".")
      let names =
        Set(own.values.map { isFull ? $0.fullName : $0.name }).sorted()
        + (isFull ? foreignNames() : [])
      throw LuaFailure("unknown action '\(name)'\(Suggestion.remark(name, among: names))")
    }
    return type
  }

  /// True if the plugin may dispatch an action: its own, or a permitted one.
  func mayDispatch(_ type: ActionType) -> Bool {
    own[type.fullName] === type || manifest.mayDispatch(type)
  }

  /// The action of the plugin's own that a string names, looked up without a copy of it.
  private func ownAction(_ name: LuaArgument) -> ActionType? {
    guard case .string(let text) = name.kind else { return nil }
    if let recent, recent.key == text { return recent.type }
    guard let own = ownKeys.first(where: { $0.key == text }) else { return nil }
    recent = own
    return own.type
  }

  /// The action that a call of `dispatch` names.
  func makeAction(
    _ call: borrowing LuaCall, _ objects: SliceObjects, for element: AddressedElement?, isRefusal: Bool
  ) throws -> ActionCall {
    guard let type = ownAction(call.argument(1)) else {
      return try makeAction(call[1], call[2], objects, for: "dispatch", element, isRefusal: isRefusal)
    }
    return try dispatched(type, .lua(call[2]), objects, element)
  }

  /// The action that Lua wants to dispatch, checked, where the plugin may dispatch it.
  ///
  /// - Parameter isRefusal: true if a refusal tells its hint apart from its message.
  func makeAction(
    _ action: LuaValue, _ arguments: LuaValue, _ objects: SliceObjects, for function: String,
    _ element: AddressedElement? = nil, isRefusal: Bool
  ) throws -> ActionCall {
    let (type, given) = try namedAction(action, arguments, objects, for: function)
    guard mayDispatch(type) else {
      let hint = "add \"dispatch:\(type.fullName)\" to permissions in plugin.json"
      let refusal = "may not dispatch '\(type.fullName)'"
      if isRefusal { throw PluginRefusal(description: refusal, hint: hint) }
      throw LuaFailure("\(refusal) (\(hint))")
    }
    return try dispatched(type, given, objects, element)
  }

  private func dispatched(
    _ type: ActionType, _ given: LuaArguments, _ objects: SliceObjects, _ element: AddressedElement?
  ) throws -> ActionCall {
    if type.module != manifest.name { permissions.noteDispatch(type) }
    return try call(of: type, given, objects, element)
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
      guard let facade = objects.facade(object) else {
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

  /// - Parameter element: the element that the action is for where its argument is left out; nil: none.
  private func call(
    of type: ActionType, _ given: LuaArguments, _ objects: SliceObjects, _ element: AddressedElement? = nil
  ) throws -> ActionCall {
    switch given {
    case .checked(let arguments): return ActionCall(type, arguments)
    case .lua(let value):
      do throws(SchemaError) {
        if case .nil = value, element == nil { return try type.call([]) }
        var arguments = try LuaBridge.arguments(named: try objects.value(of: value))
        if let element, type.fields.contains(where: { $0.name == element.argument }),
          !arguments.contains(where: { $0.name == element.argument })
        {
          arguments.append((element.argument, element.id))
        }
        return try type.call(arguments)
      } catch {
        throw LuaFailure(type.sentence(for: error))
      }
    }
  }
}
