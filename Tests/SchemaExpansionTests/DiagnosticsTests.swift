import Testing

/// What `@Schema` refuses, each reported once, in words that say what to do.
@Suite struct DiagnosticsTests {
  @Test(arguments: [
    ("@Schema class Box { var a: Int = 1 }", "struct or an enum"),
    ("@Schema actor Box { var a: Int = 1 }", "struct or an enum"),
    ("@Schema protocol Box { var a: Int { get } }", "struct or an enum"),
    ("@Schema struct Box { let a: Int = 1 }", "'a' is a constant with a value"),
    ("@Schema struct Box { var a: Int = 1 { didSet { print(a) } } }", "'a' has observers"),
    ("@Schema struct Box { var a: Int { willSet { print(a) } } }", "'a' has observers"),
    ("@Schema struct Box { lazy var a: Int = 1 }", "'a' is lazy"),
    ("@Schema struct Box { @Clamped var a: Int }", "'a' has @Clamped"),
    ("@Schema struct Box { var (a, b) = (1, 2) }", "one by one"),
    ("@Schema struct Box { #if DEBUG\n var a: Int\n #endif }", "'#if'"),
    ("@Schema enum Box { #if DEBUG\n case a(Int)\n #endif }", "'#if'"),
    ("@Schema struct Box { var a: () -> Void }", "'() -> Void' is a closure"),
    ("@Schema struct Box { var a: (Int, Int)? }", "'(Int, Int)' is a tuple"),
    ("@Schema struct Box { var a: [Box] }", "'Box' contains itself"),
    ("@Schema enum Box { case a(@Sendable (Int) -> Void) }", "is a closure"),
    ("@Schema enum Box { case a(then: (() -> Void)?) }", "'() -> Void' is a closure"),
    ("@Schema enum Box { case a([String: (x: Int, y: Int)]) }", "is a tuple"),
    ("@Schema enum Box { case a(()) }", "'()' is a tuple"),
    ("@Schema indirect enum Box { case a(Box?), b }", "'Box' contains itself"),
    ("@Schema enum Box { case a(PersistentList<Self>), b }", "'Self' contains itself"),
    ("@Schema enum Box {}", "at least one case"),
    ("@Schema enum Box { case a(Int), a(x: Int) }", "two cases named 'a'"),
    ("@Schema enum Box { case a(value: Int, String) }", "two values named 'value'"),
    ("@Schema enum Box { case schema(Int) }", "a case named 'schema'"),
  ])
  func refusals(source: String, part: String) throws {
    let expansion = try Expansion(source)
    #expect(expansion.messages.count == 1)
    #expect(try #require(expansion.messages.first).contains(part))
    #expect(!expansion.text.contains("extension Box"))
  }

  @Test func everyFaultIsReported() throws {
    let expansion = try Expansion("@Schema struct Box { let a: Int = 1; lazy var b: Int = 2; var c: (Int, Int) }")
    try #require(expansion.messages.count == 3)
    for (message, part) in zip(expansion.messages, ["'a' is a constant", "'b' is lazy", "is a tuple"]) {
      #expect(message.contains(part))
    }
  }

  @Test(arguments: [
    "@Schema struct Box { var a: Int { 1 } }",
    "@Schema struct Box { static let a: () -> Void = {}; static var b = (1, 2) { didSet {} } }",
    "@Schema struct Box { @available(*, deprecated) var a: Int; var b: (Int) }",
    "@Schema struct Box { #if DEBUG\n func a() {}\n var b: Int { 1 }\n #endif }",
    "@Schema struct Box { struct Part {}; var part: Box.Part }",
    "@Schema enum Box { case a(Other.Box), b(Keyed<Box>) }",
  ])
  func whatOnlyLooksWrongPasses(source: String) throws {
    let expansion = try Expansion(source)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("extension Box"))
  }
}
