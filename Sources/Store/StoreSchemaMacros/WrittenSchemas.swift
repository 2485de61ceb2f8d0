#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// The code that `@Schema` adds to the marked declarations of a source text, as a source text of its own.
///
/// A comment `// @Schema` before a declaration marks it, and so does the attribute. The text has the imports of the source,
/// and an extension for each marked declaration, in their order. A fault of a declaration becomes an `#error`. The targets that
/// have their schemas written out use no case properties, and only paths into branches: others are written for users alone,
/// and so is documentation.
struct WrittenSchemas {
  /// The extensions, not indented.
  let text: String

  init(of source: String) {
    let search = MarkedDeclarations(viewMode: .sourceAccurate)
    search.walk(Parser.parse(source: source))
    text = (search.imports.sorted() + search.declarations.map(WrittenSchemas.text)).joined(separator: "\n")
  }

  private static func text(of declaration: any DeclGroupSyntax) -> String {
    let contexts = declaration.allMacroLexicalContexts()
    let name = ([Syntax(declaration)] + contexts).reversed().compactMap(typeName).joined(separator: ".")
    do {
      let expansion = try SchemaExpansion(of: declaration, in: contexts, mark: declaration, isForUsers: false)
      let conformances = expansion.conformances.map { "StoreSchema.\($0)" }.joined(separator: ", ")
      let members = (expansion.members.map(\.description) + expansion.extensionMembers).joined(separator: "\n\n")
      let lines = members.split(separator: "\n", omittingEmptySubsequences: false)
      let shown = members.contains("public ") ? lines : lines.filter { !$0.hasPrefix("///") }
      return "\nextension \(name): \(conformances) {\n\(shown.joined(separator: "\n"))\n}"
    } catch {
      return error.diagnostics.map { "#error(\(quoted("\(name): \($0.message)")))" }.joined(separator: "\n")
    }
  }

  private static func typeName(_ declaration: Syntax) -> String? {
    declaration.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
      ?? declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
  }
}

private final class MarkedDeclarations: SyntaxAnyVisitor {
  private(set) var imports: Set<String> = []
  private(set) var declarations: [any DeclGroupSyntax] = []

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    if let node = node.as(ImportDeclSyntax.self) {
      imports.insert(node.trimmedDescription)
    } else if let declaration = node.asProtocol((any DeclGroupSyntax).self), MarkedDeclarations.isMarked(declaration) {
      declarations.append(declaration)
    }
    return .visitChildren
  }

  private static func isMarked(_ declaration: any DeclGroupSyntax) -> Bool {
    let attributes = declaration.attributes.compactMap {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription
    }
    return attributes.contains("Schema")
      || declaration.leadingTrivia.contains {
        if case .lineComment(let comment) = $0 { comment.hasPrefix("// @Schema") } else { false }
      }
  }
}
#endif
