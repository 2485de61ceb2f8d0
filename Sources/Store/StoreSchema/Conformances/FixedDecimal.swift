/// A decimal number with so many digits behind its point as its type says: `FixedDecimal<2>` for amounts of money.
///
/// It is exact: its operators throw where a result does not fit, and texts of more digits are no such number.
public struct FixedDecimal<let scale: Int>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number without its point: 1250 of a `FixedDecimal<2>` is `12.50`.
  public var units: Int

  /// Makes a number of units; the scale of the type must be from 0 to ``DecimalNumber/greatestScale``.
  @inlinable
  public init(units: Int) { self.units = units }

  /// The number that a text stands for, such as `12.5`; nil where it is none, or does not fit.
  public init?(_ text: String) {
    guard let number = DecimalNumber(text)?.rescaled(to: scale) else { return nil }
    units = number.units
  }

  /// The digits with a point, all of the scale behind it.
  public var description: String { DecimalNumber(units: units, scale: scale).description }

  /// True if the left number is less.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.units < right.units }

  /// The sum.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  public static func +! (left: Self, right: Self) throws -> Self {
    try checked(left.units.addingReportingOverflow(right.units), left, "+", right)
  }

  /// The difference.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  public static func -! (left: Self, right: Self) throws -> Self {
    try checked(left.units.subtractingReportingOverflow(right.units), left, "-", right)
  }

  /// The product with a whole number.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  public static func *! (left: Self, right: Int) throws -> Self {
    try checked(left.units.multipliedReportingOverflow(by: right), left, "*", right)
  }

  /// Adds a number, or throws and leaves the sum as it was.
  public static func +!= (left: inout Self, right: Self) throws { left = try left +! right }

  /// Takes a number off, or throws and leaves the difference as it was.
  public static func -!= (left: inout Self, right: Self) throws { left = try left -! right }

  private static func checked(
    _ result: (partialValue: Int, overflow: Bool), _ left: Self, _ symbol: String, _ right: some CustomStringConvertible
  ) throws -> Self {
    guard !result.overflow else {
      throw ArithmeticError("\(left) \(symbol) \(right)", type: Schema.Kind.decimalName(scale))
    }
    return Self(units: result.partialValue)
  }
}

extension FixedDecimal: Schematic {
  /// A decimal of the scale.
  public static var schema: Schema {
    .kept(for: Self.self) {
      .scalar(Self.self, .decimal(scale: scale)) { .decimal(DecimalNumber(units: $0.units, scale: scale)) }
    }
  }

  /// The number: of a decimal, an integer, a text or a float that is exact at the scale.
  public init(schemaValue value: Value) throws(SchemaError) {
    units = try Self.schema.decimal(value, scale: scale).units
  }
}
