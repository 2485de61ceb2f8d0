extension Schema {
  /// A value of the type out of what was read from JSON, the inverse of ``JSON/append(_:to:)-(_,[UInt8])`` (R32). JSON has
  /// fewer types than a schema: this is where keys of maps become integers again and `"nan"` a number. Otherwise as strict
  /// as ``check(_:)``.
  ///
  /// - Throws: ``SchemaError`` with the path inside `json`.
  public func value(fromJSON json: Value) throws(SchemaError) -> Value {
    switch (kind, json) {
    case (.double, .string("inf")): return .double(.infinity)
    case (.double, .string("-inf")): return .double(-.infinity)
    case (.double, .string("nan")): return .double(.nan)
    case (.optional, .none): return .none
    case (.optional(let wrapped), _):
      do throws(SchemaError) {
        return try wrapped.value(fromJSON: json)
      } catch {
        // The message names the declared type; `check` finds the same fault again.
        _ = try check(json)
        throw error
      }
    case (.list(let element), .list(let items)):
      var list: [Value] = []
      list.reserveCapacity(items.count)
      for item in items {
        do throws(SchemaError) {
          list.append(try element.value(fromJSON: item))
        } catch {
          throw error.under(Path([.index(list.count + 1)]))
        }
      }
      return .list(PersistentList(list))
    case (.map(let kind, let element), .map(let entries)):
      var map = PersistentMap<MapKey, Value>()
      for (key, item) in entries {
        let key = try kind.key(fromJSON: key)
        do throws(SchemaError) {
          map[key] = try element.value(fromJSON: item)
        } catch {
          throw error.under(Path([.key(key)]))
        }
      }
      return .map(map)
    case (.record(let record), .map(let members)):
      return .record(
        Record(record.layout, try Schema.values(fromJSON: members, record.fields, record.layout)))
    case (.union(let union), .map(let members)):
      guard members.count == 1, let (key, payload) = members.firstEntry(after: nil), case .string(let name) = key,
        let index = union.index(of: name), case .map(let members) = payload
      else { return try check(json) }
      let current = union.cases[index]
      guard !current.fields.isEmpty else { return try check(json) }
      let values = try Schema.values(fromJSON: members, current.fields, current.layout)
      return .variant(Variant(name: name, payload: Record(current.layout, values)))
    default: return try check(json)
    }
  }

  /// The values of fields in declared order out of the members of a JSON object, each checked, defaults filled in.
  ///
  /// - Throws: ``SchemaError`` where a field is missing, unknown or of another type.
  public static func values(
    fromJSON members: PersistentMap<MapKey, Value>, _ fields: [Field], _ layout: RecordLayout
  ) throws(SchemaError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(fields.count)
    var found = 0
    for field in fields {
      guard let json = members[.string(field.name)] else {
        values.append(try field.check(nil))
        continue
      }
      found += 1
      do throws(SchemaError) {
        values.append(try field.schema.value(fromJSON: json))
      } catch {
        throw error.under(Path([.field(field.name)]))
      }
    }
    if found < members.count {
      for (key, _) in members {
        guard case .string(let name) = key, layout.index(of: name) == nil else { continue }
        let suggestion = Suggestion.nearest(to: name, among: layout.fields)
        throw SchemaError(Path(), .unknownField(record: layout.name, name: name, suggestion: suggestion))
      }
    }
    return values
  }
}

extension Schema.KeyKind {
  /// A key of the kind; an integer may stand as the text that JSON makes of it.
  fileprivate func key(fromJSON key: MapKey) throws(SchemaError) -> MapKey {
    switch (self, key) {
    case (.string, .string), (.int, .int): return key
    case (.int, .string(let text)):
      if let number = Int(text), "\(number)" == text { return .int(number) }
      fallthrough
    default: throw SchemaError(Path(), .badKey(expected: name, found: key.value.described))
    }
  }
}
