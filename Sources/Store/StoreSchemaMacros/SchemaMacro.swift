#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macro `@Schema`: writes members and extensions.
///
/// Code that names the declaration's types goes into members: an extension of a nested type cannot see the names around
/// it. Initialisers go into the extension, as they would take the memberwise one away. Only the member half reports
/// diagnostics, so that each comes once.
public struct SchemaMacro: MemberMacro, ExtensionMacro {
  /// Writes the schema, and an enum's case properties and case paths.
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try SchemaExpansion(of: declaration, in: context.lexicalContext, mark: node).members
  }

  /// Writes the conformances.
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let expansion: SchemaExpansion
    do {
      expansion = try SchemaExpansion(of: declaration, in: context.lexicalContext, mark: node)
    } catch {
      return []
    }
    // The compiler leaves out of `protocols` what the type already conforms to.
    let missing = Set(protocols.map(\.trimmedDescription))
    let conformances = expansion.conformances.filter(missing.contains).map { "StoreSchema.\($0)" }
    let clause = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed)\(raw: clause) {\n\(raw: expansion.extensionMembers.joined(separator: "\n\n"))\n}")
    ]
  }
}

/// The code that `@Schema` adds to a declaration.
struct SchemaExpansion {
  /// The members that may name types around the declaration.
  let members: [DeclSyntax]
  /// The names of the protocols that the type then conforms to.
  let conformances: [String]
  let extensionMembers: [String]

  /// Reads a declaration.
  ///
  /// - Parameter lexicalContext: the declarations around it, the innermost first.
  /// - Parameter mark: the place of a complaint about the whole declaration.
  /// - Parameter isForUsers: false leaves out the case properties of an enum that is not public, and the paths into its
  ///   cases that are not branches.
  /// - Throws: `DiagnosticsError` with everything that is wrong.
  init(
    of declaration: some DeclGroupSyntax, in lexicalContext: [Syntax], mark: some SyntaxProtocol,
    isForUsers: Bool = true
  ) throws(DiagnosticsError) {
    let surroundings = Surroundings(of: declaration, in: lexicalContext)
    var diagnostics: [Diagnostic] = []
    if let declaration = declaration.as(StructDeclSyntax.self) {
      let record = RecordShape(declaration, &diagnostics)
      members = [record.schemaMember(surroundings)]
      conformances = ["SchematicRecord"]
      extensionMembers = [record.initializer(surroundings)] + record.missingInitializers(surroundings)
    } else if let declaration = declaration.as(EnumDeclSyntax.self) {
      let union = UnionShape(declaration, &diagnostics)
      let isWhole = isForUsers || surroundings.access == "public "
      let properties = isWhole ? union.caseProperties(surroundings) : []
      let paths = union.casePaths(of: isWhole ? union.cases : union.cases.filter(\.isBranch), surroundings)
      members = [union.schemaMember(surroundings)] + properties + paths
      conformances = paths.isEmpty ? ["SchematicUnion"] : ["SchematicUnion", "CasePathable"]
      extensionMembers = union.conformanceMembers(surroundings)
    } else {
      throw DiagnosticsError(diagnostics: [SchemaDiagnostic.notAValueType.at(mark)])
    }
    if !diagnostics.isEmpty { throw DiagnosticsError(diagnostics: diagnostics) }
  }
}
#endif
