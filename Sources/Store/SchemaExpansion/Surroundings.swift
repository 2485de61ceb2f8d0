import SwiftSyntax
import SwiftSyntaxMacros

/// The consequences of a declaration's place for the members written for it.
struct Surroundings {
  /// The modifier of the members, with a space behind it, or empty.
  let access: String
  /// True if the type or an outer one is generic, so that there can be no static stored properties.
  let isGeneric: Bool

  init(of declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
    let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
    access =
      Surroundings.access(declaration.modifiers) ?? enclosing.flatMap { Surroundings.access($0.modifiers) } ?? ""
    isGeneric = ([Syntax(declaration)] + context.lexicalContext).contains { node in
      node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
  }

  /// `static let name: type = value`, or the computed form in a generic type.
  func constant(_ name: String, type: String, _ value: String) -> String {
    isGeneric
      ? "\(access)static var \(name): \(type) {\n\(value)\n}" : "\(access)static let \(name): \(type) = \(value)"
  }

  private static func access(_ modifiers: DeclModifierListSyntax) -> String? {
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      case .keyword(.internal): return ""
      // A private type is visible to its whole file when it stands at the top; `fileprivate` members always suffice.
      case .keyword(.fileprivate), .keyword(.private): return "fileprivate "
      default: continue
      }
    }
    return nil
  }
}
