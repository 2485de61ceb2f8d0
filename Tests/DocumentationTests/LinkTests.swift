import Foundation
import Testing

/// Every relative link of a page leads to a file of the package, and to a heading in it.
@Suite struct LinkTests {
  private static let pages =
    [
      "README.md", "CONTRIBUTING.md", "Sources/README.md", "Tests/README.md", "Tests/Adoption/README.md",
      "plugins/README.md",
    ]
    + ((try? PackageFolder.files(in: "docs", endingWith: ".md")) ?? [])

  /// The lines of a page outside of its fenced blocks.
  private func prose(of text: String) -> [Substring] {
    var isInBlock = false
    return text.split(separator: "\n").filter { line in
      guard line.hasPrefix("```") else { return !isInBlock }
      isInBlock.toggle()
      return false
    }
  }

  /// The anchors of a page, as GitHub makes them of headings: small letters, digits, `-` and `_`, a blank as `-`.
  private func anchors(of text: String) -> Set<String> {
    let headings = prose(of: text).filter { $0.hasPrefix("#") }
    return Set(
      headings.map { heading in
        let title = heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
        return title.filter { $0 == " " || $0 == "-" || $0 == "_" || $0.isLetter || $0.isNumber }.replacing(
          " ", with: "-")
      })
  }

  @Test(arguments: pages)
  func leadToWhatIsThere(page: String) throws {
    let text = try PackageFolder.text(page)
    let folder = PackageFolder.url.appending(path: page).deletingLastPathComponent()
    for line in prose(of: text) {
      for match in line.matches(of: /\]\(([^)\s]+)\)/) where !match.output.1.contains("://") {
        let parts = match.output.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let file = parts[0].isEmpty ? page : String(parts[0])
        let url = parts[0].isEmpty ? PackageFolder.url.appending(path: page) : folder.appending(path: file)
        #expect(FileManager.default.fileExists(atPath: url.path), "\(page): \(match.output.1)")
        if parts.count == 2 {
          let target = parts[0].isEmpty ? text : try String(contentsOf: url, encoding: .utf8)
          #expect(anchors(of: target).contains(String(parts[1])), "\(page): \(match.output.1)")
        }
      }
    }
  }

  @Test func aHeadingsAnchorIsThatOfGitHub() {
    #expect(
      anchors(of: "# What's new, in 2.0\n```\n# no\n```\n## `serve` at boot") == ["whats-new-in-20", "serve-at-boot"])
    #expect(Self.pages.count > 12)
  }
}
