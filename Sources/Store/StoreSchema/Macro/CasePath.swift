/// The way into one case of an enum and out of it: what a key path is for a struct's property.
///
/// The idea and the name are Point-Free's (swift-case-paths).
public struct CasePath<Root, Payload>: Sendable {
  /// The case's name.
  public let name: String
  /// Wraps a payload in the case.
  public let embed: @Sendable (Payload) -> Root
  /// The payload, or nil where the value is another case.
  public let extract: @Sendable (Root) -> Payload?

  /// Joins the two directions.
  @inlinable
  public init(
    name: String, embed: @escaping @Sendable (Payload) -> Root, extract: @escaping @Sendable (Root) -> Payload?
  ) {
    self.name = name
    self.embed = embed
    self.extract = extract
  }
}

/// An enum with a ``CasePath`` for each case. `@Schema` derives the conformance.
///
/// `KeyPath<Action.Cases, CasePath<Action, Local>>` lets a call name a case as `\.counter`.
public protocol CasePathable {
  /// The case paths, one property a case.
  associatedtype Cases: Sendable
  /// The case paths.
  static var cases: Cases { get }
}
