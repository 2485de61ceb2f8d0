extension Schema {
  /// A schema for values held as ``Value``, such as the slice of a Lua plugin. The values must have passed
  /// ``check(_:)``.
  public static func dynamic(_ kind: Kind) -> Schema {
    Schema(
      kind: kind,
      access: Access(
        byteCount: MemoryLayout<Value>.size,
        read: { $0.assumingMemoryBound(to: Value.self).pointee },
        assign: { (value, target) throws(SchemaError) in target.assumingMemoryBound(to: Value.self).pointee = value },
        isEqual: { $0.assumingMemoryBound(to: Value.self).pointee == $1.assumingMemoryBound(to: Value.self).pointee },
        parts: dynamicParts(kind)),
      isDynamic: true)
  }

  /// The same description over values held as ``Value``, whatever memory this schema reaches into.
  public var dynamic: Schema {
    if isDynamic { return self }
    switch kind {
    case .bool, .int, .double, .string, .choice, .any: return .dynamic(kind)
    case .optional(let wrapped): return .dynamic(.optional(wrapped.dynamic))
    case .list(let element): return .dynamic(.list(element.dynamic))
    case .map(let key, let value): return .dynamic(.map(key: key, value.dynamic))
    case .record(let record):
      return .dynamic(.record(RecordSchema(name: record.name, fields: record.fields.map(\.dynamic))))
    case .union(let union):
      let cases = union.cases.map {
        UnionSchema.Case($0.name, fields: $0.fields.map(\.dynamic), documentation: $0.documentation)
      }
      return .dynamic(.union(UnionSchema(name: union.name, cases: cases)))
    }
  }

  private static func dynamicParts(_ kind: Kind) -> Access.Parts {
    switch kind {
    case .bool, .int, .double, .string, .choice, .any: .none
    case .optional: .optional(dynamicOptional)
    case .list(let element): .list(dynamicList(element))
    case .map: .map(dynamicMap)
    case .record: .record(.dynamic)
    case .union(let union): .union(dynamicUnion(union))
    }
  }
}

extension Field {
  /// The field over values held as ``Value``.
  public var dynamic: Field { Field(name, schema.dynamic, default: defaultValue, documentation: documentation) }
}

private func value(at pointer: UnsafeRawPointer) -> Value { pointer.assumingMemoryBound(to: Value.self).pointee }

private func list(at pointer: UnsafeRawPointer) -> PersistentList<Value> {
  guard case .list(let list) = value(at: pointer) else { return [] }
  return list
}

private func map(at pointer: UnsafeRawPointer) -> PersistentMap<MapKey, Value> {
  guard case .map(let map) = value(at: pointer) else { return [:] }
  return map
}

extension Value {
  // Both empty `self` while the body runs, so that the collection has one owner and changes in place.
  fileprivate mutating func withList<Result>(
    _ body: (inout PersistentList<Value>) throws -> Result
  ) rethrows -> Result {
    var list: PersistentList<Value> = []
    if case .list(let current) = self { list = current }
    self = .none
    defer { self = .list(list) }
    return try body(&list)
  }

  fileprivate mutating func withMap<Result>(
    _ body: (inout PersistentMap<MapKey, Value>) throws -> Result
  ) rethrows -> Result {
    var map: PersistentMap<MapKey, Value> = [:]
    if case .map(let current) = self { map = current }
    self = .none
    defer { self = .map(map) }
    return try body(&map)
  }
}

private let dynamicOptional = OptionalAccess(
  read: { source, body in
    if case .none = value(at: source) { return false }
    body(source)
    return true
  },
  modify: { target, body in
    if case .none = value(at: target) { return false }
    try body(target)
    return true
  })

private func dynamicList(_ element: Schema) -> ListAccess {
  ListAccess(
    count: { list(at: $0).count },
    read: { source, index, body in list(at: source).withElement(at: index) { body(UnsafeRawPointer($0)) } },
    modify: { target, index, body in
      try target.assumingMemoryBound(to: Value.self).pointee.withList {
        try $0.withMutableElement(at: index) { try body(UnsafeMutableRawPointer($0)) }
      }
    },
    insert: { (target, index, value) throws(SchemaError) in
      target.assumingMemoryBound(to: Value.self).pointee.withList { $0.insert(value, at: index) }
    },
    remove: { target, index in
      target.assumingMemoryBound(to: Value.self).pointee.withList { _ = $0.remove(at: index) }
    },
    commonEnds: { left, right in
      PersistentList.commonEnds(list(at: left), list(at: right)) {
        element.access.isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1))
      }
    })
}

private let dynamicMap = MapAccess(
  count: { map(at: $0).count },
  read: { source, key, body in map(at: source).withValue(forKey: key) { body(UnsafeRawPointer($0)) } != nil },
  modify: { target, key, body in
    try target.assumingMemoryBound(to: Value.self).pointee.withMap {
      try $0.withMutableValue(forKey: key) { try body(UnsafeMutableRawPointer($0)) } != nil
    }
  },
  set: { (target, key, value) throws(SchemaError) in
    target.assumingMemoryBound(to: Value.self).pointee.withMap { $0[key] = value }
  },
  remove: { target, key in target.assumingMemoryBound(to: Value.self).pointee.withMap { $0[key] = nil } },
  nextKey: { source, previous in map(at: source).firstEntry(after: previous)?.key },
  visitDifferences: { old, new, visit in
    PersistentMap.difference(map(at: old), map(at: new)) { key, old, new in
      visit(key, old.map { UnsafeRawPointer($0) }, new.map { UnsafeRawPointer($0) })
    }
  })

private func dynamicUnion(_ union: UnionSchema) -> UnionAccess {
  UnionAccess(
    caseIndex: { source in
      switch value(at: source) {
      case .string(let name): union.index(of: name) ?? 0
      case .variant(let variant): union.index(of: variant.name) ?? 0
      default: 0
      }
    },
    payload: { source in
      guard case .variant(let variant) = value(at: source) else { return [] }
      return variant.payload.values
    },
    modify: { target, index, body in
      let target = target.assumingMemoryBound(to: Value.self)
      guard case .variant(let variant) = target.pointee else { return }
      var payload = variant.payload
      try withUnsafeMutablePointer(to: &payload.values[index]) { try body(UnsafeMutableRawPointer($0)) }
      target.pointee = .variant(Variant(name: variant.name, payload: payload))
    })
}
