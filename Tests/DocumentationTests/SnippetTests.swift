import Foundation
import StoreCore
import StoreSchema
import Testing

/// The Swift of articles, README and the pages of `docs` compiles: it stands, line by line, in files that are compiled.
@Suite struct SnippetTests {
  private static let articles =
    [
      "StoreCore", "Composing", "EffectsAndTime", "Interceptors", "ProjectionsAndBindings", "StreamsAndBridges",
      "TestingStores",
    ].map { "StoreCore/StoreCore.docc/\($0)" } + [
      "StoreSchema/StoreSchema.docc/StoreSchema",
      "StoreSchemaFoundation/StoreSchemaFoundation.docc/StoreSchemaFoundation",
    ]

  private static let pages = ["README.md"] + ((try? PackageFolder.files(in: "docs", endingWith: ".md")) ?? [])

  private static let compiledFiles =
    [
      "Snippets", "SchemaSnippets", "StockExample", "FoundationSnippets", "RxBridge", "ReactiveBridge",
      "LandingExample",
      "FirstStore",
    ].map { "Tests/DocumentationTests/\($0).swift" } + ["Sources/Programs/OrderBook/main.swift"]

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
      lines(try PackageFolder.text($0))
    }
  }

  @Test(arguments: articles)
  func whatAnArticleShowsCompiles(article: String) throws {
    let compiled = try compiled()
    for block in blocks(of: try PackageFolder.text("Sources/Store/\(article).md")) {
      #expect(compiled.contains(block), "\(block.first ?? "")")
    }
  }

  /// A block that names a file is tested by `PageTests`, or by `scripts/adoption`.
  @Test(arguments: pages)
  func theSwiftOfAPageCompiles(page: String) throws {
    let compiled = try compiled()
    for block in blocks(of: try PackageFolder.text(page)) {
      #expect(compiled.contains(block), "\(block.first ?? "")")
    }
  }

  @Test func theFirstStoreCounts() throws {
    #expect(Self.pages.count > 5)
    #expect(try firstStore() == 1)
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
