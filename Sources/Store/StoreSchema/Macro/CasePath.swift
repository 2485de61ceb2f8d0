/// The way into one case of an enum and out of it: what a key path is for a struct's property.
///
/// Where the payload is itself an enum with case paths, the way goes on into its cases: `\.movies.select`. A case of it
/// that is named `name`, `embed` or `extract` is reached by ``appending(_:)`` only. The idea and the name are Point-Free's
/// (swift-case-paths).
@dynamicMemberLookup
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

  /// The way on into a case of the payload; the names are joined by a dot.
  @inlinable
  public func appending<Inner>(_ inner: CasePath<Payload, Inner>) -> CasePath<Root, Inner> {
    let (embed, extract) = (embed, extract)
    return CasePath<Root, Inner>(
      name: "\(name).\(inner.name)", embed: { embed(inner.embed($0)) },
      extract: { extract($0).flatMap(inner.extract) })
  }

  /// The way on into a case of the payload, which must be an enum with case paths: `\.movies.select`.
  @inlinable
  public subscript<Inner>(
    dynamicMember inner: KeyPath<Payload.Cases, CasePath<Payload, Inner>>
  ) -> CasePath<Root, Inner> where Payload: CasePathable {
    appending(Payload.cases[keyPath: inner])
  }
}

/// An enum with a ``CasePath`` for each case. `@Schema` derives the conformance.
///
/// `KeyPath<Action.Cases, CasePath<Action, Local>>` lets a call name a case as `\.counter`, or one further in as
/// `\.counter.set`.
public protocol CasePathable {
  /// The case paths, one property a case.
  associatedtype Cases: Sendable
  /// The case paths.
  static var cases: Cases { get }
}

extension CasePathable {
  /// Whether the value is of a case: `action.is(\.movies.select)`.
  @inlinable
  public func `is`<Payload>(_ path: KeyPath<Cases, CasePath<Self, Payload>>) -> Bool { self[case: path] != nil }

  /// The payload of a case, nil in another case: `action[case: \.movies.select]`.
  @inlinable
  public subscript<Payload>(case path: KeyPath<Cases, CasePath<Self, Payload>>) -> Payload? {
    Self.cases[keyPath: path].extract(self)
  }
}
