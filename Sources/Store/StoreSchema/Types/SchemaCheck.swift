extension Schema {
  /// Checks a value against the type and returns it in the type's own form (R32). An integer where a number is declared
  /// becomes a number, an empty table an empty list or map. Another table becomes a record with its fields in declared
  /// order and its defaults filled in.
  ///
  /// - Throws: ``SchemaError`` with the path inside `value`.
  public func check(_ value: Value) throws(SchemaError) -> Value { try checked(value, isJSON: false) }

  /// Makes a value of the type from one read from JSON, the inverse of ``JSON/text(of:marksDecimals:)`` (R32). Like ``check(_:)``,
  /// but `"nan"` is a number, too, and `null` is no field left out.
  ///
  /// - Throws: ``SchemaError`` with the path inside `json`.
  public func value(fromJSON json: Value) throws(SchemaError) -> Value { try checked(json, isJSON: true) }

  fileprivate func checked(_ value: Value, isJSON: Bool) throws(SchemaError) -> Value {
    guard let normalize else { return try checkedByKind(value, isJSON: isJSON) }
    if isScalar { return try normalize(isJSON ? readingNonFinite(value) : value) }
    return try normalize(checkedByKind(value, isJSON: isJSON))
  }

  /// True if values of the type have one form, which the Swift type knows best: a choice knows its names better.
  var isScalar: Bool {
    switch kind {
    case .bool, .int, .double, .decimal, .string, .any: true
    case .choice, .optional, .list, .map, .record, .union: false
    }
  }

  private func checkedByKind(_ value: Value, isJSON: Bool) throws(SchemaError) -> Value {
    switch kind {
    case .any: return isJSON ? try value.untyped() : value
    case .bool:
      guard case .bool = value else { throw mismatch(value) }
      return value
    case .int(let minimum, let maximum):
      guard case .int(let number) = value else { throw mismatch(value) }
      if number < minimum ?? .min || number > maximum ?? .max {
        throw SchemaError(Path(), .outOfRange(bounds: bounds ?? "", found: "\(number)"))
      }
      return value
    case .double:
      switch value {
      case .double: return value
      case .int(let number): return .double(Double(number))
      case .decimal(let number): return .double(number.nearestFloat)
      case .string("inf") where isJSON: return .double(.infinity)
      case .string("-inf") where isJSON: return .double(-.infinity)
      case .string("nan") where isJSON: return .double(.nan)
      default: throw mismatch(value)
      }
    case .decimal(let scale): return .decimal(try decimal(isJSON ? readingNonFinite(value) : value, scale: scale))
    case .string:
      guard case .string = value else { throw mismatch(value) }
      return value
    case .choice(_, let cases):
      guard case .string(let name) = value, cases.contains(name) else { throw mismatch(value) }
      return value
    case .optional(let wrapped):
      if case .none = value { return value }
      return try wrapped.checked(value, isJSON: isJSON)
    case .list(let element): return try checkList(value, element, isJSON)
    case .map(let key, let element): return try checkMap(value, key, element, isJSON)
    case .record(let record):
      let values = try Schema.check(
        value, against: record.fields, layout: record.layout, isJSON: isJSON, or: mismatch(value))
      return .record(Record(record.layout, values))
    case .union(let union):
      let (index, values) = try caseValues(of: value, isJSON: isJSON)
      let current = union.cases[index]
      if current.fields.isEmpty { return .string(current.name) }
      return .variant(Variant(name: current.name, payload: Record(current.layout, values)))
    }
  }

  private func checkList(_ value: Value, _ element: Schema, _ isJSON: Bool) throws(SchemaError) -> Value {
    switch value {
    case .list(let list):
      var checked: [Value] = []
      checked.reserveCapacity(list.count)
      for item in list {
        do throws(SchemaError) {
          checked.append(try element.checked(item, isJSON: isJSON))
        } catch {
          throw error.under(Path([.index(checked.count + 1)]))
        }
      }
      return .list(PersistentList(checked))
    case .map(let map) where map.isEmpty: return .list([])
    case .map(let map):
      // A list with holes, as Lua has it.
      guard map.allSatisfy({ if case .int = $0.key { true } else { false } }) else { throw mismatch(value) }
      var next = 1
      while map[.int(next)] != nil { next += 1 }
      throw SchemaError(Path(), .malformedList("item \(next) is missing"))
    default: throw mismatch(value)
    }
  }

  private func checkMap(
    _ value: Value, _ key: KeyKind, _ element: Schema, _ isJSON: Bool
  ) throws(SchemaError) -> Value {
    var entries: [(MapKey, Value)] = []
    switch value {
    case .map(let map): entries = map.map { ($0.key, $0.value) }
    case .record(let record): entries = zip(record.layout.fields, record.values).map { (.string($0), $1) }
    case .list(let list):
      guard list.isEmpty || key == .int else { throw mismatch(value) }
      entries = list.enumerated().map { (.int($0 + 1), $1) }
    default: throw mismatch(value)
    }
    var checked = PersistentMap<MapKey, Value>()
    for (entryKey, item) in entries {
      let entryKey = key.spelling(of: entryKey)
      switch (key, entryKey) {
      case (.int, .int), (.string, .string): break
      // The Swift type knows if it has such a key.
      case (.int, .string(let digits)) where normalize != nil && digits.isWideInteger: break
      default: throw SchemaError(Path(), .badKey(expected: key.name, found: entryKey.value.described))
      }
      do throws(SchemaError) {
        checked[entryKey] = try element.checked(item, isJSON: isJSON)
      } catch {
        throw error.under(Path([.key(entryKey)]))
      }
    }
    return .map(checked)
  }

  /// The fields of a record value in declared order, each checked, defaults filled in.
  ///
  /// - Throws: ``SchemaError`` where a field is missing, unknown or of another type.
  public func fieldValues(of value: Value) throws(SchemaError) -> [Value] {
    guard case .record(let record) = kind else { throw mismatch(value) }
    return try Schema.check(value, against: record.fields, layout: record.layout, or: mismatch(value))
  }

  /// The position of an enum value's case and its payload in declared order.
  ///
  /// - Throws: ``SchemaError`` where there is no such case or the payload does not fit.
  public func caseValues(of value: Value) throws(SchemaError) -> (index: Int, payload: [Value]) {
    try caseValues(of: value, isJSON: false)
  }

  private func caseValues(of value: Value, isJSON: Bool) throws(SchemaError) -> (index: Int, payload: [Value]) {
    if case .union(let union) = kind, case .variant(let variant) = value,
      let index = union.cases.firstIndex(where: { $0.layout === variant.payload.layout })
    {
      // Made from this type; what its fields hold may still be out of their bounds.
      return (index, try Schema.check(variant.payload.values, against: union.cases[index].fields))
    }
    let names: [String]
    var cases: [UnionSchema.Case] = []
    switch kind {
    case .choice(_, let all): names = all
    case .union(let union):
      cases = union.cases
      names = cases.map(\.name)
    default: throw mismatch(value)
    }
    let name: String
    var payload = Value.map([:])
    switch value {
    case .string(let text): name = text
    case .variant(let variant):
      name = variant.name
      payload = .record(variant.payload)
    case .map(let map) where map.count == 1:
      guard let entry = map.firstEntry(after: nil), case .string(let text) = entry.key else { throw mismatch(value) }
      name = text
      payload = entry.value
    default: throw mismatch(value)
    }
    guard let index = names.firstIndex(of: name) else { throw mismatch(value) }
    guard !cases.isEmpty else { return (index, []) }
    let current = cases[index]
    let fields = try Schema.check(
      payload, against: current.fields, layout: current.layout, isJSON: isJSON,
      or: SchemaError(expected: typeName, found: payload))
    return (index, fields)
  }

  /// The payload of the case at a position, checked, defaults filled in.
  ///
  /// - Throws: ``SchemaError`` where it does not fit.
  func checkedPayload(_ payload: [Value], ofCase index: Int) throws(SchemaError) -> [Value] {
    guard case .union(let union) = kind else { return [] }
    return try Schema.check(payload, against: union.cases[index].fields)
  }

  /// The value of an enum that is the case at a position.
  func value(ofCase index: Int, _ payload: [Value]) -> Value {
    switch kind {
    case .choice(_, let names): return .string(names[index])
    case .union(let union):
      let branch = union.cases[index]
      return payload.isEmpty
        ? .string(branch.name) : .variant(Variant(name: branch.name, payload: Record(branch.layout, payload)))
    default: return .list(PersistentList(payload))
    }
  }

  /// The values of fields in declared order out of a record, each checked, defaults filled in.
  ///
  /// - Parameters:
  ///   - layout: the fields' names.
  ///   - isJSON: true if the value was read from JSON.
  ///   - mismatch: the error where the value is no record.
  /// - Throws: ``SchemaError`` where a field is missing, unknown or of another type.
  package static func check(
    _ value: Value, against fields: [Field], layout: RecordLayout, isJSON: Bool = false, or mismatch: SchemaError
  ) throws(SchemaError) -> [Value] {
    var given: [Value?]
    switch value {
    case .record(let record) where record.layout == layout: return try check(record.values, against: fields)
    case .record(let record):
      given = try arrange(zip(record.layout.fields, record.values).map { ($0, $1) }, fields, layout)
    case .map(let map):
      var named: [(String, Value)] = []
      for (key, value) in map {
        guard case .string(let name) = key else {
          throw SchemaError(Path(), .badKey(expected: "String", found: key.value.described))
        }
        named.append((name, value))
      }
      given = try arrange(named, fields, layout)
    case .list(let list) where list.isEmpty: given = Array(repeating: nil, count: fields.count)
    default: throw mismatch
    }
    var checked: [Value] = []
    checked.reserveCapacity(fields.count)
    for index in fields.indices { checked.append(try fields[index].check(given[index], isJSON: isJSON)) }
    return checked
  }

  /// The values of fields in declared order, each checked.
  private static func check(_ values: [Value], against fields: [Field]) throws(SchemaError) -> [Value] {
    var checked: [Value] = []
    checked.reserveCapacity(fields.count)
    for index in fields.indices { checked.append(try fields[index].check(values[index])) }
    return checked
  }

  private static func arrange(
    _ named: [(String, Value)], _ fields: [Field], _ layout: RecordLayout
  ) throws(SchemaError) -> [Value?] {
    var given = [Value?](repeating: nil, count: fields.count)
    for (name, value) in named {
      guard let index = layout.index(of: name) else {
        let suggestion = Suggestion.nearest(to: name, among: layout.fields)
        throw SchemaError(Path(), .unknownField(record: layout.name, name: name, suggestion: suggestion))
      }
      given[index] = value
    }
    return given
  }

  func mismatch(_ value: Value) -> SchemaError {
    switch kind {
    case .choice(_, let cases): return SchemaError(Path(), .unknownCase(found: value.described, expected: cases))
    case .union(let union):
      return SchemaError(Path(), .unknownCase(found: value.described, expected: union.cases.map(\.name)))
    default: break
    }
    guard case .int = kind, case .double(let number) = value, let excess = number.excess else {
      return SchemaError(expected: typeName, found: value)
    }
    let found = value.described + excess
    return SchemaError(Path(), .typeMismatch(expected: typeName, found: found, number: value))
  }
}

extension Field {
  /// Checks what was given for the field: nil becomes the default, and so does ``Value/none`` where the field is not
  /// optional.
  ///
  /// - Throws: ``SchemaError`` at the field's name.
  public func check(_ given: Value?) throws(SchemaError) -> Value { try check(given, isJSON: false) }

  fileprivate func check(_ given: Value?, isJSON: Bool) throws(SchemaError) -> Value {
    if given == nil || given == Value.none, let defaultValue, given == nil || !(isOptional || isJSON) {
      return defaultValue
    }
    guard let given else {
      if isOptional { return .none }
      throw SchemaError(Path(), .missingField(name: name, type: schema.typeName))
    }
    do throws(SchemaError) {
      return try schema.checked(given, isJSON: isJSON)
    } catch {
      throw error.under(Path([.field(name)]))
    }
  }
}
