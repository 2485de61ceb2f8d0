import Glibc
import TerminalSupport
import Testing

/// README, the pages of `docs` and the guide to plugins: what they show is what happens, in their order, from an empty folder on.
/// `scripts/pages` writes their transcripts anew.
@Suite("The pages")
struct PageTests {
  static let pages =
    ["README.md", "plugins/README.md"] + pages(inFolder: "docs").filter { $0 != language } + pages(inFolder: topics)

  /// The pages of help on the language, which are a page of `docs`, too.
  private static let topics = "Sources/Shell/StoreShell/Help/Topics"
  private static let language = "docs/language.md"

  private static func pages(inFolder folder: String) -> [String] {
    names(inFolder: "\(Shell.packageFolder)/\(folder)").filter { $0.hasSuffix(".md") }.sorted().map {
      "\(folder)/\($0)"
    }
  }

  /// Whether differences are written into the pages.
  static let rewrites = getenv("REWRITE_PAGES") != nil

  /// The page whose terminals need servers of NATS.
  private static let shared = "docs/shared.md"

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
      case ("console", _)
      where !NATSServers.areThere && (block.text.contains("nats") || block.name != nil && path == Self.shared):
        break
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

  /// The page on the language has the pages of help, in the order in which `help` names them.
  @Test func theLanguageIsWhatHelpSays() throws {
    let help = try Shell().run("-c", "help").output.replacing("\n", with: " ")
    let list = try #require(help.firstMatch(of: /help TOPIC: (.*), keys\./)).output.1
    let names = list.split(separator: ", ")
    #expect(names.count == Self.pages(inFolder: Self.topics).count)
    var expected =
      "# The command language\n\n`help TOPIC` shows each part of this page, and the manual has all of it.\n"
    for name in names {
      let text = try #require(contents(ofFile: "\(Shell.packageFolder)/\(Self.topics)/\(name).md"), "\(name)")
      expected += "\n" + text.replacing(#/(?m)^# /#, with: "## ")
      let page = try Shell().run("-c", "help \(name)")
      #expect(page.status == 0 && page.output.count > 200, "\(name)")
    }
    let path = "\(Shell.packageFolder)/\(Self.language)"
    if Self.rewrites {
      let file = try #require(fopen(path, "w"))
      defer { fclose(file) }
      fputs(expected, file)
    }
    #expect(contents(ofFile: path) == expected)
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
