import SwiftDiagnostics
import SwiftSyntax

/// An enum's cases.
struct UnionShape {
  /// The enum's name, with backticks where the source has them.
  let name: TokenSyntax
  /// The cases in declared order.
  let cases: [Case]
  /// The names of the instance members that the enum's body declares.
  let ownMembers: Set<String>
  /// True if case paths are written: not where the enum declares a `Cases` or `cases` of its own.
  let hasCasePaths: Bool

  /// A case of the enum.
  struct Case {
    let name: TokenSyntax
    let payload: [Payload]
    let documentation: String
  }

  /// A value of a case's payload.
  struct Payload {
    /// The label, nil where there is none.
    let label: TokenSyntax?
    /// The field's name in the schema.
    let fieldName: String
    let type: TypeSyntax
    let defaultValue: ExprSyntax?
    let documentation: String
  }

  /// True if any case has a payload.
  var hasPayloads: Bool { cases.contains { !$0.payload.isEmpty } }

  init(_ declaration: EnumDeclSyntax, _ diagnostics: inout [Diagnostic]) {
    name = declaration.name
    let owner = name.plainName
    var cases: [Case] = []
    var names: Set<String> = []
    for member in declaration.memberBlock.members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self), conditional.declaresStorage {
        diagnostics.append(SchemaDiagnostic.conditional.at(conditional))
      }
      guard let declared = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
      for element in declared.elements {
        let name = element.name.plainName
        if !names.insert(name).inserted { diagnostics.append(SchemaDiagnostic.overloadedCase(name).at(element)) }
        if UnionShape.reserved.contains(name) { diagnostics.append(SchemaDiagnostic.reservedCase(name).at(element)) }
        let own = Documentation(element.leadingTrivia)
        let documentation = own.summary.isEmpty ? Documentation(declared.leadingTrivia) : own
        let payload = UnionShape.payload(of: element, in: owner, documentation.parameters, &diagnostics)
        cases.append(Case(name: element.name.trimmed, payload: payload, documentation: documentation.summary))
      }
    }
    if cases.isEmpty, diagnostics.isEmpty { diagnostics.append(SchemaDiagnostic.noCases.at(declaration.name)) }
    self.cases = cases
    let (instance, type) = UnionShape.memberNames(declaration.memberBlock.members)
    ownMembers = instance
    hasCasePaths = type.isDisjoint(with: ["Cases", "cases"])
  }

  private static let reserved: Set<String> = ["schema", "cases", "Cases"]

  private static func payload(
    of element: EnumCaseElementSyntax, in owner: String, _ documentation: [String: String],
    _ diagnostics: inout [Diagnostic]
  ) -> [Payload] {
    guard let parameters = element.parameterClause?.parameters else { return [] }
    let unnamed = parameters.filter { $0.explicitName == nil }.count
    var position = 0
    var names: Set<String> = []
    var payload: [Payload] = []
    for parameter in parameters {
      let fieldName: String
      if let name = parameter.explicitName {
        fieldName = name.plainName
      } else {
        position += 1
        fieldName = unnamed == 1 ? "value" : "value\(position)"
      }
      if let complaint = TypeRules.complaint(about: parameter.type, in: owner) { diagnostics.append(complaint) }
      if !names.insert(fieldName).inserted {
        diagnostics.append(SchemaDiagnostic.repeatedLabel(fieldName).at(parameter))
      }
      let own = Documentation(parameter.leadingTrivia).summary
      payload.append(
        Payload(
          label: parameter.label?.trimmed, fieldName: fieldName, type: parameter.type.trimmed,
          defaultValue: parameter.defaultValue?.value,
          documentation: own.isEmpty ? documentation[fieldName] ?? "" : own))
    }
    return payload
  }

  private static func memberNames(_ members: MemberBlockItemListSyntax) -> (instance: Set<String>, type: Set<String>) {
    var instance: Set<String> = []
    var type: Set<String> = []
    for member in members {
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        let names = variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName }
        if variable.isStatic { type.formUnion(names) } else { instance.formUnion(names) }
      } else if let function = member.decl.as(FunctionDeclSyntax.self) {
        let isStatic = function.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
        if isStatic { type.insert(function.name.plainName) } else { instance.insert(function.name.plainName) }
      } else if let nested = member.decl.asProtocol((any NamedDeclSyntax).self) {
        type.insert(nested.name.plainName)
      }
    }
    return (instance, type)
  }
}

extension EnumCaseParameterSyntax {
  /// The label that callers write.
  fileprivate var label: TokenSyntax? {
    guard let firstName, firstName.tokenKind != .wildcard else { return nil }
    return firstName
  }

  /// The name that the source gives the value: its label, or what stands behind `_`.
  fileprivate var explicitName: TokenSyntax? { label ?? secondName }
}
