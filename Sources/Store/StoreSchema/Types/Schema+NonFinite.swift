extension Schema {
  /// A value read from JSON in which `"inf"`, `"-inf"` and `"nan"` are numbers, where numbers are declared: JSON has no
  /// digits for them. Where decimals are declared, a number is what its digits say. What does not fit stays as it is.
  package func readingNonFinite(_ value: Value) -> Value {
    switch (kind, value) {
    case (.double, .string("inf")): .double(.infinity)
    case (.double, .string("-inf")): .double(-.infinity)
    case (.double, .string("nan")): .double(.nan)
    case (.decimal, .double(let number)): DecimalNumber(number, mostDigits: 17).map { .decimal($0) } ?? value
    case (.optional(let wrapped), _): wrapped.readingNonFinite(value)
    case (.list(let element), .list(let list)): .list(PersistentList(list.map(element.readingNonFinite)))
    case (.map(_, let element), .map(let map)):
      .map(PersistentMap(map.map { ($0.key, element.readingNonFinite($0.value)) }))
    case (.record(let record), .map(let map)): .map(Schema.readingNonFinite(map, as: record.fields))
    case (.union(let union), .map(let map)):
      .map(
        PersistentMap(
          map.map { name, payload in
            guard case (.string(let name), .map(let payload)) = (name, payload), let index = union.index(of: name)
            else { return (name, payload) }
            return (.string(name), .map(Schema.readingNonFinite(payload, as: union.cases[index].fields)))
          }))
    default: value
    }
  }

  private static func readingNonFinite(
    _ map: PersistentMap<MapKey, Value>, as fields: [Field]
  ) -> PersistentMap<MapKey, Value> {
    PersistentMap(
      map.map { name, value in
        guard case .string(let text) = name, let field = fields.first(where: { $0.name == text }) else {
          return (name, value)
        }
        return (name, field.schema.readingNonFinite(value))
      })
  }
}
