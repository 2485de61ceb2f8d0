import Glibc
import TerminalSupport
import Testing

/// README, the pages of `docs` and the guide to plugins: what they show is what happens, in their order, from an empty folder on.
/// `scripts/pages` writes their transcripts anew.
@Suite("The pages")
struct PageTests {
  static let pages =
    ["README.md", "plugins/README.md"]
    + names(inFolder: "\(Shell.packageFolder)/docs").filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }

  /// Whether differences are written into the pages.
  static let rewrites = getenv("REWRITE_PAGES") != nil

  /// CI installs the program; elsewhere a block that needs it may be left out.
  private static let hasSQLite = access("/usr/bin/sqlite3", X_OK) == 0

  @Test(arguments: pages)
  func runsAsPrinted(path: String) throws {
    let page = try Page(path)
    let reader = try Reader()
    var changes: [(block: Page.Block, lines: [String])] = []
    for block in page.blocks {
      let place = "\(path):\(block.range.lowerBound)"
      switch (block.language, block.name) {
      case ("console", _) where !Self.hasSQLite && block.text.contains("$ sqlite3 "): break
      case ("console", _):
        let seen = try reader.type(block)
        guard seen != block.lines.map({ String($0) }) else { break }
        changes.append((block, seen))
        if !Self.rewrites { Issue.record("\(place) is not what comes:\n\(seen.joined(separator: "\n"))") }
      case ("sh", nil):
        let outcome = try reader.run(block)
        #expect(outcome.status == 0, "\(place):\n\(outcome.output)")
      case ("swift", nil): break
      case (_, let name?):
        if name.hasPrefix("Sources/Programs/") {
          #expect(block.text == contents(ofFile: "\(Shell.packageFolder)/\(name)"), "\(place)")
          #expect(block.lines.count <= 60, "\(place)")
        } else {
          // A page as it is drawn does not show the word behind a fence.
          #expect(
            page.lines(above: block).contains { $0.contains("`\(name)`") }, "\(place): its text does not name \(name)")
          try reader.shell.folder.write(name, block.text)
        }
      default: Issue.record("\(place): no test knows a block of '\(block.language)'")
      }
    }
    if Self.rewrites, !changes.isEmpty { try page.write(changes) }
  }

  @Test func theReadmeIsShort() throws {
    let text = try #require(contents(ofFile: Shell.packageFolder + "/README.md"))
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 200)
  }

  @Test func aGapStandsForAnything() {
    let shown: [Substring] = ["a … c", "…", "end"]
    #expect(Page.shows(shown[...], ["a b c", "end"]))
    #expect(Page.shows(shown[...], ["a b c", "x", "y", "end"]))
    #expect(!Page.shows(shown[...], ["a b d", "end"]))
    #expect(!Page.shows(shown[...], ["a b c", "x"]))
  }
}
