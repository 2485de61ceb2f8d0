extension Schema {
  /// A schema for values held as ``Value``, such as the slice of a Lua plugin. The values must have passed
  /// ``check(_:)``.
  public static func dynamic(_ kind: Kind) -> Schema { dynamic(kind, normalize: nil, givenName: nil) }

  private static func dynamic(_ kind: Kind, normalize: Normalize?, givenName: String?) -> Schema {
    Schema(
      kind: kind,
      access: Access(
        byteCount: MemoryLayout<Value>.size, memory: .value, copies: Access.copying(Value.self),
        read: { $0.assumingMemoryBound(to: Value.self).pointee },
        assign: { (value, target) throws(SchemaError) in target.assumingMemoryBound(to: Value.self).pointee = value },
        isEqual: { $0.assumingMemoryBound(to: Value.self).pointee == $1.assumingMemoryBound(to: Value.self).pointee },
        parts: dynamicParts(kind)),
      isDynamic: true, normalize: normalize, givenName: givenName)
  }

  /// The same description over values held as ``Value``, whatever memory this schema reaches into.
  public var dynamic: Schema {
    if isDynamic { return self }
    let kind: Kind =
      switch kind {
      case .bool, .int, .double, .decimal, .string, .choice, .any: kind
      case .optional(let wrapped): .optional(wrapped.dynamic)
      case .list(let element): .list(element.dynamic)
      case .map(let key, let value): .map(key: key, value.dynamic)
      case .record(let record): .record(RecordSchema(name: record.name, fields: record.fields.map(\.dynamic)))
      case .union(let union):
        .union(
          UnionSchema(
            name: union.name,
            cases: union.cases.map {
              UnionSchema.Case($0.name, fields: $0.fields.map(\.dynamic), documentation: $0.documentation)
            }))
      }
    return .dynamic(kind, normalize: normalize, givenName: givenName)
  }

  private static func dynamicParts(_ kind: Kind) -> Access.Parts {
    switch kind {
    case .bool, .int, .double, .decimal, .string, .choice, .any: .none
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
  public var dynamic: Field {
    Field(name, schema.dynamic, default: defaultValue, documentation: documentation, isSequence: isSequence)
  }
}

extension Value {
  /// The value as it is read back where nobody declares its type, such as in a substate: records and cases become maps.
  ///
  /// - Throws: ``SchemaError`` where what is read back would be another value.
  package func untyped() throws(SchemaError) -> Value {
    switch self {
    case .double(let number) where !number.isFinite: throw SchemaError(expected: "a finite number", found: self)
    case .none, .bool, .int, .double, .decimal, .string: return self
    case .list(let list):
      var result: [Value] = []
      for item in list { result.append(try item.untyped(at: .index(result.count))) }
      return .list(PersistentList(result))
    case .map(let map):
      var result: PersistentMap<MapKey, Value> = [:]
      for (key, item) in map {
        guard case .string = key else {
          throw SchemaError(Path(), .badKey(expected: "string", found: key.value.described))
        }
        result[key] = try item.untyped(at: .key(key))
      }
      return .map(result)
    case .record(let record): return try record.untyped()
    case .variant(let variant): return .map([.string(variant.name): try variant.payload.untyped()])
    }
  }

  private func untyped(at step: Path.Step) throws(SchemaError) -> Value {
    do throws(SchemaError) {
      return try untyped()
    } catch {
      throw error.under(Path([step]))
    }
  }

  /// The value as it is read back from JSON by somebody who does not know its type.
  package var reread: Value { (try? JSON.value(of: JSON.text(of: self, marksDecimals: true))) ?? self }

  /// True if both are the same value, or would be to somebody who does not know their type.
  package func isSame(asUntyped other: Value) -> Bool {
    switch (self, other) {
    case _ where self == other: true
    case (.list, _), (.map, _), (.record, _), (.variant, _), (.double, .string): reread == other.reread
    default: false
    }
  }
}

extension Record {
  fileprivate func untyped() throws(SchemaError) -> Value {
    var map: PersistentMap<MapKey, Value> = [:]
    for (name, value) in zip(layout.fields, values) {
      do throws(SchemaError) {
        map[.string(name)] = try value.untyped()
      } catch {
        throw error.under(Path([.field(name)]))
      }
    }
    return .map(map)
  }
}

private func value(at pointer: UnsafeRawPointer) -> Value { pointer.assumingMemoryBound(to: Value.self).pointee }

// Values read in place are not changed by it.
private func list(at pointer: UnsafeRawPointer) -> PersistentList<Value> {
  Value.list(at: UnsafeMutableRawPointer(mutating: pointer))?.pointee ?? []
}

private func map(at pointer: UnsafeRawPointer) -> PersistentMap<MapKey, Value> {
  Value.map(at: UnsafeMutableRawPointer(mutating: pointer))?.pointee ?? [:]
}

/// The list at an address, which becomes one where it is none.
private func mutableList(at pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<PersistentList<Value>> {
  if let list = Value.list(at: pointer) { return list }
  pointer.assumingMemoryBound(to: Value.self).pointee = .list([])
  return mutableList(at: pointer)
}

/// The map at an address, which becomes one where it is none.
private func mutableMap(at pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<PersistentMap<MapKey, Value>> {
  if let map = Value.map(at: pointer) { return map }
  pointer.assumingMemoryBound(to: Value.self).pointee = .map([:])
  return mutableMap(at: pointer)
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
  let identity = element.identity
  var isAny = false
  if case .any = element.kind { isAny = true }
  return ListAccess(
    count: { list(at: $0).count },
    address: { source, index in list(at: source).withElement(at: index) { UnsafeRawPointer($0) } },
    mutableAddress: { target, index in
      mutableList(at: target).pointee.withMutableElement(at: index) { UnsafeMutableRawPointer($0) }
    },
    find: { target, index in Value.list(at: target)?.pointee.findElement(at: index) },
    position: { [isAny] source, id in
      if let identity { return list(at: source).firstIndex(ofID: id) { identity.id(UnsafeRawPointer($0)) } }
      guard isAny else { return nil }
      return list(at: source).firstIndex(ofID: id) {
        $0.pointee.part(named: ElementIdentity.fieldName).flatMap(MapKey.init)
      }
    },
    repeats: { source, id in
      identity.map { identity in list(at: source).repeats(id) { identity.id(UnsafeRawPointer($0)) } } ?? false
    },
    keepOrder: { old, new, id in list(at: new).keepOrder(of: list(at: old), appended: id) },
    hasOrderedIDs: { source in
      identity.map { identity in list(at: source).hasOrderedIDs { identity.id(UnsafeRawPointer($0)) } } ?? false
    },
    differences: { left, leftRange, right, rightRange in
      guard let identity else { return nil }
      return PersistentList.differences(
        list(at: left), leftRange, list(at: right), rightRange, { identity.id(UnsafeRawPointer($0)) }
      ) { element.access.isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1)) }
    },
    insert: { (target, index, value) throws(SchemaError) in
      mutableList(at: target).pointee.insert(value, at: index)
    },
    remove: { target, index in
      mutableList(at: target).pointee.remove(at: index)
    },
    differing: { left, right in
      let (left, right) = (list(at: left), list(at: right))
      let ends = PersistentList.commonEnds(left, right) {
        element.access.isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1))
      }
      return (ends.prefix..<left.count - ends.suffix, ends.prefix..<right.count - ends.suffix)
    })
}

private let dynamicMap = MapAccess(
  count: { map(at: $0).count },
  read: { source, key, body in map(at: source).withValue(forKey: key) { body(UnsafeRawPointer($0)) } != nil },
  modify: { target, key, body in
    try mutableMap(at: target).pointee.withMutableValue(forKey: key) { try body(UnsafeMutableRawPointer($0)) } != nil
  },
  set: { (target, key, value) throws(SchemaError) in
    mutableMap(at: target).pointee[key] = value
  },
  remove: { target, key in mutableMap(at: target).pointee[key] = nil },
  nextKey: { source, previous in map(at: source).firstEntry(after: previous)?.key },
  visitDifferences: { old, new, visit in
    PersistentMap.difference(map(at: old), map(at: new)) { key, old, new in
      visit(key, old.map { UnsafeRawPointer($0) }, new.map { UnsafeRawPointer($0) })
    }
  },
  numbered: NumberedEntries(
    find: { source, key in
      // Only looked at.
      Value.map(at: UnsafeMutableRawPointer(mutating: source))?.pointee.place(ofKey: key)
        .map { ($0.number, UnsafeRawPointer($0.value)) }
    },
    findOwn: { target, key, guess in Value.map(at: target)?.pointee.ownPlace(ofKey: key, guess: guess) },
    mutableAddress: { target, number in
      UnsafeMutableRawPointer(mutableMap(at: target).pointee.mutableValue(numbered: number))
    }))

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
