/// A Swift type that can describe itself at run time. `@Schema` derives the conformance for structs and enums.
public protocol Schematic: Sendable {
  /// The type's description and the way into its values.
  static var schema: Schema { get }

  /// Builds a value of the type.
  ///
  /// - Throws: ``SchemaError`` where `value` is not of this type; its path is relative to `value`.
  init(schemaValue value: Value) throws(SchemaError)

  /// Builds a value of an enum from the position of a case, from 0, and the payload in declared order. Every enum has one by
  /// default.
  ///
  /// - Throws: ``SchemaError`` where the payload does not fit, or the type is no enum.
  init(schemaCase index: Int, payload: [Value]) throws(SchemaError)

  /// Builds a value of an enum from the position of a case, from 0, and a payload that was checked against the schema. By default
  /// it is checked again.
  ///
  /// - Throws: ``SchemaError`` where the payload does not fit, or the type is no enum.
  init(schemaCase index: Int, checked payload: [Value]) throws(SchemaError)

  /// The value, in the run-time form.
  var schemaValue: Value { get }
}

extension Schematic {
  /// Builds a value from what names its case and gives the payload.
  public init(schemaCase index: Int, checked payload: [Value]) throws(SchemaError) {
    try self.init(schemaCase: index, payload: payload)
  }

  /// Builds a value from what names its case and gives the payload.
  public init(schemaCase index: Int, payload: [Value]) throws(SchemaError) {
    try self.init(schemaValue: Self.schema.value(ofCase: index, payload))
  }

  /// The value, in the run-time form, read through the schema.
  public var schemaValue: Value {
    withUnsafePointer(to: self) { Self.schema.access.read(UnsafeRawPointer($0)) }
  }
}

/// A struct with a schema. `@Schema` writes the one requirement that only the struct's own file can meet.
public protocol SchematicRecord: Schematic {
  /// Builds the struct from its fields in declared order.
  init(schemaFields fields: inout FieldReader) throws(SchemaError)
}

extension SchematicRecord {
  /// Builds the struct from a record, a map with text keys, or an empty list.
  public init(schemaValue value: Value) throws(SchemaError) {
    var reader = FieldReader(try Self.schema.fieldValues(of: value))
    try self.init(schemaFields: &reader)
  }
}

/// An enum with a schema. `@Schema` writes the requirements.
public protocol SchematicUnion: Schematic {
  /// Builds the case at a position of the schema, from 0, from its payload in declared order.
  init(schemaCase index: Int, fields: inout FieldReader) throws(SchemaError)
  /// The position of the current case in the schema, from 0.
  var schemaCaseIndex: Int { get }
  /// The current case's payload in declared order.
  var schemaPayload: [Value] { get }
  /// Changes the current case's payload field at a position, from 0, in place.
  mutating func modifySchemaPayload(
    _ index: Int, _ body: (UnsafeMutableRawPointer) throws -> Void) rethrows
}

extension SchematicUnion {
  /// Builds the enum from a case name or a variant.
  public init(schemaValue value: Value) throws(SchemaError) {
    let (index, values) = try Self.schema.caseValues(of: value)
    var reader = FieldReader(values)
    try self.init(schemaCase: index, fields: &reader)
  }

  /// Builds the enum from the position of a case and its payload, without a search by names.
  public init(schemaCase index: Int, payload: [Value]) throws(SchemaError) {
    var reader = FieldReader(try Self.schema.checkedPayload(payload, ofCase: index))
    try self.init(schemaCase: index, fields: &reader)
  }

  /// Builds the enum from the position of a case and a payload that fits, without a look at the schema.
  public init(schemaCase index: Int, checked payload: [Value]) throws(SchemaError) {
    var reader = FieldReader(payload)
    try self.init(schemaCase: index, fields: &reader)
  }

  /// Changes the payload field of a case without payloads: there is none.
  public mutating func modifySchemaPayload(
    _ index: Int, _ body: (UnsafeMutableRawPointer) throws -> Void
  ) rethrows {}
}

/// Hands out the values of a record's fields, one after the other, as Swift values.
public struct FieldReader {
  @usableFromInline let values: [Value]
  @usableFromInline var index = 0
  /// The position of the case of which the values are the payload; nil: each of them is a field.
  @usableFromInline let branch: Int?
  /// True if that payload was checked.
  @usableFromInline let isChecked: Bool

  /// Starts at the first of the values.
  @inlinable
  public init(_ values: [Value]) { (self.values, branch, isChecked) = (values, nil, false) }

  /// Hands out one field, an enum, of which the case and the payload are known.
  @inlinable
  package init(case branch: Int, payload: [Value], isChecked: Bool = false) {
    (values, self.branch, self.isChecked) = (payload, branch, isChecked)
  }

  /// The next field.
  ///
  /// - Throws: ``SchemaError`` where the value is not of that type.
  @inlinable
  public mutating func next<Field: Schematic>(_ type: Field.Type = Field.self) throws(SchemaError) -> Field {
    if let branch {
      return isChecked
        ? try Field(schemaCase: branch, checked: values) : try Field(schemaCase: branch, payload: values)
    }
    defer { index += 1 }
    return try Field(schemaValue: values[index])
  }
}
