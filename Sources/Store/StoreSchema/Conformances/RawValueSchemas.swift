/// A type that is described as its raw value: `extension MovieID: SchematicRawValue {}` for a struct around a text, an
/// option set, an enum of numbers. An enum of texts whose cases are known becomes a choice of them.
public protocol SchematicRawValue: Schematic, RawRepresentable where RawValue: Schematic {}

extension SchematicRawValue {
  /// The raw value's type. A type whose values are read often keeps its schema: `static let schema = rawSchema`.
  public static var schema: Schema { rawSchema }

  /// The raw value's type, over values of this one.
  public static var rawSchema: Schema { rawSchema(RawValue.schema.kind) }

  /// The value that the raw value stands for.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard let known = Self(rawValue: try RawValue(schemaValue: value)) else {
      throw SchemaError(Path(), .typeMismatch(expected: "\(Self.self)", found: value.described))
    }
    self = known
  }

  fileprivate static func rawSchema(_ kind: Schema.Kind) -> Schema {
    let raw = RawValue.schema
    return .scalar(
      Self.self, kind, read: { $0.rawValue.schemaValue }, isEqual: { raw.areEqual($0.rawValue, $1.rawValue) })
  }
}

extension SchematicRawValue where Self: CaseIterable, RawValue == String {
  /// A choice of the raw values.
  public static var schema: Schema { rawSchema(.choice(name: "\(Self.self)", cases: allCases.map(\.rawValue))) }
}
