import LuaRuntime
import StoreSchema

/// How Lua counts and walks slices: records by declared fields, lists by position, maps by key (R31).
extension SliceObjects {
  func length(_ object: LuaObject) throws -> Int {
    let node = try node(object)
    var count = 0
    switch node.schema.access.parts {
    case .list(let access): read(Int(object.id)) { count = access.count($0) }
    case .map(let access): read(Int(object.id)) { count = access.count($0) }
    default: throw LuaFailure("attempt to get length of \(label(Int(object.id))), which is no list")
    }
    return count
  }

  func next(
    _ object: LuaObject, after previous: LuaKeyArgument?, key: inout LuaResult, value: inout LuaResult
  ) throws -> Bool {
    if object.tag == Tag.state { return try nextModule(after: previous, key: &key, value: &value) }
    let node = try node(object)
    let index = Int(object.id)
    switch (node.schema.access.parts, node.schema.kind) {
    case (.record(let access), .record(let record)):
      var position = 0
      if case .string(let text) = previous { position = (node.keys?.index(of: text) ?? record.fields.count) + 1 }
      guard position < record.fields.count else { return false }
      key.append(record.fields[position].name)
      read(index) {
        access.read($0, position) { write(record.fields[position].schema, $0, index, .field(position), to: &value) }
      }
      return true
    case (.list(let access), .list(let element)):
      var position = 0
      if case .integer(let number) = previous { position = number }
      var found = false
      read(index) { list in
        guard position < access.count(list) else { return }
        found = true
        access.read(list, position) { write(element, $0, index, .element(position), to: &value) }
      }
      if found { key.append(position + 1) }
      return found
    case (.map(let access), .map(let kind, let element)):
      var nextKey: MapKey?
      read(index) { nextKey = access.nextKey($0, previous?.mapKey(kind)) }
      guard let nextKey else { return false }
      switch nextKey {
      case .int(let number): key.append(number)
      case .string(let text): key.append(text)
      }
      read(index) { _ = access.read($0, nextKey) { write(element, $0, index, .entry(nextKey), to: &value) } }
      return true
    default: return false
    }
  }

  private func nextModule(
    after previous: LuaKeyArgument?, key: inout LuaResult, value: inout LuaResult
  ) throws -> Bool {
    let names = (view?.moduleNames ?? []).filter { refusal($0) == nil }
    let position = previous.flatMap { names.firstIndex(of: $0.text) }.map { $0 + 1 } ?? 0
    guard position < names.count else { return false }
    key.append(names[position])
    try getModule(names[position], into: &value)
    return true
  }
}
