import FoundationEssentials
import StoreSchema

extension Decimal: Schematic {
  /// The number as text, since a `Double` does not hold all of its digits.
  public static let schema = Schema.text(of: Decimal.self, \.description)
  /// The number of a text with a point, or of `NaN`. One of more digits than a `Decimal` holds is refused.
  public init(schemaValue value: Value) throws(SchemaError) {
    var isRounded = false
    let number = try Decimal.read(value) { (text) -> Decimal? in
      if text == Decimal.nan.description { return .nan }
      guard let given = DecimalDigits(text) else { return nil }
      let number = Decimal(string: text) ?? .nan
      isRounded = DecimalDigits(number.description) != given
      return number
    }
    if isRounded {
      throw SchemaError(
        Path(), .outOfRange(bounds: "a Decimal, which has at most 38 digits", found: value.described))
    }
    self = number
  }
}

/// The digits of a decimal number without zeros around them, and the place of the last one.
private struct DecimalDigits: Equatable {
  private let isNegative: Bool
  private let digits: Substring
  private let exponent: Int

  /// Nil: the text is no number.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?/)?.output else { return nil }
    let fraction = match.3 ?? ""
    let all = match.2 + fraction
    guard !all.isEmpty, let exponent = Int(match.4 ?? "0"), exponent.magnitude < 1_000_000 else { return nil }
    var digits = all.drop { $0 == "0" }
    let count = digits.count
    while digits.last == "0" { digits.removeLast() }
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent - fraction.count + count - digits.count
    isNegative = match.1 == "-" && !digits.isEmpty
  }
}
