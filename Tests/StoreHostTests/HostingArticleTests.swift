import Foundation
import Testing

/// What the articles of StoreHost show compiles, and says what the package is.
@Suite struct HostingArticleTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.package.appending(path: path), encoding: .utf8)
  }

  private func article(_ name: String = "HostingAStore") throws -> String {
    try text("Sources/Host/StoreHost/StoreHost.docc/\(name).md")
  }

  private func blocks(_ language: String, in text: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
  }

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  @Test func itBeginsWithTheServer() throws {
    let server = try text("Sources/Programs/Shop/main.swift")
    #expect(try blocks("swift", in: article()).first == server)
    #expect(lines(server).count { !$0.hasPrefix("import ") && !$0.hasPrefix("//") } <= 51)
  }

  @Test(arguments: ["HostingAStore", "StoreHost"])
  func whatItShowsCompiles(name: String) throws {
    let snippets = lines(try text("Tests/StoreHostTests/HostingSnippets.swift"))
    let server = try text("Sources/Programs/Shop/main.swift")
    for block in blocks("swift", in: try article(name)) where block != server {
      #expect(snippets.contains(lines(block)), "\(block)")
    }
  }

  /// The Debian packages of the articles and the images are those that `scripts/setup` installs.
  @Test func itNamesThePackagesThatTheBuildNeeds() throws {
    let setup = try text("scripts/setup")
    let needed = ["liblua5.4-dev", "libsqlite3-dev", "libreadline-dev"]
    for package in needed { #expect(setup.contains(" \(package)")) }
    let texts = [try article(), try text("README.md") + docs(), try text("Dockerfile")]
    for text in texts {
      for package in needed { #expect(text.contains(package), "\(package)") }
    }
    #expect(try text("Package.swift").contains(#"providers: [.apt(["libsqlite3-dev"])]"#))
  }

  /// Each library of the package has a row in the table of products.
  @Test func theTableOfProductsIsWhole() throws {
    let manifest = try text("Package.swift")
    let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.output.1) }
    #expect(products.count >= 14)
    let texts = try text("README.md") + docs()
    for product in products { #expect(texts.contains("\n| `\(product)` | "), "\(product)") }
  }

  /// The texts below docs/, where there are any.
  private func docs() -> String {
    let folder = Self.package.appending(path: "docs").path
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".md") }.compactMap { try? text("docs/\($0)") }.joined()
  }
}
