import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `@Schema`.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [SchemaMacro.self]
}
