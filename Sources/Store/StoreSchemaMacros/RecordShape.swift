#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftSyntax

struct RecordShape {
  /// The struct's name, with backticks where the source has them.
  let name: TokenSyntax
  /// The stored properties in declared order.
  let properties: [Property]
  /// True if the struct's body declares an initialiser.
  let hasInitializer: Bool

  struct Property {
    let name: TokenSyntax
    /// The written type, if any.
    let type: TypeSyntax?
    /// The initial value, if any.
    let initialValue: ExprSyntax?
    /// True if a value needs none given for the property.
    let isFilled: Bool
    let documentation: String
    /// True if it gives out ids.
    let isSequence: Bool
    /// True if every other module sees it, by its own modifier.
    let isPublic: Bool
  }

  init(_ declaration: StructDeclSyntax, _ diagnostics: inout [Diagnostic]) {
    name = declaration.name
    let owner = name.plainName
    var properties: [Property] = []
    for member in declaration.memberBlock.members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self), conditional.declaresStorage {
        diagnostics.append(SchemaDiagnostic.conditional.at(conditional))
      }
      guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic else { continue }
      properties += RecordShape.properties(of: variable, in: owner, &diagnostics)
    }
    self.properties = properties
    hasInitializer = declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
  }

  private static func properties(
    of variable: VariableDeclSyntax, in owner: String, _ diagnostics: inout [Diagnostic]
  ) -> [Property] {
    let documentation = Documentation(variable.leadingTrivia).summary
    var properties: [Property] = []
    // In `var a, b: Int` the type stands behind the last name only.
    var sharedType: TypeSyntax?
    for binding in variable.bindings.reversed() {
      if binding.typeAnnotation != nil || binding.initializer != nil { sharedType = binding.typeAnnotation?.type }
      if binding.isComputed { continue }
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
        diagnostics.append(SchemaDiagnostic.pattern.at(binding.pattern))
        continue
      }
      if let complaint = complaint(about: variable, binding, name.plainName) {
        diagnostics.append(complaint)
        continue
      }
      if let type = sharedType, let complaint = TypeRules.complaint(about: type, in: owner) {
        diagnostics.append(complaint)
        continue
      }
      properties.append(
        Property(
          name: name.trimmed, type: sharedType, initialValue: binding.initializer?.value,
          isFilled: binding.initializer != nil
            || variable.bindingSpecifier.tokenKind == .keyword(.var)
              && sharedType.map { $0.is(OptionalTypeSyntax.self) } ?? false,
          documentation: documentation, isSequence: variable.isSequence,
          isPublic: variable.attributes.isEmpty
            && variable.modifiers.contains { $0.detail == nil && $0.name.tokenKind == .keyword(.public) }))
    }
    return properties.reversed()
  }

  private static func complaint(
    about variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: String
  ) -> Diagnostic? {
    if binding.accessorBlock != nil { return SchemaDiagnostic.observed(name).at(binding) }
    if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      return SchemaDiagnostic.lazy(name).at(variable)
    }
    for case .attribute(let attribute) in variable.attributes {
      let attributeName = attribute.attributeName.trimmedDescription
      if harmlessAttributes.contains(attributeName) { continue }
      return SchemaDiagnostic.attributed(name, attribute: "@\(attributeName)").at(attribute)
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
      return SchemaDiagnostic.constant(name).at(binding)
    }
    return nil
  }

  private static let harmlessAttributes: Set<String> = [
    "available", "usableFromInline", "_spi", "Sequence", "StoreSchema.Sequence",
  ]
}

extension VariableDeclSyntax {
  /// True if it is marked as a number that gives out ids: by `@Sequence`, or where macros are written out by a comment of that text.
  fileprivate var isSequence: Bool {
    attributes.contains { attribute in
      guard case .attribute(let attribute) = attribute else { return false }
      return ["Sequence", "StoreSchema.Sequence"].contains(attribute.attributeName.trimmedDescription)
    }
      || leadingTrivia.contains { piece in
        if case .lineComment("// @Sequence") = piece { true } else { false }
      }
  }

  /// True if the property belongs to the type and not to its values.
  var isStatic: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
  }
}

extension PatternBindingSyntax {
  /// True if there is a getter in place of storage; observers do not count.
  fileprivate var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: return false
    case .getter: return true
    case .accessors(let accessors):
      return !accessors.allSatisfy {
        [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
      }
    }
  }
}

extension IfConfigDeclSyntax {
  /// True if a branch holds stored properties or cases.
  var declaresStorage: Bool {
    clauses.contains { clause in
      guard case .decls(let members) = clause.elements else { return false }
      return members.contains { member in
        if member.decl.is(EnumCaseDeclSyntax.self) { return true }
        if let nested = member.decl.as(IfConfigDeclSyntax.self) { return nested.declaresStorage }
        guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic else { return false }
        return variable.bindings.contains { !$0.isComputed }
      }
    }
  }
}

extension RecordShape {
  /// The static property `schema`.
  func schemaMember(_ surroundings: Surroundings) -> DeclSyntax {
    let fields = properties.map(\.storedField)
    let value = """
      StoreSchema.Schema.record(
      Self.self, name: \(surroundings.typeName(name.plainName)),
      fields: [\(fields.count == 1 ? fields[0] : "\n\(fields.joined(separator: ",\n"))\n")])
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

  /// Initialisers that say what to write where another module makes a value as this one does. Swift would name the initialisers that
  /// a schema needs, since it hides its own from other modules. An available initialiser goes before them.
  func missingInitializers(_ surroundings: Surroundings) -> [String] {
    let access = surroundings.access.dropLast()
    guard access == "public" || access == "package", !hasInitializer else { return [] }
    let needed = properties.filter { !$0.isFilled }
    let parameters = needed.map { "\($0.name.text): \($0.writtenType)" }.joined(separator: ", ")
    let assignments = needed.map { "self.\($0.name.text) = \($0.name.text)" }.joined(separator: "; ")
    let body = needed.isEmpty ? "{}" : "{ \(assignments) }"
    let message =
      "'\(name.plainName)' has no \(access) init; write '\(access) init(\(parameters)) \(body)' in it, for other modules"
    func initializer(_ parameters: [String]) -> String {
      let parameters = (parameters + ["_ none: Swift.Never..."]).joined(separator: ", ")
      return """
        /// Not there: the struct declares no initialiser for other modules.
        @available(*, unavailable, message: \(quoted(message)))
        \(surroundings.access)init(\(parameters)) {
        \(needed.isEmpty ? "" : "switch none[0] {}")
        }
        """
    }
    let all = properties.map { $0.parameter(isNested: surroundings.isNested) }
    return [initializer(all)] + (needed.isEmpty ? [] : [initializer([])])
  }
}

extension RecordShape.Property {
  /// The type as it is written, without what only a property may have.
  fileprivate var writtenType: String {
    guard let type else { return "Any" }
    return type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType.trimmedDescription)?" }
      ?? type.trimmedDescription
  }

  /// The property as a parameter of an initialiser without calls. Other modules may not see the type of a property that they do not
  /// see, and the extension of a nested type finds no names by way of the outer type.
  fileprivate func parameter(isNested: Bool) -> String {
    if isFilled { return "\(name.text): Any? = nil" }
    return "\(name.text): \(isPublic && !isNested ? writtenType : "Any")"
  }

  fileprivate var storedField: String {
    var arguments = [quoted(name.plainName), "\\.\(name.text)"]
    if let defaultText = defaultText(initialValue, type: type) { arguments.append("default: \(defaultText)") }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    if isSequence { arguments.append("isSequence: true") }
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
#endif
