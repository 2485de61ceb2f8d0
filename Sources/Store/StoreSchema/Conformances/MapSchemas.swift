import HashTreeCollections

/// A collection of entries, as seen by its schema.
@usableFromInline
protocol SchematicEntries: Sendable {
  associatedtype Key: SchematicKey
  associatedtype Value: Schematic
  associatedtype Keys: Sequence<Key>
  init()
  var count: Int { get }
  var keys: Keys { get }
  subscript(key: Key) -> Value? { get set }
  /// The way to the entries.
  static var mapAccess: MapAccess { get }
  /// True if two collections have the same keys with equal values.
  static func areEqual(_ left: Self, _ right: Self) -> Bool
}

extension SchematicEntries {
  static var entriesSchema: Schema {
    let element = Value.schema
    var normalize: Schema.Normalize?
    // Of other keys the kind does not say which ones the type has.
    if Key.self != Int.self, Key.self != String.self {
      normalize = { (value) throws(SchemaError) in read(try Self(entries: value)) }
    }
    return Schema(
      kind: .map(key: Key.keyKind, element),
      access: Access(
        copies: Access.copying(Self.self),
        read: { read($0.assumingMemoryBound(to: Self.self).pointee) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Self.self).pointee = try Self(entries: value)
        },
        isEqual: { left, right in
          areEqual(
            left.assumingMemoryBound(to: Self.self).pointee, right.assumingMemoryBound(to: Self.self).pointee)
        },
        parts: .map(mapAccess)), normalize: normalize)
  }

  @usableFromInline
  static func areEqual(_ left: Self, _ right: Self) -> Bool {
    let element = Value.schema
    return left.count == right.count
      && left.keys.allSatisfy { key in
        guard let old = left[key], let new = right[key] else { return false }
        return element.areEqual(old, new)
      }
  }

  private static func read(_ entries: Self) -> StoreSchema.Value {
    var map = PersistentMap<MapKey, StoreSchema.Value>()
    for key in entries.keys { map[key.mapKey] = entries[key]?.schemaValue }
    return .map(map)
  }

  @usableFromInline static var mapAccess: MapAccess {
    MapAccess(
      count: { $0.assumingMemoryBound(to: Self.self).pointee.count },
      read: { source, key, body in
        guard let key = Key(mapKey: key), let value = source.assumingMemoryBound(to: Self.self).pointee[key]
        else { return false }
        withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
        return true
      },
      modify: { target, key, body in
        let entries = target.assumingMemoryBound(to: Self.self)
        guard let key = Key(mapKey: key), var value = entries.pointee[key] else { return false }
        // Taken out meanwhile, so that `value` is the only owner and changes in place.
        entries.pointee[key] = nil
        defer { entries.pointee[key] = value }
        try withUnsafeMutablePointer(to: &value) { try body(UnsafeMutableRawPointer($0)) }
        return true
      },
      set: setEntry, remove: removeEntry,
      nextKey: { source, previous in
        let keys = source.assumingMemoryBound(to: Self.self).pointee.keys.map(\.mapKey)
        guard let previous else { return keys.min() }
        return keys.lazy.filter { previous < $0 }.min()
      },
      visitDifferences: { old, new, visit in
        let old = old.assumingMemoryBound(to: Self.self).pointee
        let new = new.assumingMemoryBound(to: Self.self).pointee
        let keys = Set(old.keys).union(new.keys)
        for key in keys.map(\.mapKey).sorted() {
          guard let entryKey = Key(mapKey: key) else { continue }
          withOptionalPointer(to: old[entryKey]) { old in
            withOptionalPointer(to: new[entryKey]) { new in visit(key, old, new) }
          }
        }
      },
      sortedKeys: sortedKeys)
  }

  /// Puts a checked value under a key.
  @Sendable
  static func setEntry(_ target: UnsafeMutableRawPointer, _ key: MapKey, _ value: StoreSchema.Value) throws(SchemaError)
  {
    guard let entryKey = Key(mapKey: key) else {
      throw SchemaError(Path(), .badKey(expected: "\(Key.self)", found: key.value.described))
    }
    let value = try Value(schemaValue: value)
    target.assumingMemoryBound(to: Self.self).pointee[entryKey] = value
  }

  /// The keys that a condition holds for, in order.
  @Sendable
  static func sortedKeys(_ source: UnsafeRawPointer, _ holds: (MapKey) -> Bool) -> [MapKey] {
    var keys: [MapKey] = []
    for key in source.assumingMemoryBound(to: Self.self).pointee.keys where holds(key.mapKey) {
      keys.append(key.mapKey)
    }
    return keys.sorted()
  }

  /// Takes the entry under a key away.
  @Sendable
  static func removeEntry(_ target: UnsafeMutableRawPointer, _ key: MapKey) {
    guard let key = Key(mapKey: key) else { return }
    target.assumingMemoryBound(to: Self.self).pointee[key] = nil
  }

  init(entries value: StoreSchema.Value) throws(SchemaError) {
    self.init()
    let expected = "[\(Key.keyKind.name): \(Value.schema.typeName)]"
    switch value {
    case .map(let map):
      for (key, value) in map {
        guard let entryKey = Key(mapKey: Key.keyKind.spelling(of: key)) else {
          throw SchemaError(Path(), .badKey(expected: "\(Key.self)", found: key.value.described))
        }
        if self[entryKey] != nil {
          throw SchemaError(Path(), .badKey(expected: "different \(Key.self)", found: key.value.described))
        }
        do throws(SchemaError) {
          self[entryKey] = try Value(schemaValue: value)
        } catch {
          throw error.under(Path([.key(key)]))
        }
      }
    case .list(let list) where list.isEmpty: return
    default: throw SchemaError(expected: expected, found: value)
    }
  }
}

private func withOptionalPointer<Wrapped>(to value: Wrapped?, _ body: (UnsafeRawPointer?) -> Void) {
  guard let value else { return body(nil) }
  withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
}

extension Schema {
  func areEqual<Subject>(_ left: Subject, _ right: Subject) -> Bool {
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { access.isEqual(UnsafeRawPointer(left), UnsafeRawPointer($0)) }
    }
  }
}

extension Dictionary: SchematicEntries where Key: SchematicKey, Value: Schematic {}

extension Dictionary: Schematic where Key: SchematicKey, Value: Schematic {
  /// `[Key: Value]`, iterated in key order.
  public static var schema: Schema { entriesSchema }
  /// The dictionary.
  public init(schemaValue value: StoreSchema.Value) throws(SchemaError) { try self.init(entries: value) }
}

extension TreeDictionary: SchematicEntries where Key: SchematicKey, Value: Schematic {}

extension TreeDictionary: Schematic where Key: SchematicKey, Value: Schematic {
  /// `[Key: Value]`, iterated in key order; a snapshot shares all that did not change.
  public static var schema: Schema { entriesSchema }
  /// The dictionary.
  public init(schemaValue value: StoreSchema.Value) throws(SchemaError) { try self.init(entries: value) }
}

extension PersistentMap: SchematicEntries where Key: SchematicKey, Value: Schematic {
  /// As for other maps, but by address, and with what two maps share passed over.
  @usableFromInline static var mapAccess: MapAccess {
    MapAccess(
      count: { $0.assumingMemoryBound(to: Self.self).pointee.count },
      read: { source, key, body in
        guard let key = Key(mapKey: key) else { return false }
        return source.assumingMemoryBound(to: Self.self).pointee.withValue(forKey: key) { body(UnsafeRawPointer($0)) }
          != nil
      },
      modify: { target, key, body in
        guard let key = Key(mapKey: key) else { return false }
        return try target.assumingMemoryBound(to: Self.self).pointee.withMutableValue(forKey: key) {
          try body(UnsafeMutableRawPointer($0))
        } != nil
      }, set: setEntry, remove: removeEntry,
      nextKey: { source, previous in
        let map = source.assumingMemoryBound(to: Self.self).pointee
        guard isInOrderOfMapKeys else {
          let keys = map.keys.lazy.map(\.mapKey)
          return previous.map { previous in keys.filter { previous < $0 }.min() } ?? keys.min()
        }
        guard let previous else { return map.firstEntry(after: nil)?.key.mapKey }
        // No key of this map: all integers stand before all texts.
        guard let key = Key(mapKey: previous) else { return nil }
        return map.firstEntry(after: key)?.key.mapKey
      },
      visitDifferences: { old, new, visit in
        let old = old.assumingMemoryBound(to: Self.self).pointee
        let new = new.assumingMemoryBound(to: Self.self).pointee
        guard !isInOrderOfMapKeys else {
          return difference(old, new) {
            visit($0.mapKey, $1.map { UnsafeRawPointer($0) }, $2.map { UnsafeRawPointer($0) })
          }
        }
        var found: [(key: MapKey, old: UnsafeRawPointer?, new: UnsafeRawPointer?)] = []
        difference(old, new) {
          found.append(($0.mapKey, $1.map { UnsafeRawPointer($0) }, $2.map { UnsafeRawPointer($0) }))
        }
        for (key, old, new) in found.sorted(by: { $0.key < $1.key }) { visit(key, old, new) }
      },
      sortedKeys: isInOrderOfMapKeys ? nil : sortedKeys)
  }

  /// True if the keys stand in the order in which run-time keys do.
  private static var isInOrderOfMapKeys: Bool { Key.self == Int.self }

  @usableFromInline
  static func areEqual(_ left: Self, _ right: Self) -> Bool {
    let element = Value.schema
    guard left.count == right.count else { return false }
    return walk(left, right, skipsSameMemory: false) { _, left, right in
      guard let left, let right else { return false }
      return element.access.isEqual(UnsafeRawPointer(left), UnsafeRawPointer(right))
    }
  }
}

extension PersistentMap: Schematic where Key: SchematicKey, Value: Schematic {
  /// `[Key: Value]`, iterated in key order; a snapshot shares all that did not change.
  public static var schema: Schema { entriesSchema }
  /// The map.
  public init(schemaValue value: StoreSchema.Value) throws(SchemaError) { try self.init(entries: value) }
}
