extension Schema {
  /// The names of all fields of a type and of the types within it, in declared order.
  package var fieldsWithin: [String] {
    switch kind {
    case .bool, .int, .double, .decimal, .string, .any, .choice: []
    case .optional(let wrapped), .list(let wrapped), .map(_, let wrapped): wrapped.fieldsWithin
    case .record(let record): record.fields.flatMap { [$0.name] + $0.schema.fieldsWithin }
    case .union(let union): union.cases.flatMap(\.fields).flatMap { [$0.name] + $0.schema.fieldsWithin }
    }
  }
}

/// The types with names of their own that schemas are made of, each once: records, cases with names, unions. A listing
/// describes a type by its ``Schema/typeDetail``.
public struct NamedTypes {
  /// The details of each type, in the order in which they were met.
  public private(set) var details: [String] = []
  /// The name of two generic types that hold other values, where there are such. Other types may well have one name, as the
  /// `State` of several features; the name of a generic one has arguments to tell it by.
  package private(set) var duplicate: String?
  private var seen: Set<String> = []
  private var generic: [String: String] = [:]

  /// No types so far.
  public init() {}

  /// Takes in the types of a schema that were not met before: its own, and those within it.
  ///
  /// - Parameter isKnown: true if the reader knows the outermost one already, so that only what is within it is new.
  public mutating func add(_ schema: Schema, isKnown: Bool = false) {
    switch schema.kind {
    case .bool, .int, .double, .decimal, .string, .any: break
    case .optional(let wrapped), .list(let wrapped), .map(_, let wrapped): add(wrapped, isKnown: isKnown)
    case .choice: note(schema, isKnown)
    case .record(let record):
      note(schema, isKnown)
      for field in record.fields { add(field.schema) }
    case .union(let union):
      note(schema, isKnown)
      for field in union.cases.flatMap(\.fields) { add(field.schema) }
    }
  }

  private mutating func note(_ schema: Schema, _ isKnown: Bool) {
    let (name, shape) = (schema.typeName, schema.shape)
    if name.hasSuffix(">"), generic.updateValue(shape, forKey: name) ?? shape != shape { duplicate = name }
    guard let detail = schema.typeDetail, seen.insert(detail).inserted, !isKnown else { return }
    details.append(detail)
  }
}
