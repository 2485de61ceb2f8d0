import Testing

/// `plugins/README.md`, beyond what `PageTests` says of every page.
@Suite("The authors' guide")
struct GuideTests {
  /// From an empty folder to green tests with what the page shows first.
  @Test func aNewAuthorsFirstTestPasses() throws {
    let first = try #require(try Page("plugins/README.md").blocks.first { $0.language == "console" })
    let commands = first.lines.filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
    let untilTest = commands.prefix { !$0.contains("plugin load") }
    #expect(untilTest.contains { $0.contains("plugin new") })
    let shell = try Shell()
    var last = Shell.Outcome()
    for command in untilTest {
      last = try shell.runInShell(String(command))
      #expect(last.status == 0)
    }
    #expect(last.output.hasSuffix("3 passed, 0 failed\n"))
  }

  /// The headings of the reference are all there, and every key that a definition may have.
  @Test func theReferenceIsWhole() throws {
    let text = try #require(contents(ofFile: Shell.packageFolder + "/plugins/README.md"))
    let keys = [
      "state", "actions", "reducers", "lifted", "interceptors", "thunks", "bridges", "transitions", "middleware",
      "projections", "commands", "on_load", "on_unload", "migrate",
    ]
    for key in keys { #expect(text.contains("\n| `\(key)` |"), "\(key)") }
    let codes = [
      "load", "api", "grant", "schema", "runtime", "impure", "budget", "memory", "task", "test",
    ]
    for code in codes { #expect(text.contains("\n| `plugin-\(code)` |"), "\(code)") }
  }
}
