#if Macros || Publishers || All
import SwiftDiagnostics
import SwiftSyntax

struct UnionShape {
  /// The enum's name, with backticks where the source has them.
  let name: TokenSyntax
  /// The cases in declared order.
  let cases: [Case]
  /// The names of the instance members that the enum's body declares.
  let ownMembers: Set<String>
  /// True if case paths are written: not where the enum declares a `Cases` or `cases` of its own.
  let hasCasePaths: Bool

  struct Case {
    let name: TokenSyntax
    let payload: [Payload]
    let documentation: String

    /// True if the payload is one value without a label, as the actions of a module are.
    var isBranch: Bool { payload.count == 1 && payload[0].label == nil }
  }

  /// A value of a case's payload.
  struct Payload {
    /// The label, nil where there is none.
    let label: TokenSyntax?
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

extension UnionShape {
  /// For each case a Bool `isCase`, and for each with a payload an optional property. Names that are taken are left
  /// out.
  func caseProperties(_ surroundings: Surroundings) -> [DeclSyntax] {
    var taken = ownMembers.union(UnionShape.requirements)
    var properties: [String] = []
    for current in cases where !current.payload.isEmpty && taken.insert(current.name.plainName).inserted {
      properties.append(current.optionalProperty(surroundings.access))
    }
    for current in cases where taken.insert(current.testName).inserted {
      properties.append(current.testProperty(surroundings.access))
    }
    return properties.map { "\(raw: $0)" }
  }

  /// The type `Cases` and its value `cases`.
  func casePaths(of cases: [Case], _ surroundings: Surroundings) -> [DeclSyntax] {
    guard hasCasePaths, !cases.isEmpty else { return [] }
    let paths = cases.map { $0.casePath(root: name.text, surroundings.access) }
    return [
      """
      /// The ways into the cases.
      \(raw: surroundings.access)struct Cases: Swift.Sendable {
      \(raw: paths.joined(separator: "\n"))
      }
      """,
      """
      /// The ways into the cases.
      \(raw: surroundings.cases)
      """,
    ]
  }

  // The members that the extension writes, and those that the compiler or the standard library gives an enum on
  // request.
  private static let requirements: Set<String> = [
    "schemaValue", "schemaCaseIndex", "schemaPayload", "hashValue", "self",
  ]
}

extension UnionShape.Case {
  /// `isCounter` for `counter`.
  fileprivate var testName: String { "is\(name.plainName.prefix(1).uppercased())\(name.plainName.dropFirst())" }

  fileprivate func testProperty(_ access: String) -> String {
    """
    /// Whether this is the case `\(name.plainName)`.
    \(access)var \(testName.isPlainIdentifier ? testName : "`\(testName)`"): Swift.Bool { if case .\(name.text) = self { true } else { false } }
    """
  }

  fileprivate func optionalProperty(_ access: String) -> String {
    """
    /// The payload of `\(name.plainName)`, nil in another case; setting it does nothing in another case.
    \(access)var \(name.text): (\(payloadType))? {
    get { if case .\(name.text)\(bindings("let")) = self { \(payloadValue) } else { nil } }
    set {
    guard case .\(name.text) = self, let newValue else { return }
    self = \(construction(of: elements(of: "newValue")))
    }
    }
    """
  }

  fileprivate func casePath(root: String, _ access: String) -> String {
    let embed = payload.isEmpty ? "{ _ in .\(name.text) }" : "{ \(construction(of: elements(of: "$0"))) }"
    return """
      /// The way into `\(name.plainName)`.
      \(access)let \(name.text) = StoreSchema.CasePath<\(root), \(payloadType)>(
      caseName: \(quoted(name.plainName)), embed: \(embed),
      extract: { if case .\(name.text)\(bindings("let")) = $0 { \(payloadValue) } else { nil } })
      """
  }

  /// The payload's type: the one value's, a tuple of several, or `Void`.
  private var payloadType: String {
    switch payload.count {
    case 0: "Swift.Void"
    case 1: payload[0].type.trimmedDescription
    default:
      "(\(payload.map { $0.labelPrefix + $0.type.trimmedDescription }.joined(separator: ", ")))"
    }
  }

  /// ``locals`` as one value of ``payloadType``.
  private var payloadValue: String {
    switch payload.count {
    case 1: locals[0]
    default: "(\(zip(payload, locals).map { $0.labelPrefix + $1 }.joined(separator: ", ")))"
    }
  }

  /// The parts of a value of ``payloadType``, in order.
  private func elements(of value: String) -> [String] {
    payload.count == 1 ? [value] : payload.indices.map { "\(value).\($0)" }
  }
}

extension String {
  fileprivate var isPlainIdentifier: Bool { allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber } }
}

extension UnionShape {
  /// The static property `schema`.
  func schemaMember(_ surroundings: Surroundings) -> DeclSyntax {
    let value = """
      StoreSchema.Schema.union(
      Self.self, name: \(surroundings.typeName(name.plainName)),
      cases: [
      \(cases.map(\.description).joined(separator: ",\n"))
      ])
      """
    return """
      /// The type's description and the way into its values.
      \(raw: surroundings.schema(value))
      """
  }

  /// The requirements of `SchematicUnion` other than `schema`.
  func conformanceMembers(_ surroundings: Surroundings) -> [String] {
    var members = [
      initializer(surroundings.access), caseIndex(surroundings.access), payloadGetter(surroundings.access),
    ]
    if hasPayloads { members.append(payloadModifier(surroundings.access)) }
    return members
  }

  private func initializer(_ access: String) -> String {
    let branches = cases.enumerated().map { index, current in
      let arguments = current.payload.map { "\($0.labelPrefix)fields.next(\(quoted($0.fieldName)))" }
      let value = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      return "case \(index): self = \(arguments.isEmpty ? "" : "try ").\(current.name.text)\(value)"
    }
    let names = cases.map { quoted($0.name.plainName) }.joined(separator: ", ")
    return """
      /// Builds the case at a position of the schema, from 0, from its payload in declared order.
      \(access)init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
      switch index {
      \(branches.joined(separator: "\n"))
      default:
      throw StoreSchema.SchemaError(StoreSchema.Path(), .unknownCase(found: "case \\(index)", expected: [\(names)]))
      }
      }
      """
  }

  private func caseIndex(_ access: String) -> String {
    let branches = cases.enumerated().map { "case .\($1.name.text): \($0)" }
    return """
      /// The position of the current case in the schema, from 0.
      \(access)var schemaCaseIndex: Swift.Int {
      switch self {
      \(branches.joined(separator: "\n"))
      }
      }
      """
  }

  private func payloadGetter(_ access: String) -> String {
    let branches = cases.map { current in
      let values = current.locals.map { "\($0).schemaValue" }.joined(separator: ", ")
      return "case .\(current.name.text)\(current.bindings("let")): [\(values)]"
    }
    let body = hasPayloads ? "switch self {\n\(branches.joined(separator: "\n"))\n}" : "[]"
    return """
      /// The current case's payload in declared order.
      \(access)var schemaPayload: [StoreSchema.Value] {
      \(body)
      }
      """
  }

  private func payloadModifier(_ access: String) -> String {
    var branches = cases.filter { !$0.payload.isEmpty }.map { current in
      let changes = current.locals.map {
        "try Swift.withUnsafeMutablePointer(to: &\($0)) { try body(Swift.UnsafeMutableRawPointer($0)) }"
      }
      let choice = changes.enumerated().map { "case \($0):\n\($1)" }.joined(separator: "\n")
      return """
        case .\(current.name.text)\(current.bindings("var")):
        defer { place.initialize(to: \(current.construction(of: current.locals))) }
        \(changes.count == 1 ? changes[0] : "switch index {\n\(choice)\ndefault: break\n}")
        """
    }
    if branches.count < cases.count { branches.append("case let other: place.initialize(to: other)") }
    // Moved out of its place meanwhile, so that the payload has one owner and changes in place.
    return """
      /// Changes the current case's payload field at a position, from 0, in place.
      \(access)mutating func modifySchemaPayload(
      _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
      ) rethrows {
      try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      \(branches.joined(separator: "\n"))
      }
      }
      }
      """
  }
}

extension UnionShape.Case {
  /// Names for the payload's values: `value0`, `value1` and so on.
  var locals: [String] { payload.indices.map { "value\($0)" } }

  /// The pattern that binds the payload's values to ``locals``.
  func bindings(_ specifier: String) -> String {
    payload.isEmpty ? "" : "(\(locals.map { "\(specifier) \($0)" }.joined(separator: ", ")))"
  }

  /// The case made of those values.
  func construction(of values: [String]) -> String {
    let arguments = zip(payload, values).map { $0.labelPrefix + $1 }
    return ".\(name.text)" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
  }

  fileprivate var description: String {
    var arguments = [quoted(name.plainName)]
    if !payload.isEmpty {
      let fields = payload.map(\.description)
      arguments.append("fields: [\(fields.count == 1 ? fields[0] : "\n\(fields.joined(separator: ",\n"))\n")]")
    }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    return "StoreSchema.UnionSchema.Case(\(arguments.joined(separator: ", ")))"
  }
}

extension UnionShape.Payload {
  /// The label with its colon, or empty.
  var labelPrefix: String { label.map { "\($0.text): " } ?? "" }

  fileprivate var description: String {
    var arguments = [quoted(fieldName), "of: \(type.trimmedDescription).self"]
    if let defaultText = defaultText(defaultValue, type: type) { arguments.append("default: \(defaultText)") }
    if !documentation.isEmpty { arguments.append("documentation: \(quoted(documentation))") }
    return "StoreSchema.Field(\(arguments.joined(separator: ", ")))"
  }
}
#endif
