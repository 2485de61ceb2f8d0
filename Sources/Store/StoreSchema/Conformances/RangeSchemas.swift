/// A range with both bounds, as seen by its schema. The bounds change together, since one alone may pass the other.
protocol SchematicRange<Bound>: Equatable, Sendable {
  associatedtype Bound: Schematic, Comparable
  var lowerBound: Bound { get }
  var upperBound: Bound { get }
  init(uncheckedBounds bounds: (lower: Bound, upper: Bound))
}

extension SchematicRange {
  static func rangeSchema(_ name: String) -> Schema where Self: Schematic {
    let record = RecordSchema(
      name: Schema.name(name, of: Bound.self),
      fields: [Field("lowerBound", of: Bound.self), Field("upperBound", of: Bound.self)])
    return .scalar(Self.self, .record(record)) { range in
      .record(Record(record.layout, [range.lowerBound.schemaValue, range.upperBound.schemaValue]))
    }
  }

  init(bounds value: Value) throws(SchemaError) where Self: Schematic {
    var reader = FieldReader(try Self.schema.fieldValues(of: value))
    let lower: Bound = try reader.next("lowerBound")
    let upper: Bound = try reader.next("upperBound")
    guard lower <= upper else {
      throw SchemaError(
        Path([.field("upperBound")]),
        .outOfRange(
          bounds: ">= \(InlineText.text(of: lower.schemaValue))", found: InlineText.text(of: upper.schemaValue)))
    }
    self.init(uncheckedBounds: (lower, upper))
  }
}

extension Range: SchematicRange where Bound: Schematic {}

extension Range: Schematic where Bound: Schematic {
  /// A record of `lowerBound` and `upperBound`, of which the latter is not in the range.
  public static var schema: Schema { rangeSchema("Range") }
  /// The range; its bounds must be in order.
  public init(schemaValue value: Value) throws(SchemaError) { try self.init(bounds: value) }
}

extension ClosedRange: SchematicRange where Bound: Schematic {}

extension ClosedRange: Schematic where Bound: Schematic {
  /// A record of `lowerBound` and `upperBound`, both in the range.
  public static var schema: Schema { rangeSchema("ClosedRange") }
  /// The range; its bounds must be in order.
  public init(schemaValue value: Value) throws(SchemaError) { try self.init(bounds: value) }
}
