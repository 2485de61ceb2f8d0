/// Parts that form a monoid (R16): ``identity`` does nothing, ``appending(_:)`` does one after the other, and grouping
/// does not matter.
public protocol Composed {
  /// Does nothing; neutral on both sides of a composition.
  static var identity: Self { get }

  /// This, then another.
  func appending(_ other: Self) -> Self
}

extension Composed {
  /// The parts in order, then those of a block, top to bottom. One function for both, so that the compiler names what is
  /// wrong with a part.
  @inlinable
  public static func compose(
    _ parts: Self..., @CompositionBuilder<Self> then content: () -> Self = { Self.identity }
  ) -> Self {
    parts.reduce(Self.identity) { $0.appending($1) }.appending(content())
  }
}

/// Lists parts from top to bottom: reducers, middlewares, readers or handlers.
@resultBuilder
public enum CompositionBuilder<Part: Composed> {
  /// A single part.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// A part that may be absent.
  public static func buildExpression(_ part: Part?) -> Part { part ?? .identity }
  /// The parts of a list, in order.
  public static func buildExpression(_ parts: [Part]) -> Part { buildArray(parts) }
  /// The composition, which may be empty.
  public static func buildBlock(_ parts: Part...) -> Part { buildArray(parts) }
  /// The parts of a loop.
  public static func buildArray(_ parts: [Part]) -> Part { parts.reduce(.identity) { $0.appending($1) } }
  /// A part that may be left out.
  public static func buildOptional(_ part: Part?) -> Part { part ?? .identity }
  /// The first of two parts.
  public static func buildEither(first part: Part) -> Part { part }
  /// The second of two parts.
  public static func buildEither(second part: Part) -> Part { part }
  /// Parts that need a newer system than the program's oldest.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}
