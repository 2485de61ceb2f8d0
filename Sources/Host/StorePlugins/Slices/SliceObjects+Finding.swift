import LuaRuntime
import StoreSchema

/// Lua's look for an element of a list by its id: `state.tasks.items:id(3)`.
extension SliceObjects {
  /// The name of the method that a list has beside its indices.
  static let finderName = "id"

  /// Writes the method, which is the same for all lists.
  func writeFinder(into result: inout LuaResult) throws {
    let finder = try self.finder ?? state.makeFunction { [unowned self] call in try find(&call) }
    self.finder = finder
    result.append(finder)
  }

  /// Answers with the first element of an id; nothing where there is none.
  private func find(_ call: inout LuaCall) throws {
    guard case .object(let object) = call.argument(0).kind, object.tag == Tag.node else {
      throw LuaFailure("id is a method of lists: state.tasks.items:id(3)")
    }
    let number = try number(of: object)
    let shape = shape(number)
    guard shape.hasIDs else { throw LuaFailure("\(path(number)) is \(shape.schema.typeName); its items have no id") }
    let id: MapKey
    switch call.argument(1).kind {
    case .integer(let number): id = .int(number)
    case .string(let text): id = .string(text.text)
    default: throw LuaFailure("\(path(number)):id takes an integer or a text")
    }
    var position: Int?
    look(number) { position = shape.list.position($0, id) }
    // The list notes where ids are: what was reached for change before is reached anew.
    if nodes[number].draft != 0 { time += 1 }
    guard let position else { return call.results.appendNil() }
    readElement(number, shape, position, into: &call.results)
  }
}
