import SwiftSyntax
import SwiftSyntaxMacros

/// The consequences of a declaration's place for the members written for it.
struct Surroundings {
  /// The modifier of the members, with a space behind it, or empty.
  let access: String
  /// True if the type or an outer one is generic, so that there can be no static stored properties.
  let isGeneric: Bool
  /// The names of the type parameters, those of the outer types first.
  private let typeParameters: [String]

  init(of declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
    let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
    access =
      Surroundings.access(declaration.modifiers) ?? enclosing.flatMap { Surroundings.access($0.modifiers) } ?? ""
    let parameters = ([Syntax(declaration)] + context.lexicalContext).compactMap {
      $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause?.parameters
    }
    isGeneric = !parameters.isEmpty
    // Values and packs are no types of their own.
    typeParameters = parameters.reversed().flatMap { $0 }.filter { $0.specifier == nil }.map(\.name.text)
  }

  /// The source text of a type's name, with its arguments where it is generic.
  func typeName(_ name: String) -> String {
    guard !typeParameters.isEmpty else { return quoted(name) }
    return
      "StoreSchema.Schema.name(\(quoted(name)), of: \(typeParameters.map { "\($0).self" }.joined(separator: ", ")))"
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
