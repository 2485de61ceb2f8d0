import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macro `@Schema`: writes members and extensions.
///
/// Code that names the declaration's types goes into members: an extension of a nested type cannot see the names around
/// it. Initialisers go into the extension, as they would take the memberwise one away. Only the member half reports
/// diagnostics, so that each comes once.
public enum SchemaExpansion: MemberMacro, ExtensionMacro {
  /// Writes the schema, and an enum's case properties and case paths.
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let surroundings = Surroundings(of: declaration, in: context)
    switch try Shape(of: declaration, attribute: node) {
    case .record(let record): return [record.schemaMember(surroundings)]
    case .union(let union):
      return [union.schemaMember(surroundings)] + union.caseProperties(surroundings) + union.casePaths(surroundings)
    }
  }

  /// Writes the conformances.
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let surroundings = Surroundings(of: declaration, in: context)
    let shape: Shape
    do {
      shape = try Shape(of: declaration, attribute: node)
    } catch {
      return []
    }
    let wanted: Set<String>
    let members: [String]
    switch shape {
    case .record(let record):
      wanted = ["SchematicRecord"]
      members = [record.initializer(surroundings)]
    case .union(let union):
      wanted = union.hasCasePaths ? ["SchematicUnion", "CasePathable"] : ["SchematicUnion"]
      members = union.conformanceMembers(surroundings)
    }
    // The compiler leaves out of `protocols` what the type already conforms to.
    let conformances = protocols.map(\.trimmedDescription).filter(wanted.contains).map { "StoreSchema.\($0)" }
    let clause = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed)\(raw: clause) {\n\(raw: members.joined(separator: "\n\n"))\n}")
    ]
  }
}

/// The declaration that `@Schema` is attached to, read and found fit.
enum Shape {
  case record(RecordShape)
  case union(UnionShape)

  /// Reads a declaration.
  ///
  /// - Throws: `DiagnosticsError` with everything that is wrong.
  init(of declaration: some DeclGroupSyntax, attribute: AttributeSyntax) throws {
    var diagnostics: [Diagnostic] = []
    if let declaration = declaration.as(StructDeclSyntax.self) {
      self = .record(RecordShape(declaration, &diagnostics))
    } else if let declaration = declaration.as(EnumDeclSyntax.self) {
      self = .union(UnionShape(declaration, &diagnostics))
    } else {
      throw DiagnosticsError(diagnostics: [SchemaDiagnostic.notAValueType.at(attribute)])
    }
    if !diagnostics.isEmpty { throw DiagnosticsError(diagnostics: diagnostics) }
  }
}
