import SchemaExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A source text after `@Schema` was expanded in it.
struct Expansion {
  /// The expanded text.
  let text: String
  /// What the macro said.
  let messages: [String]
  /// The identifiers of what it said.
  let identifiers: [MessageID]

  /// Expands `@Schema` without the compiler. Nothing here checks types.
  init(_ source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    let expanded = file.expand(
      macroSpecs: [
        "Schema": MacroSpec(
          type: SchemaExpansion.self, conformances: ["SchematicRecord", "SchematicUnion", "CasePathable"])
      ],
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2))
    text = expanded.description
    messages = context.diagnostics.map(\.message)
    identifiers = context.diagnostics.map(\.diagnosticID)
  }
}
