import Testing

/// What of the expansion only its text shows: access levels, and where storage is.
@Suite struct ExpansionTests {
  @Test(arguments: [
    ("public struct Box { public var a: Int }", "public static let schema:"),
    ("package struct Box { var a: Int }", "package static let schema:"),
    ("struct Box { var a: Int }", "\nstatic let schema:"),
    ("private struct Box { var a: Int }", "fileprivate static let schema:"),
    ("fileprivate enum Box { case a(Int) }", "fileprivate static let cases:"),
    ("struct Box<Element: Schematic> { var a: Element }", "\nstatic var schema:"),
    ("public enum Box<Element: Schematic> { case a(Element) }", "public static var cases:"),
    ("struct Box { @Sequence var nextId = 1 }", "isSequence: true"),
  ])
  func membersFollowTheType(source: String, part: String) throws {
    #expect(try Expansion("@Schema\n\(source)").text.contains(part))
  }

  @Test(
    arguments: [
      (
        "public struct Box { public var a = 1; var b: Int? }",
        "'Box' has no public init; write 'public init() {}' in it"
      ),
      ("package struct Box { var a = 1 }", "'Box' has no package init; write 'package init() {}' in it"),
      ("public struct Box { public var a = 1; public init() {} }", nil),
      (
        "public struct Box { public var a: Int; var b: Part; public var c = 1 }",
        "'Box' has no public init; write 'public init(a: Int, b: Part) { self.a = a; self.b = b }' in it"
      ),
      (
        "public struct Box { public let a: Int? }",
        "'Box' has no public init; write 'public init(a: Int?) { self.a = a }' in it"
      ),
      ("public struct Box { public var a: Int; init(a: Int) { self.a = a } }", nil),
      ("struct Box { var a = 1 }", nil),
    ] as [(String, String?)])
  func aPublicStructSaysThatItLacksAnInitialiser(source: String, message: String?) throws {
    let text = try Expansion("@Schema\n\(source)").text
    #expect(text.contains("unavailable") == (message != nil))
    if let message { #expect(text.contains(message)) }
  }

  /// The missing initialiser takes what that of the own module takes, as far as other modules may know the types.
  @Test(arguments: [
    (
      "@Schema public struct Box { public var a: Int; var b: Part; public var c: Int = f(); public var d = 1; public var e: Int? }",
      [
        "init(a: Int, b: Any, c: Any? = nil, d: Any? = nil, e: Any? = nil, _ none: Swift.Never...) {",
        "init(_ none: Swift.Never...) {",
      ]
    ),
    ("@Schema public struct Box { package var a: Part }", ["init(a: Any, _ none: Swift.Never...) {"]),
    (
      "public enum Rack {\n@Schema public struct Box { public var a: Part }\n}",
      ["init(a: Any, _ none: Swift.Never...) {"]
    ),
    ("@Schema public struct Box { public var a = 1 }", ["init(a: Any? = nil, _ none: Swift.Never...) {"]),
  ])
  func theMissingInitialiserTakesWhatTheOtherTakes(source: String, parts: [String]) throws {
    let text = try Expansion(source).text
    for part in parts { #expect(text.contains(part), "\(text)") }
    #expect(text.ranges(of: "unavailable").count == (source.contains("a: ") ? 2 : 1))
  }

  @Test(arguments: [
    // The extended type may be generic.
    ("public extension Space { @Schema struct Box { var a: Int } }", "public static var schema:"),
    ("public extension Space { @Schema internal enum Box { case a(Int) } }", "\nstatic var cases:"),
    ("extension Space { struct Room { @Schema struct Box { var a: Int } } }", "within: Self.self"),
    ("struct Space<Element> { @Schema struct Box { var a: Int } }", "static var schema:"),
  ])
  func membersFollowWhatIsAroundTheType(source: String, part: String) throws {
    #expect(try Expansion(source).text.contains(part))
  }

  @Test(arguments: [
    ("/// One\n  /// two.\n  ///\n  /// Three.", "One two.", ""),
    ("/// One.\n  /// - Parameter by: how\n  ///   far\n  /// - Returns: nothing", "One.", "how far"),
    ("/// - Parameters:\n  ///   - by: how far\n  ///   - other: no", "", "how far"),
    ("/// One.\n  /// - Note: but\n  /// not this", "One.", ""),
    ("/**\n   * One\n   * two.\n   */", "One two.", ""),
    ("/** One. */", "One.", ""),
    ("// One.", "", ""),
    (#"/// "One" \ two."#, #"\"One\" \\ two."#, ""),
  ])
  func documentationIsTheFirstParagraph(comment: String, summary: String, parameter: String) throws {
    let text = try Expansion("@Schema enum Box {\n  \(comment)\n  case a(by: Int)\n}").text
    let found = text.split(separator: "documentation: ").dropFirst().map { $0.prefix { $0 != ")" && $0 != "\n" } }
    let expected = [parameter, summary].filter { !$0.isEmpty }.map { "\"\($0)\"" }
    #expect(found.map(String.init) == expected)
  }
}
