extension Schema.Kind {
  static func decimalName(_ scale: Int) -> String { "Decimal(\(scale))" }
}

extension Schema {
  /// The decimal at a scale that a value stands for: a decimal, an integer, the digits of a text, or a float that shows
  /// its digits for certain. Digits get lost nowhere.
  func decimal(_ value: Value, scale: Int) throws(SchemaError) -> DecimalNumber {
    let given: DecimalNumber?
    var isNumber = true
    switch value {
    case .decimal(let number): given = number
    case .int(let number): given = DecimalNumber(units: number)
    case .double(let number):
      guard let exact = DecimalNumber(number)?.rescaled(to: scale) else { throw inexact(number, scale) }
      return exact
    case .string(let text):
      given = DecimalNumber(text)
      isNumber = given != nil || Double(text)?.isFinite ?? false
    default: (given, isNumber) = (nil, false)
    }
    guard isNumber else { throw mismatch(value) }
    if let exact = given?.rescaled(to: scale) { return exact }
    let found =
      switch value {
      case .string(let text): text
      default: given?.description ?? ""
      }
    // Of so many digits that no decimal has them, some stand behind the point where the number is not too large.
    let isSmall = given == nil && Double(found).map { $0.magnitude < Self.bound(scale) } ?? false
    if isSmall || given.map({ $0.scale > scale }) ?? false {
      throw SchemaError(Path(), .outOfRange(bounds: "a decimal of at most \(Self.places(scale))", found: found))
    }
    throw outOfRange(found, scale)
  }

  private func inexact(_ number: Double, _ scale: Int) -> SchemaError {
    let text = ScalarText.text(of: number)
    if number.isFinite, number.magnitude >= Self.bound(scale) {
      return outOfRange(text, scale)
    }
    let found = "\(text), a float that is no exact decimal; round it, or write the digits as a text"
    return SchemaError(Path(), .outOfRange(bounds: "a decimal of at most \(Self.places(scale))", found: found))
  }

  private func outOfRange(_ found: String, _ scale: Int) -> SchemaError {
    let bounds = "\(DecimalNumber(units: .min, scale: scale))...\(DecimalNumber(units: .max, scale: scale))"
    return SchemaError(Path(), .outOfRange(bounds: bounds, found: found))
  }

  /// The number that is greater than all decimals of a scale.
  private static func bound(_ scale: Int) -> Double { DecimalNumber(units: .max, scale: scale).nearestFloat }

  private static func places(_ scale: Int) -> String {
    scale == 1 ? "1 digit after the point" : "\(scale) digits after the point"
  }
}

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
