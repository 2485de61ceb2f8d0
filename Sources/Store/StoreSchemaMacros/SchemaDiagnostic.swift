#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftSyntax

/// The mistakes that `@Schema` refuses, each with what to do instead.
enum SchemaDiagnostic: DiagnosticMessage {
  case notAValueType
  case constant(String)
  case observed(String)
  case lazy(String)
  case attributed(String, attribute: String)
  case pattern
  case conditional
  case closure(String)
  case tuple(String)
  case recursive(String)
  case noCases
  case overloadedCase(String)
  case repeatedLabel(String)
  case reservedCase(String)

  var message: String {
    switch self {
    case .notAValueType:
      "@Schema needs a struct or an enum: a schema describes values and reaches into them in place"
    case .constant(let name):
      "'\(name)' is a constant with a value, so nothing can be read back into it; make it 'static let', or 'var'"
    case .observed(let name):
      "'\(name)' has observers, which a change in place would pass by; remove them, or make it a computed property"
    case .lazy(let name):
      "'\(name)' is lazy, so there may be no value to reach; give it an initial value without 'lazy'"
    case .attributed(let name, let attribute):
      "'\(name)' has \(attribute), behind which there may be no stored property of that name; remove the attribute"
    case .pattern:
      "@Schema needs one name a property; declare the properties one by one"
    case .conditional:
      "@Schema cannot see which branch of '#if' is compiled; move stored properties and cases out of it"
    case .closure(let type):
      "'\(type)' is a closure, which cannot have a schema; keep a value here and the code elsewhere"
    case .tuple(let type):
      "'\(type)' is a tuple, which cannot have a schema; declare a struct with @Schema"
    case .recursive(let type):
      "'\(type)' contains itself, so its schema would have no end; refer to the inner values by an id"
    case .noCases:
      "@Schema needs an enum with at least one case"
    case .overloadedCase(let name):
      "there are two cases named '\(name)', and a schema tells cases apart by their names; rename one"
    case .repeatedLabel(let name):
      "there are two values named '\(name)', and a schema tells them apart by their labels; rename one"
    case .reservedCase(let name):
      "a case named '\(name)' collides with a member that @Schema writes; rename it"
    }
  }

  /// The name of the case, without what it says of the source.
  var diagnosticID: MessageID { MessageID(domain: "StoreSchema", id: String("\(self)".prefix { $0.isLetter })) }

  var severity: DiagnosticSeverity { .error }

  func at(_ node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: Syntax(node), message: self) }
}
#endif
