extension Schema.Kind {
  /// The name of the decimals of a scale.
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
