import LuaRuntime
import StoreSchema

/// Lua's counts and walks of slices: records by declared fields, lists by position, maps by key (R31).
extension SliceObjects {
  /// A walk through the keys that a map had when it began; those that are gone by the time of their turn are passed over.
  struct MapWalk {
    private let keys: [MapKey]
    private var position = -1

    init(keys: [MapKey]) { self.keys = keys }

    /// The key that was handed out last; nil at both ends.
    var current: MapKey? { keys.indices.contains(position) ? keys[position] : nil }

    mutating func advance() { position += 1 }
  }

  func length(_ object: LuaObject) throws -> Int {
    let number = try number(of: object)
    var count = 0
    let shape = shape(number)
    switch shape.form {
    case .list: look(number) { count = shape.list.count($0) }
    case .integerMap, .textMap: look(number) { count = shape.map.count($0) }
    default: throw LuaFailure("attempt to get length of \(label(number)), which is no list")
    }
    return count
  }

  func next(_ object: LuaObject, after previous: LuaArgument?, into result: inout LuaResult) throws -> Bool {
    if object.tag == Tag.state { return try nextModule(after: previous, into: &result) }
    let number = try number(of: object)
    guard number < LuaObject.maximumID else {
      throw LuaFailure("more than \(LuaObject.maximumID) parts of the state are in use")
    }
    let shape = shape(number)
    switch shape.form {
    case .record:
      var position = 0
      if case .string(let text) = previous?.kind { position = (shape.position(of: text) ?? shape.fields.count) + 1 }
      guard position < shape.fields.count else { return false }
      result.append(fieldName(number, position))
      readField(number, shape, position, into: &result)
      return true
    case .list:
      var position = 0
      if case .integer(let number) = previous?.kind { position = number }
      var found = false
      look(number) { list in
        guard position >= 0, position < shape.list.count(list) else { return }
        found = true
        result.append(position + 1)
        write(shape.element, shape.list.address(list, position), false, number, .element(position), to: &result)
      }
      return found
    case .integerMap, .textMap:
      var nextKey: MapKey?
      look(number) { nextKey = self.key(after: previous.flatMap { shape.mapKey($0) }, of: number, shape.map, at: $0) }
      guard let nextKey else { return false }
      switch nextKey {
      case .int(let number): result.append(number)
      case .string(let text): result.append(text)
      }
      readEntry(number, shape, nextKey, into: &result)
      return true
    case .none: return false
    }
  }

  /// The key behind another in a map; behind none, the first. A map that keeps no order sorts its keys once a walk.
  private func key(after previous: MapKey?, of number: Int, _ access: MapAccess, at map: UnsafeRawPointer) -> MapKey? {
    guard let sortedKeys = access.sortedKeys else { return access.nextKey(map, previous) }
    if previous == nil { walks[number] = MapWalk(keys: sortedKeys(map) { _ in true }) }
    guard walks[number] != nil, walks[number]?.current == previous else { return access.nextKey(map, previous) }
    repeat { walks[number]?.advance() } while walks[number]?.current.map { !access.read(map, $0) { _ in } } ?? false
    guard let key = walks[number]?.current else {
      walks[number] = nil
      return nil
    }
    return key
  }

  private func nextModule(after previous: LuaArgument?, into result: inout LuaResult) throws -> Bool {
    let names = (view?.moduleNames ?? []).filter { refusal($0) == nil }
    let position = previous.flatMap { names.firstIndex(of: $0.keyText) }.map { $0 + 1 } ?? 0
    guard position < names.count else { return false }
    result.append(names[position])
    try getModule(names[position], into: &result)
    return true
  }
}
