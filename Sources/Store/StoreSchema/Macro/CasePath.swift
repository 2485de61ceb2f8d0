/// The way into one case of an enum and out of it: what a key path is for a struct's property.
///
/// Where the payload is itself an enum with case paths, the way goes on into its cases: `\.movies.select`. A case of it
/// that is named `caseName`, `embed` or `extract` is reached by ``init(_:_:)`` only. The idea and the name are Point-Free's
/// (swift-case-paths).
@dynamicMemberLookup
public struct CasePath<Root, Payload>: Sendable {
  /// The case's name; of one further in, all names from the outermost on, joined by dots.
  public let caseName: String
  /// Wraps a payload in the case.
  public let embed: @Sendable (Payload) -> Root
  /// The payload, or nil where the value is another case.
  public let extract: @Sendable (Root) -> Payload?

  /// Joins the two directions.
  @inlinable
  public init(
    caseName: String, embed: @escaping @Sendable (Payload) -> Root, extract: @escaping @Sendable (Root) -> Payload?
  ) {
    self.caseName = caseName
    self.embed = embed
    self.extract = extract
  }

  /// Goes on into a case of a case's payload; the names are joined by a dot.
  @inlinable
  public init<Outer>(_ outer: CasePath<Root, Outer>, _ inner: CasePath<Outer, Payload>) {
    self.init(
      caseName: "\(outer.caseName).\(inner.caseName)", embed: { outer.embed(inner.embed($0)) },
      extract: { outer.extract($0).flatMap(inner.extract) })
  }

  /// The way on into a case of the payload, which must be an enum with case paths: `\.movies.select`.
  @inlinable
  public subscript<Inner>(
    dynamicMember inner: KeyPath<Payload.Cases, CasePath<Payload, Inner>>
  ) -> CasePath<Root, Inner> where Payload: CasePathable {
    CasePath<Root, Inner>(self, Payload.cases[keyPath: inner])
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
