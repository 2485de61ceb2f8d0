#if Macros || Publishers || All
import SwiftSyntax

/// The consequences of a declaration's place for the members written for it.
struct Surroundings {
  /// The modifier of the members, with a space behind it, or empty.
  let access: String
  /// True if the type or an outer one is generic, or may be, so that there can be no static stored properties.
  let isGeneric: Bool
  /// True if the type stands in another one. An extension of it then finds no names by way of the other.
  let isNested: Bool
  /// True if the type stands in an extension, directly or not. That does not tell whether the extended type is generic.
  private let isInExtension: Bool
  /// The names of the type parameters, those of the outer types first.
  private let typeParameters: [String]

  /// Looks at the declarations around it, the innermost first.
  init(of declaration: some DeclGroupSyntax, in lexicalContext: [Syntax]) {
    let enclosing = lexicalContext.first?.as(ExtensionDeclSyntax.self)
    access =
      Surroundings.access(declaration.modifiers) ?? enclosing.flatMap { Surroundings.access($0.modifiers) } ?? ""
    let parameters = ([Syntax(declaration)] + lexicalContext).compactMap {
      $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause?.parameters
    }
    isNested = !lexicalContext.isEmpty
    isInExtension = lexicalContext.contains { $0.is(ExtensionDeclSyntax.self) }
    isGeneric = !parameters.isEmpty || isInExtension
    // Values and packs are no types of their own.
    typeParameters = parameters.reversed().flatMap { $0 }.filter { $0.specifier == nil }.map(\.name.text)
  }

  /// The source text of a type's name, with its arguments where it is generic.
  func typeName(_ name: String) -> String {
    if isInExtension { return "StoreSchema.Schema.name(\(quoted(name)), within: Self.self)" }
    guard !typeParameters.isEmpty else { return quoted(name) }
    return
      "StoreSchema.Schema.name(\(quoted(name)), of: \(typeParameters.map { "\($0).self" }.joined(separator: ", ")))"
  }

  /// The static property `schema`, which a generic type has kept for it.
  func schema(_ value: String) -> String {
    isGeneric
      ? "\(access)static var schema: StoreSchema.Schema {\nStoreSchema.Schema.kept(for: Self.self) {\n\(value)\n}\n}"
      : "\(access)static let schema: StoreSchema.Schema = \(value)"
  }

  /// The static property `cases`.
  var cases: String {
    isGeneric ? "\(access)static var cases: Cases { Cases() }" : "\(access)static let cases: Cases = Cases()"
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
#endif
