import Testing

@testable import StoreShell

/// What `help COMMAND` shows is what happens.
@Suite struct CommandExampleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let verb: String
    let example: CommandExample
    var testDescription: String { "\(verb): \(example.lines.joined(separator: "; "))" }
  }

  static let cases = CommandTable.standard.definitions.flatMap { definition in
    definition.examples.map { Case(verb: definition.verb, example: $0) }
  }

  @Test(arguments: cases)
  func examplesPrintWhatTheySay(of example: Case) throws {
    let shell = try Shell(joined: true)
    if example.example.lines.contains(where: { $0.contains("/shop.db") }) {
      _ = try shell.storeFile("shop.db", sessions: 10, adding: 10)
    }
    for (line, output) in example.example.steps {
      let printed = try shell.type(line.replacing("FOLDER", with: shell.folder)).output
      #expect(printed == output.replacing("FOLDER", with: shell.folder), "\(line)")
    }
  }

  @Test func everyCommandHasTwoExamplesAndOneOfThemIsItsOwn() {
    for definition in CommandTable.standard.definitions {
      #expect(definition.examples.count >= 2, "\(definition.verb)")
      for example in definition.examples {
        #expect(example.lines.contains { $0.hasPrefix(definition.verb) }, "\(definition.verb): \(example.lines)")
      }
      #expect(!definition.summary.isEmpty && !definition.usage.isEmpty)
      #expect(definition.usage.allSatisfy { $0.hasPrefix(definition.verb) })
    }
  }

  @Test func everyFlagStandsInAUsage() {
    let common = FlagDefinition.format.map(\.summary)
    for definition in CommandTable.standard.definitions {
      for flag in definition.flags where !common.contains(flag.summary) {
        #expect(definition.usage.contains { $0.contains("--\(flag.name)") }, "\(definition.verb) --\(flag.name)")
      }
    }
  }

  /// Those that take none print lines for a person or do something, and `ingest` and `export` call another thing `--as`.
  @Test func everyCommandThatPrintsAValueTakesAForm() {
    let withoutValue: Set = [
      "lua", "dispatch", "goto", "undo", "redo", "skip", "unskip", "assert", "import", "replay", "wait", "source",
      "try", "retry", "step", "checks", "atomic", "run", "!", "time", "echo", "help", "quit", "ingest", "export",
    ]
    let common = Set(FlagDefinition.format.map(\.summary))
    for definition in CommandTable.standard.definitions {
      let takesForm = common.isSubset(of: definition.flags.map(\.summary))
      #expect(takesForm != withoutValue.contains(definition.verb), "\(definition.verb)")
    }
  }

  @Test(arguments: [
    ("why counter.value", "[\(increment)]\n"), ("bisect state.counter.value > 0", "\(increment)\n"),
    ("history counter", #"["dispatch counter.increment --quiet"]"# + "\n"),
    ("use", "\"root\"\n"), ("trace", "\"off\"\n"),
  ])
  func whatIsPrintedInWordsIsAValueToo(command: String, output: String) throws {
    let shell = try Shell(joined: true)
    _ = try shell.type("dispatch counter.increment --quiet")
    let found = try shell.type("\(command) --json").output
    #expect(found.replacing(/"when":.*?,"changes"/, with: "\"changes\"") == output)
  }

  private static let increment =
    #"{"id":1,"action":"counter.increment","source":"repl:1","#
    + #""changes":[{"op":"replace","path":"counter.value","from":0,"to":1}],"failure":null}"#

  @Test(arguments: [60, 80, 200]) func theListFitsATerminal(width: Int) {
    let lines = HelpText.listing(CommandTable.standard, width: width).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width })
  }

  @Test func theOverviewFitsAScreenAndHasEachVerbOnce() throws {
    let verbs = HelpOverview.groups.flatMap { $0.commands.map(\.verb) }
    #expect(verbs.sorted() == CommandTable.standard.definitions.map(\.verb).sorted())
    let lines = try Shell().run("help").output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.contains { $0.hasPrefix("look ") })
    let first = HelpOverview(
      ownCommands: [], firstLines: (1...5).map { NamedMeaning(name: "line \($0)", meaning: "something") })
    let onScreen = first.text(width: 80).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(onScreen.count <= 23 && onScreen.allSatisfy { $0.count <= 80 }, "\(onScreen.joined(separator: "\n"))")
  }

  @Test(arguments: HelpTopic.names) func eachTopicFitsATerminal(name: String) throws {
    let topic = try #require(HelpTopic(named: name))
    #expect(!topic.title.isEmpty && topic.blocks.count > 1)
    for line in topic.text(width: 80).split(separator: "\n") where !line.hasPrefix("  ") {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test func verbsStandOnce() {
    let verbs = CommandTable.standard.definitions.map(\.verb)
    #expect(Set(verbs).count == verbs.count)
    #expect(!verbs.contains { $0.contains(".") })
  }
}
