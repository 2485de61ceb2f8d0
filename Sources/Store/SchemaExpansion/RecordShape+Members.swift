import SwiftSyntax

extension RecordShape {
  /// The static property `schema`.
  func schemaMember(_ surroundings: Surroundings) -> DeclSyntax {
    let fields = properties.map { "  \($0.storedField)" }.joined(separator: ",\n")
    let value = """
      StoreSchema.Schema.record(
      Self.self, name: \(surroundings.typeName(name.plainName)),
      fields: [
      \(fields)
      ])
      """
    return """
      /// The type's description and the way into its values.
      \(raw: surroundings.schema(value))
      """
  }

  /// The initialiser from the fields in declared order.
  func initializer(_ surroundings: Surroundings) -> String {
    let assignments = properties.map { property in
      "self.\(property.name.text) = try fields.next(\(quoted(property.name.plainName)))"
    }
    return """
      /// Builds the struct from its fields in declared order.
      \(surroundings.access)init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
      \(assignments.joined(separator: "\n"))
      }
      """
  }
}

extension RecordShape.Property {
  fileprivate var storedField: String {
    var arguments = [quoted(name.plainName), "\\.\(name.text)"]
    if let defaultText = defaultText(initialValue, type: type) { arguments.append("default: \(defaultText)") }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    return "StoreSchema.StoredField<Self>(\(arguments.joined(separator: ", ")))"
  }
}

/// An initial value as the text of a `default:` argument; nil: there is none, or it is `nil`, as an absent optional is
/// anyway.
func defaultText(_ value: ExprSyntax?, type: TypeSyntax?) -> String? {
  guard let value, !value.is(NilLiteralExprSyntax.self) else { return nil }
  guard let type else { return value.trimmedDescription }
  // With its type spelt out, `.none` cannot be taken for the absence of a default.
  let spelling =
    type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType.trimmedDescription)?" }
    ?? type.trimmedDescription
  return "(\(value.trimmedDescription)) as \(spelling)"
}
