import SwiftDiagnostics
import Testing

/// What `@Schema` refuses, each reported once, in words that say what to do.
@Suite struct DiagnosticsTests {
  @Test(arguments: [
    ("@Schema class Box { var a: Int = 1 }", "notAValueType", "struct or an enum"),
    ("@Schema actor Box { var a: Int = 1 }", "notAValueType", "struct or an enum"),
    ("@Schema protocol Box { var a: Int { get } }", "notAValueType", "struct or an enum"),
    ("@Schema struct Box { let a: Int = 1 }", "constant", "'a' is a constant with a value"),
    ("@Schema struct Box { var a: Int = 1 { didSet { print(a) } } }", "observed", "'a' has observers"),
    ("@Schema struct Box { var a: Int { willSet { print(a) } } }", "observed", "'a' has observers"),
    ("@Schema struct Box { lazy var a: Int = 1 }", "lazy", "'a' is lazy"),
    ("@Schema struct Box { @Clamped var a: Int }", "attributed", "'a' has @Clamped"),
    ("@Schema struct Box { var (a, b) = (1, 2) }", "pattern", "one by one"),
    ("@Schema struct Box { #if DEBUG\n var a: Int\n #endif }", "conditional", "'#if'"),
    ("@Schema enum Box { #if DEBUG\n case a(Int)\n #endif }", "conditional", "'#if'"),
    ("@Schema struct Box { var a: () -> Void }", "closure", "'() -> Void' is a closure"),
    ("@Schema struct Box { var a: (Int, Int)? }", "tuple", "'(Int, Int)' is a tuple"),
    ("@Schema struct Box { var a: [Box] }", "recursive", "'Box' contains itself"),
    ("@Schema enum Box { case a(@Sendable (Int) -> Void) }", "closure", "is a closure"),
    ("@Schema enum Box { case a(then: (() -> Void)?) }", "closure", "'() -> Void' is a closure"),
    ("@Schema enum Box { case a([String: (x: Int, y: Int)]) }", "tuple", "is a tuple"),
    ("@Schema enum Box { case a(()) }", "tuple", "'()' is a tuple"),
    ("@Schema indirect enum Box { case a(Box?), b }", "recursive", "'Box' contains itself"),
    ("@Schema enum Box { case a(PersistentList<Self>), b }", "recursive", "'Self' contains itself"),
    ("@Schema enum Box {}", "noCases", "at least one case"),
    ("@Schema enum Box { case a(Int), a(x: Int) }", "overloadedCase", "two cases named 'a'"),
    ("@Schema enum Box { case a(value: Int, String) }", "repeatedLabel", "two values named 'value'"),
    ("@Schema enum Box { case schema(Int) }", "reservedCase", "a case named 'schema'"),
  ])
  func refusals(source: String, identifier: String, part: String) throws {
    let expansion = Expansion(source)
    #expect(expansion.identifiers == [MessageID(domain: "StoreSchema", id: identifier)])
    #expect(try #require(expansion.messages.first).contains(part))
    #expect(!expansion.text.contains("extension Box"))
  }

  @Test func everyFaultIsReported() {
    let expansion = Expansion("@Schema struct Box { let a: Int = 1; lazy var b: Int = 2; var c: (Int, Int) }")
    #expect(expansion.identifiers == ["constant", "lazy", "tuple"].map { MessageID(domain: "StoreSchema", id: $0) })
  }

  @Test(arguments: [
    "@Schema struct Box { var a: Int { 1 } }",
    "@Schema struct Box { static let a: () -> Void = {}; static var b = (1, 2) { didSet {} } }",
    "@Schema struct Box { @available(*, deprecated) var a: Int; var b: (Int) }",
    "@Schema struct Box { #if DEBUG\n func a() {}\n var b: Int { 1 }\n #endif }",
    "@Schema struct Box { struct Part {}; var part: Box.Part }",
    "@Schema enum Box { case a(Other.Box), b(Keyed<Box>) }",
  ])
  func whatOnlyLooksWrongPasses(source: String) {
    let expansion = Expansion(source)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("extension Box"))
  }
}
