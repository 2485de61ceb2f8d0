import Glibc
import TerminalSupport
import Testing

/// Colours stand where a reader sees them, and nowhere else.
@Suite("Colours")
struct ColorTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  private static let commands = [
    "-c", "dispatch tasks.add milk", "-c", "describe tasks", "-c", "diff", "-c", "show tasks.items", "-c",
    "show nothing",
  ]

  private func isColored(_ text: String) -> Bool { text.unicodeScalars.contains("\u{1B}") }

  @Test(arguments: [["--color", "auto"], ["--color", "always"], ["--color", "never"], []])
  func nothingIsColoredInAPipe(options: [String]) throws {
    let outcome = try shell.run(options + Self.commands)
    #expect(!isColored(outcome.output))
    #expect(!isColored(outcome.errors))
  }

  @Test func aPipeStaysBareHoweverMuchIsAskedFor() throws {
    #expect(!isColored(try shell.runInShell("CLICOLOR_FORCE=1 stsh --color always -c 'show nothing' 2>&1").output))
  }

  @Test(arguments: [["TERM": "dumb"], ["NO_COLOR": "1"]])
  func aTerminalGetsThemWhereTheyAreAskedFor(environment: [String: String]) throws {
    let terminal = try shell.prompt(["--color", "always"], environment: environment)
    try terminal.enter("dispatch tasks.add milk")
    try terminal.enter("show nothing")
    let text = String(decoding: terminal.output, as: UTF8.self)
    #expect(text.contains("\u{1B}[32m2\u{1B}[0m") && text.contains("\u{1B}[1;31merror[unknown-path]:\u{1B}[0m "))
  }

  @Test func aTerminalShowsWhatIsGoneAndWhatIsThere() throws {
    let terminal = try shell.prompt()
    try terminal.enter("dispatch tasks.add milk")
    try terminal.enter("dispatch tasks.remove 1")
    try terminal.enter("describe counter")
    let text = String(decoding: terminal.output, as: UTF8.self)
    #expect(text.contains("tasks.nextId  \u{1B}[31m1\u{1B}[0m -> \u{1B}[32m2\u{1B}[0m"))
    #expect(text.contains("tasks.items[id=1]  \u{1B}[32m+ { id = 1, title = \"milk\", done = false }\u{1B}[0m"))
    #expect(text.contains("tasks.items[id=1]  \u{1B}[31m- { id = 1, title = \"milk\", done = false }\u{1B}[0m"))
    #expect(text.contains("  value  \u{1B}[36mInt\u{1B}[0m\r\n"))
  }

  @Test func aFileAndACommandGetNone() throws {
    let terminal = try shell.prompt()
    try terminal.enter("dispatch tasks.add milk > added.txt")
    try terminal.enter("show tasks.items >> added.txt")
    try terminal.enter("describe tasks | cat >> added.txt")
    let text = try #require(contents(ofFile: shell.folder.path + "/added.txt"))
    #expect(text.contains("milk") && text.contains("String"))
    #expect(!isColored(text))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""], ["TERM": "unknown"]])
  func whoWantsNoneGetsNone(environment: [String: String]) throws {
    let terminal = try shell.prompt(environment: environment)
    try terminal.enter("dispatch tasks.add milk")
    try terminal.enter("show nothing")
    let text = String(decoding: terminal.output, as: UTF8.self)
    #expect(!text.contains("\u{1B}[3"))
    #expect(!text.contains("\u{1B}[1;3"))
  }
}

/// Results that go to the terminal for longer than somebody wants to wait.
@Suite("Endless results")
struct EndlessResultTests {
  /// Written as it comes, or once it is known that no pager shows it.
  @Test(arguments: ["", "no-such-pager-anywhere"]) func ctrlCStopsThem(pager: String) throws {
    let terminal = try Shell().prompt(environment: ["PAGER": pager])
    try terminal.enter("let list = (function() local l = {} for i = 1, 300000 do l[i] = i end return l end)()")
    terminal.type("show $list --as jsonl\r")
    try terminal.wait(for: "some of the lines") { $0.lines.contains("1000") }
    terminal.type("\u{3}")
    try terminal.wait(for: "the error") { $0.lines.contains { $0.hasPrefix("error[interrupted]") } }
    #expect(!terminal.text.contains("\n300000"))
    try terminal.enter("echo here")
    #expect(terminal.screen.lines.contains("here"))
  }
}

/// A pager shows what is taller than the screen.
@Suite("The pager")
struct PagerTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  /// Counts the lines that it gets into a file, and shows them.
  private func prompt(_ pager: String = "tee -a seen.txt", _ options: String...) throws -> Terminal {
    try shell.prompt(options, environment: ["PAGER": pager])
  }

  private var seen: String? { contents(ofFile: shell.folder.path + "/seen.txt") }

  @Test func getsWhatIsTallerThanTheScreen() throws {
    let terminal = try prompt()
    try terminal.enter("show counter")
    #expect(seen == nil)
    try terminal.enter("help commands")
    #expect(try #require(seen).split(separator: "\n").count > 30)
    #expect(terminal.text.contains("\nhelp COMMAND shows usage"))
  }

  /// A `less` that says which one it is, and how it was called.
  @Test(arguments: [("643", "-FRX --header=1"), ("590", "-FRX")])
  func keepsTheHeadOfATable(version: String, options: String) throws {
    let less = """
      #!/bin/sh
      if [ "$1" = -V ]; then echo "less \(version) (x)"; else echo "$@" > seen.txt; cat; fi

      """
    try shell.folder.write("bin/less", less)
    chmod(shell.folder.path + "/bin/less", 0o755)
    let path = shell.folder.path + "/bin:/usr/bin:/bin"
    let terminal = try shell.prompt(environment: ["PATH": path], without: ["PAGER"])
    try terminal.enter("lua for i = 1, 30 do dispatch('tasks.add', { title = 'x' }) end")
    try terminal.enter("show tasks.items")
    #expect(seen == options + "\n")
    try terminal.enter("help commands")
    #expect(seen == "-FRX\n")
  }

  /// As many rows as the line needs, though it is one line.
  @Test func getsALineOfManyRows() throws {
    let terminal = try prompt()
    try terminal.enter("= string.rep('x', 20000)")
    #expect(try #require(seen).hasPrefix("\"xxx"))
  }

  /// What a watch saw meanwhile stands above.
  @Test func getsAResultThoughAWatchSpoke() throws {
    let terminal = try prompt()
    try terminal.enter("watch counter.value")
    try terminal.enter("lua dispatch('counter.increment') for line = 1, 100 do print('line', line) end")
    #expect(try #require(seen).split(separator: "\n").count == 100)
    #expect(terminal.text.contains("[watch 1] counter.value  0 -> 1"))
  }

  @Test func getsNoneOfSeveralResults() throws {
    try shell.folder.write("many.stsh", String(repeating: "echo a line\n", count: 100))
    let terminal = try prompt()
    try terminal.enter("source many.stsh")
    #expect(seen == nil)
  }

  @Test func getsNothingThatGoesElsewhere() throws {
    let terminal = try prompt()
    try terminal.enter("help commands > help.txt")
    #expect(seen == nil)
    let other = try shell.run(["-c", "help commands"])
    #expect(other.output != "")
    #expect(seen == nil)
  }

  @Test(arguments: ["exit 3", "cat > /dev/null; exit 1", "kill -9 $$", "head -1; exit 2", "/dev/null"])
  func losesNothingWhereItFails(pager: String) throws {
    let terminal = try prompt(pager)
    try terminal.enter("help commands")
    #expect(terminal.text.contains("\nhelp COMMAND shows usage"))
    try terminal.enter("echo on")
    #expect(terminal.text.contains("\non\n"))
  }

  @Test func isNotNeeded() throws {
    for pager in ["", "no-such-pager-anywhere"] {
      let terminal = try prompt(pager)
      try terminal.enter("help commands")
      #expect(terminal.text.contains("\nhelp COMMAND shows usage"))
    }
    let terminal = try prompt("tee -a seen.txt", "--no-exec")
    try terminal.enter("help commands")
    #expect(seen == nil)
  }
}
