import Testing

@Suite("Help")
struct HelpTests {
  private static let verbs = [
    "dispatch", "show", "describe", "watch", "middleware", "log", "plugin", "ingest", "=", "let", "assert", "source",
    "echo", "help", "quit", "trace", "undo", "redo", "goto", "diff", "why", "bisect", "skip", "unskip",
  ]

  @Test func namesEveryCommand() throws {
    let outcome = try Shell().run("-c", "help commands")
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
    (
      "plugin reload",
      [
        "usage: plugin reload NAME [--reset] [--verify N]",
        "replaces it by its edited version; the state stays",
        "flags", "  --reset     reset the plugin's state",
        "  --verify N  only if both versions lead to the same states for the last N actions", "example",
        "  stsh> plugin load catalog",
      ]
    ),
    ("middleware on", ["usage: middleware [on|off NAME]"]), ("export state", ["usage: export state FILE"]),
  ])
  func ofAPartOfACommand(part: String, lines: [String]) throws {
    let outcome = try Shell().run("-c", "help \(part)")
    #expect(outcome.output.split(separator: "\n").prefix(lines.count).elementsEqual(lines) { String($0) == $1 })
    #expect(!outcome.output.contains("unload"))
  }

  @Test func ofACommandOfAPlugin() throws {
    let shell = try Shell()
    let unloaded = try shell.run("-c", "help ledger").errors
    #expect(unloaded.contains("the plugin 'ledger' is not loaded\n"))
    #expect(unloaded.hasSuffix("hint: plugin load ledger, then help ledger\n"))
    let part = try shell.run("-c", "plugin load ledger", "-c", "help ledger statement").output
    #expect(part.contains("usage: ledger statement ") && !part.contains("ledger balances"))
    let wrong = try shell.run("-c", "plugin load ledger", "-c", "help ledger balance").errors
    #expect(wrong.contains("ledger has no part 'balance'\n") && wrong.contains("did you mean 'balances'?"))
  }

  @Test func ofASetting() throws {
    let output = try Shell().run("-c", "help set runaway").output
    #expect(output.contains("\n  runaway  ") && !output.contains("plugin.watch"))
    let wrong = try Shell().run("-c", "help plugin relod")
    #expect(wrong.errors.contains("plugin has no part 'relod'") && wrong.errors.contains("did you mean 'reload'?"))
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
