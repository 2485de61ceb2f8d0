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

  func next(_ object: LuaObject, after previous: LuaArgument?, isWalk: Bool, into result: inout LuaResult) throws
    -> Bool
  {
    if object.tag == Tag.state { return try nextModule(after: previous, into: &result) }
    let number = try number(of: object)
    guard number < LuaObject.maximumID else {
      throw LuaFailure("more than \(LuaObject.maximumID) parts of the state are in use")
    }
    let shape = shape(number)
    if let previous, !isWalk { try requireKnown(previous, number, shape) }
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

  /// Refuses a key that a part of the state does not have, nor had before this call took it away.
  private func requireKnown(_ key: LuaArgument, _ number: Int, _ shape: SliceShape) throws {
    var isKnown = false
    switch (shape.form, key.kind) {
    case (.record, .string(let text)): isKnown = shape.position(of: text) != nil
    case (.list, .integer(let position)):
      look(number) { isKnown = position >= 1 && position <= shape.list.count($0) + removals(from: number) }
    case (.integerMap, _), (.textMap, _):
      guard let key = shape.mapKey(key) else { break }
      look(number) { isKnown = shape.map.read($0, key) { _ in } }
      isKnown = isKnown || hadEntry(number, key)
    default: break
    }
    guard isKnown else { throw Self.unknownKey(key, in: label(number)) }
  }

  private static func unknownKey(_ key: LuaArgument, in label: String) -> LuaFailure {
    LuaFailure("invalid key to 'next': \(label) has no \(key.keyText)")
  }

  /// The number of elements that this call took out of a list.
  private func removals(from list: Int) -> Int {
    (0..<undos.count).count { position in
      if case .removed = undos[position].change { return undos[position].node == list }
      return false
    }
  }

  /// True if a map had an entry at a time of this call.
  private func hadEntry(_ map: Int, _ key: MapKey) -> Bool {
    (0..<undos.count).contains { position in
      if case .entry(key, .some) = undos[position].change { return undos[position].node == map }
      return false
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
    var position = 0
    if let previous {
      guard let last = names.firstIndex(of: previous.keyText) else { throw Self.unknownKey(previous, in: "state") }
      position = last + 1
    }
    guard position < names.count else { return false }
    result.append(names[position])
    try getModule(names[position], into: &result)
    return true
  }
}
