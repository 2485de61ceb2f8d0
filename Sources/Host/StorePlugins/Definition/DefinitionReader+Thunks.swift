import LuaRuntime
import StoreModules
import StoreSchema

extension PluginDefinition {
  /// A thunk.
  struct Thunk {
    let type: ThunkType
    let run: LuaFunction
  }
}

/// A thunk that a plugin or a Swift module declares (R20), as the shell knows it.
public struct ThunkType: Sendable {
  /// The action that carries it: `thunk:MODULE.NAME`, with the declared arguments.
  public let action: ActionType
  /// The module's name and its own: `MODULE.NAME`.
  public let fullName: String
  /// True if it takes any arguments by name, because it declares none.
  public let takesAny: Bool

  /// A thunk of a module.
  package init(module: String, name: String, fields: [Field], documentation: String, takesAny: Bool) {
    action = ThunkType.carrier(module, name, fields, documentation)
    fullName = "\(module).\(name)"
    self.takesAny = takesAny
  }

  /// The written form of the thunk: `stock.restock upTo:Int`.
  public var signature: String { ([fullName] + action.fields.map(\.signature)).joined(separator: " ") }

  /// The action type that carries a thunk: `thunk:` before its module tells it from all others.
  private static func carrier(_ module: String, _ name: String, _ fields: [Field], _ text: String) -> ActionType {
    ActionType(module: "thunk:\(module)", name: name, fields: fields, documentation: text)
  }

  /// The action that carries the thunk with arguments that it did not declare.
  public func call(_ named: [(name: String, value: Value)]) -> ActionCall {
    let type = ActionType(
      module: action.module, name: action.name, fields: named.map { Field($0.name, .dynamic(.any)) },
      documentation: action.documentation)
    return ActionCall(type, named.map(\.value))
  }
}

extension DefinitionReader {
  /// Reads `thunks`: `NAME = function(args, t)`, or `NAME = { args = {field…}, doc = …, run = function(args, t) }`.
  func thunks(_ value: LuaValue) throws(PluginError) -> [PluginDefinition.Thunk] {
    guard let table = try optionalTable(value, "thunks") else { return [] }
    var thunks: [PluginDefinition.Thunk] = []
    for (key, value) in table.entries() {
      guard case .string(let name) = key, name.isName else {
        throw types.fault(
          "the keys of thunks must be names, got \(key.described)", hint: "write: NAME = function(args, t) … end")
      }
      thunks.append(try thunk(name, value))
    }
    return thunks
  }

  private func thunk(_ name: String, _ value: LuaValue) throws(PluginError) -> PluginDefinition.Thunk {
    let place = "thunk '\(name)'"
    guard case .table(let entry) = value else {
      guard case .function(let run) = value else {
        throw types.fault("\(place) must be function(args, t) or a table with run, got \(value.described)")
      }
      let type = ThunkType(module: manifest.name, name: name, fields: [], documentation: "", takesAny: true)
      return PluginDefinition.Thunk(type: type, run: run)
    }
    try check(entry, place, keys: ["args", "doc", "run"])
    guard let run = try optionalFunction(entry["run"], "\(place): run") else {
      throw types.fault("\(place) needs run = function(args, t) … end")
    }
    let type = ThunkType(
      module: manifest.name, name: name, fields: try types.fields(entry["args"], place, key: "args"),
      documentation: try text(entry["doc"], "\(place): doc"), takesAny: entry["args"] == .nil)
    return PluginDefinition.Thunk(type: type, run: run)
  }
}
