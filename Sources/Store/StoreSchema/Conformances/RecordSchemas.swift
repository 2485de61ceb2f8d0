/// A stored property of a struct as its schema needs it: name, type, place. `@Schema` writes these.
public struct StoredField<Root>: Sendable {
  @usableFromInline let field: Field
  @usableFromInline let offset: Int?

  /// Describes the stored property at a key path.
  @inlinable
  public init<Property: Schematic>(
    _ name: String, _ property: KeyPath<Root, Property> & Sendable, default defaultValue: Property? = nil,
    documentation: String = "", isSequence: Bool = false
  ) {
    field = Field(
      name, Property.schema, default: defaultValue.map(\.schemaValue), documentation: documentation,
      isSequence: isSequence)
    offset = MemoryLayout<Root>.offset(of: property)
  }
}

extension Schema {
  /// The schema of a struct whose stored properties all have one.
  @inlinable
  public static func record<Root: SchematicRecord>(
    _ type: Root.Type, name: String, fields stored: [StoredField<Root>]
  ) -> Schema {
    let record = RecordSchema(name: name, fields: stored.map(\.field))
    let offsets = stored.compactMap(\.offset)
    precondition(offsets.count == stored.count, "\(name): every field of a schema must be a stored property")
    let comparisons = zip(offsets, record.fields).map { ($0, $1.schema.access.isEqual) }
    let fields = FlatFields(record, offsets: offsets, byteCount: MemoryLayout<Root>.size)
    return Schema(
      kind: .record(record),
      access: Access(
        byteCount: MemoryLayout<Root>.size, copies: Access.copying(Root.self),
        read: { fields.record(at: $0) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Root.self).pointee = try Root(schemaValue: value)
        },
        isEqual: { left, right in
          if hasSameBytes(left, right, MemoryLayout<Root>.size) { return true }
          for (offset, isEqual) in comparisons where !isEqual(left + offset, right + offset) { return false }
          return true
        },
        parts: .record(.flat(fields))))
  }

  /// The schema of an enum. An enum without any payload is a choice of names; its values are the names.
  @inlinable
  public static func union<Root: SchematicUnion>(
    _ type: Root.Type, name: String, cases: [UnionSchema.Case]
  ) -> Schema {
    let hasPayloads = cases.contains { !$0.fields.isEmpty }
    let kind: Kind =
      hasPayloads
      ? .union(UnionSchema(name: name, cases: cases)) : .choice(name: name, cases: cases.map(\.name))
    return Schema(
      kind: kind,
      access: Access(
        copies: Access.copying(Root.self),
        read: { source in
          let value = source.assumingMemoryBound(to: Root.self).pointee
          let current = cases[value.schemaCaseIndex]
          if current.fields.isEmpty { return .string(current.name) }
          return .variant(Variant(name: current.name, payload: Record(current.layout, value.schemaPayload)))
        },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Root.self).pointee = try Root(schemaValue: value)
        },
        isEqual: { left, right in
          let left = left.assumingMemoryBound(to: Root.self).pointee
          let right = right.assumingMemoryBound(to: Root.self).pointee
          return left.schemaCaseIndex == right.schemaCaseIndex && left.schemaPayload == right.schemaPayload
        },
        parts: .union(
          UnionAccess(
            caseIndex: { $0.assumingMemoryBound(to: Root.self).pointee.schemaCaseIndex },
            payload: { $0.assumingMemoryBound(to: Root.self).pointee.schemaPayload },
            modify: { target, index, body in
              try target.assumingMemoryBound(to: Root.self).pointee.modifySchemaPayload(index, body)
            }))))
  }
}
