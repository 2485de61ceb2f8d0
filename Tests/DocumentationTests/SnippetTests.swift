import Foundation
import StoreCore
import StoreSchema
import Testing

/// What articles and README show compiles: it stands, line by line, in the files of this target.
@Suite struct SnippetTests {
  private static let articles =
    [
      "StoreCore", "Composing", "EffectsAndTime", "Interceptors", "ProjectionsAndBindings", "StreamsAndBridges",
      "TestingStores",
    ].map { "StoreCore/StoreCore.docc/\($0)" } + [
      "StoreSchema/StoreSchema.docc/StoreSchema",
      "StoreSchemaFoundation/StoreSchemaFoundation.docc/StoreSchemaFoundation",
    ]

  private static let compiledFiles = [
    "Snippets", "SchemaSnippets", "StockExample", "FoundationSnippets", "RxBridge", "ReactiveBridge", "LandingExample",
    "ReadmeExample",
  ]

  /// Lines without what stands before and behind them, and without empty ones and imports.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
  }

  private func blocks(of text: String) -> [[String]] {
    text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
      .map(lines)
  }

  private func compiled() throws -> [String] {
    try SnippetTests.compiledFiles.flatMap {
      lines(try PackageFolder.text("Tests/DocumentationTests/\($0).swift"))
    }
  }

  @Test(arguments: articles)
  func whatAnArticleShowsCompiles(article: String) throws {
    let compiled = try compiled()
    for block in blocks(of: try PackageFolder.text("Sources/Store/\(article).md")) {
      #expect(compiled.contains(block), "\(block.first ?? "")")
    }
  }

  @Test func theReadmesExampleCompilesAndCounts() throws {
    let text = try PackageFolder.text("README.md")
    let example = try #require(blocks(of: text).first { $0.first?.hasPrefix("enum CounterAction") == true })
    #expect(try compiled().contains(example))
    #expect(try readmeExample() == 1)
  }

  @Test func theArithmeticOfAReducerIsChecked() throws {
    let store = try Store(initial: Int.max, reducer: stock)
    #expect(throws: ArithmeticError.self) { try store.dispatch(.add(pieces: 1)).get() }
    #expect(store.state == .max)
  }

  @Test func whatIsShownDoesWhatIsSaid() throws {
    #expect(try landingExample() == 1)
    #expect(try searching() == Search(found: [Book()]))
    #expect(try reducingAlone(Book()).items == [Book()])
    let orders = try intercepting(Reducer("ordering") { _, orders in orders.open += 1 })
    for _ in 0..<101 { orders.dispatch(.place) }
    #expect(orders.state.open == 100)
  }
}
