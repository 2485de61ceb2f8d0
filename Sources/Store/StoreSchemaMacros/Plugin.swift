#if Macros || Publishers || All
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `@Schema`.
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [SchemaMacro.self, SequenceMacro.self]
}

/// The plug-in's program. The compiler gives it no arguments; with the argument `write` it reads Swift from standard input
/// and prints its ``WrittenSchemas``.
@main
enum Program {
  static func main() throws {
    guard CommandLine.arguments.dropFirst().elementsEqual(["write"]) else { return try Plugin.main() }
    var source = ""
    while let line = readLine(strippingNewline: false) { source += line }
    print(WrittenSchemas(of: source).text)
  }
}
#else
// Packages without the trait `Macros` may build this target, and never run it.
@main
enum Program {
  static func main() {}
}
#endif
