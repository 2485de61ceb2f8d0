#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftSyntax

/// The objections to a type by its spelling alone; the compiler checks the rest.
enum TypeRules {
  /// The complaint about a property's or payload's type, or nil.
  static func complaint(about type: TypeSyntax, in owner: String) -> Diagnostic? {
    if let attributed = type.as(AttributedTypeSyntax.self) { return complaint(about: attributed.baseType, in: owner) }
    if type.is(FunctionTypeSyntax.self) { return SchemaDiagnostic.closure(type.trimmedDescription).at(type) }
    if let tuple = type.as(TupleTypeSyntax.self) {
      guard tuple.elements.count == 1, let only = tuple.elements.first else {
        return SchemaDiagnostic.tuple(type.trimmedDescription).at(type)
      }
      return complaint(about: only.type, in: owner)
    }
    if let optional = type.as(OptionalTypeSyntax.self) { return complaint(about: optional.wrappedType, in: owner) }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return complaint(about: optional.wrappedType, in: owner)
    }
    if let array = type.as(ArrayTypeSyntax.self) { return complaint(about: array.element, in: owner) }
    if let dictionary = type.as(DictionaryTypeSyntax.self) { return complaint(about: dictionary.value, in: owner) }
    guard let identifier = type.as(IdentifierTypeSyntax.self) else { return nil }
    guard let arguments = identifier.genericArgumentClause?.arguments else {
      let isOwner = identifier.name.text == owner || identifier.name.tokenKind == .keyword(.Self)
      return isOwner ? SchemaDiagnostic.recursive(type.trimmedDescription).at(type) : nil
    }
    guard containers.contains(identifier.name.text) else { return nil }
    for argument in arguments {
      if let type = argument.argument.as(TypeSyntax.self), let found = complaint(about: type, in: owner) {
        return found
      }
    }
    return nil
  }

  // Other generic types may well give a schema without asking for their argument's.
  private static let containers: Set<String> = [
    "Optional", "Array", "Set", "Dictionary", "TreeDictionary", "PersistentList", "PersistentMap",
  ]
}

extension TokenSyntax {
  /// The name without backticks.
  var plainName: String { identifier?.name ?? text.filter { $0 != "`" } }
}

func quoted(_ text: String) -> String {
  var out = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": out += "\\\(scalar)"
    case "\n": out += "\\n"
    case "\r": out += "\\r"
    case "\0": out += "\\0"
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "\""
}
#endif
