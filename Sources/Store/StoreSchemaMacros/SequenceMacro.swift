#if Macros || Publishers || All
import SwiftSyntax
import SwiftSyntaxMacros

/// The mark of a sequence, which `@Schema` reads: by itself it adds nothing.
struct SequenceMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
#endif
