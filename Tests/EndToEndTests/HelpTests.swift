import Testing

@Suite("Help")
struct HelpTests {
  private static let verbs = [
    "dispatch", "show", "describe", "watch", "middleware", "log", "plugin", "ingest", "=", "let", "assert", "source",
    "echo", "help", "quit", "trace", "undo", "redo", "goto", "diff", "why", "bisect", "skip", "unskip",
  ]

  @Test func namesEveryCommand() throws {
    let outcome = try Shell().run("-c", "help")
    for verb in Self.verbs { #expect(outcome.output.contains(verb)) }
    #expect(outcome.errors == "")
  }

  @Test(arguments: [
    "<file>", "-c <command>", "--timeout <duration>", "--as <format>", "--color <when>", "-p <folder>",
    "--grant <plugin>", "--store <file>", "--durability <level>", "--to <n>",
  ])
  func saysWhatAnOptionTakes(form: String) throws {
    #expect(try Shell().run("--help").output.contains("\n  \(form)"))
  }

  @Test(arguments: verbs)
  func knowsEveryCommand(verb: String) throws {
    let outcome = try Shell().run("-c", "help \(verb)")
    #expect(outcome.output.contains(verb))
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test(arguments: [
    "unknown-action", "unexpected-argument", "type-mismatch", "missing-argument", "unknown-path", "unknown-flag",
    "unknown-command", "out-of-range", "syntax", "line-too-long", "assert-failed", "bad-record", "plugin-load",
    "plugin-grant", "plugin-runtime", "plugin-schema", "plugin-budget", "plugin-api",
  ])
  func knowsEveryErrorCode(code: String) throws {
    let outcome = try Shell().run("-c", "help \(code)")
    #expect(outcome.output != "")
    #expect(outcome.errors == "")
  }
}
