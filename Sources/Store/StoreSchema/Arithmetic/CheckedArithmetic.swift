infix operator +! : AdditionPrecedence
infix operator -! : AdditionPrecedence
infix operator *! : MultiplicationPrecedence
infix operator /! : MultiplicationPrecedence
infix operator %! : MultiplicationPrecedence
infix operator +!= : AssignmentPrecedence
infix operator -!= : AssignmentPrecedence
infix operator *!= : AssignmentPrecedence

/// Arithmetic for reducers: where `+` would end the program, `+!` throws. In a reducer made by `Reducer.throwing` the
/// error undoes the action and reaches whoever dispatched it (R7).
extension FixedWidthInteger {
  /// The sum.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  @inlinable
  public static func +! (left: Self, right: Self) throws -> Self {
    try checked(left.addingReportingOverflow(right), left, "+", right)
  }

  /// The difference.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  @inlinable
  public static func -! (left: Self, right: Self) throws -> Self {
    try checked(left.subtractingReportingOverflow(right), left, "-", right)
  }

  /// The product.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it.
  @inlinable
  public static func *! (left: Self, right: Self) throws -> Self {
    try checked(left.multipliedReportingOverflow(by: right), left, "*", right)
  }

  /// The quotient, rounded towards zero.
  ///
  /// - Throws: ``ArithmeticError`` where the type cannot hold it, or where the divisor is zero.
  @inlinable
  public static func /! (left: Self, right: Self) throws -> Self {
    try checked(left.dividedReportingOverflow(by: right), left, "/", right)
  }

  /// The remainder of the quotient that is rounded towards zero.
  ///
  /// - Throws: ``ArithmeticError`` where the divisor is zero.
  @inlinable
  public static func %! (left: Self, right: Self) throws -> Self {
    // Of the smallest number and -1 only the quotient does not fit.
    if right != 0, left == .min, right == 0 &- 1 { return 0 }
    return try checked(left.remainderReportingOverflow(dividingBy: right), left, "%", right)
  }

  /// Adds a number, or throws and leaves the sum as it was.
  @inlinable
  public static func +!= (left: inout Self, right: Self) throws { left = try left +! right }

  /// Takes a number off, or throws and leaves the difference as it was.
  @inlinable
  public static func -!= (left: inout Self, right: Self) throws { left = try left -! right }

  /// Multiplies by a number, or throws and leaves the product as it was.
  @inlinable
  public static func *!= (left: inout Self, right: Self) throws { left = try left *! right }

  @inlinable
  static func checked(
    _ result: (partialValue: Self, overflow: Bool), _ left: Self, _ symbol: String, _ right: Self
  ) throws -> Self {
    guard !result.overflow else { throw ArithmeticError("\(left) \(symbol) \(right)", type: "\(Self.self)") }
    return result.partialValue
  }
}
