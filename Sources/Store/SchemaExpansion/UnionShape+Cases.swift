import SwiftSyntax

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
  func casePaths(_ surroundings: Surroundings) -> [DeclSyntax] {
    guard hasCasePaths else { return [] }
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
    \(access)var \(testName.isPlainIdentifier ? testName : "`\(testName)`"): Swift.Bool {
    if case .\(name.text) = self { true } else { false }
    }
    """
  }

  fileprivate func optionalProperty(_ access: String) -> String {
    """
    /// The payload of `\(name.plainName)`, nil in another case; setting it does nothing in another case.
    \(access)var \(name.text): (\(payloadType))? {
    get {
    if case .\(name.text)\(bindings("let")) = self { \(payloadValue) } else { nil }
    }
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
