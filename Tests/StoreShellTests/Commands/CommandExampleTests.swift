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
      "try", "retry", "step", "checks", "run", "!", "time", "echo", "help", "quit", "ingest", "export",
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

  @Test func verbsStandOnce() {
    let verbs = CommandTable.standard.definitions.map(\.verb)
    #expect(Set(verbs).count == verbs.count)
    #expect(!verbs.contains { $0.contains(".") })
  }
}
