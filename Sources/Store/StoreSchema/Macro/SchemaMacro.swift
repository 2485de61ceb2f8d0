#if Macros || Publishers || All
/// Derives a ``Schema`` from the declaration of a struct or an enum.
///
/// A struct becomes a ``SchematicRecord`` whose fields are its stored properties, in declared order. An initial value
/// is the field's default, evaluated once; the first paragraph of a `///` comment is the field's documentation. Every
/// stored property must be readable and reachable in place: no `lazy`, no observers, no property wrapper, no constant
/// with a value.
///
/// An enum becomes a ``SchematicUnion``. A payload's fields are named after its labels; one without a label is `value`,
/// several are `value1`, `value2` and so on. Each case also gets a Bool `isCase` and a ``CasePath`` in `cases`. A case
/// with a payload gets an optional property of its name, which can be set only while the enum is that very case. A
/// property or nested type that the enum's own body declares under one of these names is left as it is.
///
/// Swift gives a public struct no public initialiser, so other modules cannot make a value of one: write `public init() {}`, or
/// one with arguments. The compiler says which where another module makes one.
///
/// Payload and property types must be ``Schematic`` themselves: `Bool`, `String`, numbers, `Duration`, optionals, arrays,
/// sets, ranges and dictionaries of such types, and types with `@Schema` are. A type with a raw value becomes one by
/// ``SchematicRawValue``, any other by ``Schema/scalar(_:_:read:)``. `Date`, `UUID` and other types of Foundation are with
/// the library StoreSchemaFoundation. A type cannot contain itself, be it by way of others:
/// its description would have no end. A payload changes in place, but one of an `indirect` case is copied first. The
/// schema of a generic type has its arguments in its name. It is looked up at every use, because generic types cannot hold
/// static storage, and so is that of a type in an extension, which may be generic. Prefer plain types outside of extensions
/// where actions or state are read often.
@attached(
  extension, conformances: SchematicRecord, SchematicUnion, CasePathable,
  names: named(init), named(schemaCaseIndex), named(schemaPayload), named(modifySchemaPayload))
@attached(member, names: named(schema), named(Cases), named(cases), arbitrary)
public macro Schema() = #externalMacro(module: "StoreSchemaMacros", type: "SchemaMacro")

/// Makes a stored property of a type with `@Schema` a sequence: a whole number that gives out ids, such as the id of the next item.
///
/// ```swift
/// @Schema struct Shop {
///   @Sequence var nextOrder = 1
/// }
/// ```
///
/// While several share the store, undo leaves a sequence where it stands, so that no id is given twice.
@attached(peer)
public macro Sequence() = #externalMacro(module: "StoreSchemaMacros", type: "SequenceMacro")
#endif

extension Field {
  /// Makes a field of a Swift type. `@Schema` writes these for the payloads of enum cases.
  @inlinable
  public convenience init<Payload: Schematic>(
    _ name: String, of type: Payload.Type, default defaultValue: Payload? = nil, documentation: String = ""
  ) {
    self.init(name, Payload.schema, default: defaultValue.map(\.schemaValue), documentation: documentation)
  }
}

extension FieldReader {
  /// The next field, whose name goes in front of an error's path.
  ///
  /// - Throws: ``SchemaError`` where the value is not of that type.
  @inlinable
  public mutating func next<Field: Schematic>(
    _ name: String, as type: Field.Type = Field.self
  ) throws(SchemaError) -> Field {
    do throws(SchemaError) {
      return try next(type)
    } catch {
      throw error.under(Path([.field(name)]))
    }
  }
}
