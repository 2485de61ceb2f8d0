/// A result that an integer type cannot hold.
public struct ArithmeticError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The calculation, such as `9223372036854775807 + 1`.
  public let calculation: String
  /// The name of the type.
  public let type: String

  /// Makes an error.
  public init(_ calculation: String, type: String) {
    self.calculation = calculation
    self.type = type
  }

  /// A sentence with the calculation.
  public var description: String { "the result of \(calculation) does not fit \(type)" }
}
