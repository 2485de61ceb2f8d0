import SwiftSyntax

extension UnionShape {
  /// The static property `schema`.
  func schemaMember(_ surroundings: Surroundings) -> DeclSyntax {
    let value = """
      StoreSchema.Schema.union(
      Self.self, name: \(surroundings.typeName(name.plainName)),
      cases: [
      \(cases.map(\.description).joined(separator: ",\n"))
      ])
      """
    return """
      /// The type's description and the way into its values.
      \(raw: surroundings.schema(value))
      """
  }

  /// The requirements of `SchematicUnion` other than `schema`.
  func conformanceMembers(_ surroundings: Surroundings) -> [String] {
    var members = [
      initializer(surroundings.access), caseIndex(surroundings.access), payloadGetter(surroundings.access),
    ]
    if hasPayloads { members.append(payloadModifier(surroundings.access)) }
    return members
  }

  private func initializer(_ access: String) -> String {
    let branches = cases.enumerated().map { index, current in
      let arguments = current.payload.map { "\($0.labelPrefix)fields.next(\(quoted($0.fieldName)))" }
      let value = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      return "case \(index): self = \(arguments.isEmpty ? "" : "try ").\(current.name.text)\(value)"
    }
    let names = cases.map { quoted($0.name.plainName) }.joined(separator: ", ")
    return """
      /// Builds the case at a position of the schema, from 0, from its payload in declared order.
      \(access)init(
      schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader
      ) throws(StoreSchema.SchemaError) {
      switch index {
      \(branches.joined(separator: "\n"))
      default:
      throw StoreSchema.SchemaError(
      StoreSchema.Path(), .unknownCase(found: "case \\(index)", expected: [\(names)]))
      }
      }
      """
  }

  private func caseIndex(_ access: String) -> String {
    let branches = cases.enumerated().map { "case .\($1.name.text): \($0)" }
    return """
      /// The position of the current case in the schema, from 0.
      \(access)var schemaCaseIndex: Swift.Int {
      switch self {
      \(branches.joined(separator: "\n"))
      }
      }
      """
  }

  private func payloadGetter(_ access: String) -> String {
    let branches = cases.map { current in
      let values = current.locals.map { "\($0).schemaValue" }.joined(separator: ", ")
      return "case .\(current.name.text)\(current.bindings("let")): [\(values)]"
    }
    let body = hasPayloads ? "switch self {\n\(branches.joined(separator: "\n"))\n}" : "[]"
    return """
      /// The current case's payload in declared order.
      \(access)var schemaPayload: [StoreSchema.Value] {
      \(body)
      }
      """
  }

  private func payloadModifier(_ access: String) -> String {
    var branches = cases.filter { !$0.payload.isEmpty }.map { current in
      let changes = current.locals.enumerated().map { index, local in
        """
        case \(index):
        try Swift.withUnsafeMutablePointer(to: &\(local)) { try body(Swift.UnsafeMutableRawPointer($0)) }
        """
      }
      return """
        case .\(current.name.text)\(current.bindings("var")):
        defer { place.initialize(to: \(current.construction(of: current.locals))) }
        switch index {
        \(changes.joined(separator: "\n"))
        default: break
        }
        """
    }
    if branches.count < cases.count { branches.append("case let other: place.initialize(to: other)") }
    // Moved out of its place meanwhile, so that the payload has one owner and changes in place.
    return """
      /// Changes the current case's payload field at a position, from 0, in place.
      \(access)mutating func modifySchemaPayload(
      _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
      ) rethrows {
      try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      \(branches.joined(separator: "\n"))
      }
      }
      }
      """
  }
}

extension UnionShape.Case {
  /// Names for the payload's values: `value0`, `value1` and so on.
  var locals: [String] { payload.indices.map { "value\($0)" } }

  /// The pattern that binds the payload's values to ``locals``.
  func bindings(_ specifier: String) -> String {
    payload.isEmpty ? "" : "(\(locals.map { "\(specifier) \($0)" }.joined(separator: ", ")))"
  }

  /// The case made of those values.
  func construction(of values: [String]) -> String {
    let arguments = zip(payload, values).map { $0.labelPrefix + $1 }
    return ".\(name.text)" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
  }

  fileprivate var description: String {
    var arguments = [quoted(name.plainName)]
    if !payload.isEmpty {
      arguments.append("fields: [\n\(payload.map(\.description).joined(separator: ",\n"))\n]")
    }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    return "StoreSchema.UnionSchema.Case(\(arguments.joined(separator: ", ")))"
  }
}

extension UnionShape.Payload {
  /// The label with its colon, or empty.
  var labelPrefix: String { label.map { "\($0.text): " } ?? "" }

  fileprivate var description: String {
    var arguments = [quoted(fieldName), "of: \(type.trimmedDescription).self"]
    if let defaultText = defaultText(defaultValue, type: type) { arguments.append("default: \(defaultText)") }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    return "StoreSchema.Field(\(arguments.joined(separator: ", ")))"
  }
}
