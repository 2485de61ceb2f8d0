/// An exact decimal number, such as `12.50`: 1250 units at a scale of 2.
///
/// Two numbers are the same that are written the same, so `12.5` and `12.50` are not; `<` compares what they are worth.
public struct DecimalNumber: Hashable, Sendable {
  /// The number without its point.
  public let units: Int
  /// The number of digits after the point, up to ``greatestScale``.
  public let scale: Int8

  /// The most digits behind a point.
  public static let greatestScale = 18

  /// Makes a number of units at a scale from 0 to ``greatestScale``.
  public init(units: Int, scale: Int = 0) {
    self.units = units
    self.scale = Int8(min(max(scale, 0), Self.greatestScale))
  }

  /// The number with the digits of a text, such as `12.50` or `-1e3`. Nil: the text is no number, or one of too many
  /// digits.
  public init?(_ text: String) {
    var rest = Substring(text).utf8
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = rest.prefix(while: Self.isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction = rest.prefix(0)
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: Self.isDigit)
      rest = rest.dropFirst(1 + fraction.count)
    }
    var exponent = 0
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      guard let power = Int(Substring(rest.dropFirst())), power.magnitude < 1_000 else { return nil }
      exponent = power
      rest = rest.suffix(0)
    }
    guard rest.isEmpty, !whole.isEmpty || !fraction.isEmpty else { return nil }
    var found: Int?
    if fraction.count - exponent <= Self.greatestScale { found = Self.units(whole, fraction, isNegative: isNegative) }
    // Zeros at the end say nothing that the others do not.
    while found == nil, fraction.last == UInt8(ascii: "0") {
      fraction.removeLast()
      if fraction.count - exponent <= Self.greatestScale { found = Self.units(whole, fraction, isNegative: isNegative) }
    }
    guard let units = found else { return nil }
    let scale = fraction.count - exponent
    guard scale <= Self.greatestScale else { return nil }
    guard scale < 0 else {
      self.init(units: units, scale: scale)
      return
    }
    guard let power = Self.power(-scale) else {
      if units != 0 { return nil }
      self.init(units: 0)
      return
    }
    let (product, isTooLarge) = units.multipliedReportingOverflow(by: power)
    if isTooLarge { return nil }
    self.init(units: product)
  }

  /// The number with the digits that show a float. Nil: it has more of them than a float tells for certain.
  ///
  /// - Parameter mostDigits: the number of digits that count as certain: fifteen come through a float unchanged,
  ///   whatever they are.
  public init?(_ float: Double, mostDigits: Int = 15) {
    guard float.isFinite, let number = Self("\(float)") else { return nil }
    var units = number.units
    while units != 0, units.isMultiple(of: 10) { units /= 10 }
    guard "\(units.magnitude)".utf8.count <= mostDigits else { return nil }
    self = number.shortened
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// The number that digits show; nil: no integer is so large.
  private static func units(
    _ whole: Substring.UTF8View, _ fraction: Substring.UTF8View, isNegative: Bool
  ) -> Int? {
    // Counted below zero, where there is one more.
    var units = 0
    for digit in [whole, fraction].joined() {
      let (tens, first) = units.multipliedReportingOverflow(by: 10)
      let (sum, second) = tens.subtractingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      if first || second { return nil }
      units = sum
    }
    if isNegative { return units }
    return units == .min ? nil : -units
  }

  /// Ten to a power; nil: no integer is so large.
  private static func power(_ exponent: Int) -> Int? {
    guard exponent <= greatestScale else { return nil }
    return (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// The same number without zeros at the end of its fraction.
  private var shortened: DecimalNumber {
    var (units, scale) = (units, Int(scale))
    while scale > 0, units.isMultiple(of: 10) { (units, scale) = (units / 10, scale - 1) }
    return DecimalNumber(units: units, scale: scale)
  }

  /// The same number at another scale. Nil: to a lower one it would lose digits, at a higher one it has too many.
  public func rescaled(to scale: Int) -> DecimalNumber? {
    let more = scale - Int(self.scale)
    guard let power = Self.power(abs(more)) else { return nil }
    if more < 0 {
      let (quotient, rest) = units.quotientAndRemainder(dividingBy: power)
      return rest == 0 ? DecimalNumber(units: quotient, scale: scale) : nil
    }
    let (product, isTooLarge) = units.multipliedReportingOverflow(by: power)
    return isTooLarge ? nil : DecimalNumber(units: product, scale: scale)
  }
}

extension DecimalNumber: Comparable, CustomStringConvertible {
  /// True if the left number is worth less.
  public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
    // Ten to the power of 18 times an `Int` is an `Int128`.
    let (leftPower, rightPower) = (power(Int(left.scale)) ?? 1, power(Int(right.scale)) ?? 1)
    return Int128(left.units) * Int128(rightPower) < Int128(right.units) * Int128(leftPower)
  }

  /// True if both are worth the same, however many zeros they end in.
  package func isWorth(_ other: DecimalNumber) -> Bool { !(self < other) && !(other < self) }

  /// The digits with a point, as many behind it as the scale says: `12.50`.
  public var description: String {
    var digits = Array("\(units.magnitude)".utf8)
    if scale > 0 {
      let count = Int(scale)
      if digits.count <= count {
        digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: count + 1 - digits.count), at: 0)
      }
      digits.insert(UInt8(ascii: "."), at: digits.count - count)
    }
    return (units < 0 ? "-" : "") + String(decoding: digits, as: UTF8.self)
  }

  /// The number as JSON marks it where a float may stand, too: `150E-002`.
  var marked: String { "\(units)E-0\(scale < 10 ? "0" : "")\(scale)" }

  /// The number that a text marks so; nil: it is another.
  init?(marked text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "E"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 4, parts[1].starts(with: "-0".utf8), let units = Int(Substring(parts[0])),
      let scale = Int(Substring(parts[1].dropFirst())), scale <= Self.greatestScale
    else { return nil }
    self.init(units: units, scale: scale)
  }

  /// The nearest float, for drawings.
  public var nearestFloat: Double { Double(description) ?? 0 }
}
