import SchemaExpansion
import SwiftSyntax
import SwiftSyntaxMacros

/// The implementation of `@Schema`, under the name by which the compiler finds it.
public struct SchemaMacro: MemberMacro, ExtensionMacro {
  /// Writes the members.
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try SchemaExpansion.expansion(
      of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
  }

  /// Writes the conformances.
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    try SchemaExpansion.expansion(
      of: node, attachedTo: declaration, providingExtensionsOf: type, conformingTo: protocols, in: context)
  }
}
