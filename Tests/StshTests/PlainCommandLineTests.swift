import Testing

@testable import stsh

/// Command lines that are read without the parser.
struct PlainCommandLineTests {
  @Test(arguments: [
    [], ["-c", "help"], ["-c", ""], ["-c", "-c", "-c", "--json"], ["file.stsh"], ["file.stsh", "a", "", "b c"],
    ["file.stsh", "-c", "help", "a"], ["-c", "help", "file.stsh"], ["file.stsh", "--json", "-x", "--", "-", "--help"],
  ])
  func meanWhatTheParserReads(_ arguments: [String]) throws {
    #expect(ProgramInvocation(plain: arguments) == (try Stsh.parse(Stsh.endingOptions(arguments)).invocation))
  }

  @Test(arguments: [
    ["-c"], ["-cfoo"], ["--quiet"], ["-c", "help", "--json"], ["--", "file.stsh"], ["--"], ["-"], ["-ic", "help"],
    ["--help"],
  ])
  func areLeftToTheParserWhereTheySayMore(_ arguments: [String]) {
    #expect(ProgramInvocation(plain: arguments) == nil)
  }

  @Test(arguments: [
    (["--json", "f", "--quiet"], ["f", "--quiet"]), (["--as", "json", "f", "-c", "x"], ["f", "-c", "x"]),
    (["--as=json", "f", "--as"], ["f", "--as"]), (["-i", "-", "--help"], ["-", "--help"]),
    (["--", "-f", "--", "-x"], ["-f", "--", "-x"]), (["-ic", "echo x"], []),
    (["-p", "folder", "f", "-i"], ["f", "-i"]),
  ])
  func endAtTheScript(_ arguments: [String], script: [String]) throws {
    #expect(try Stsh.parse(Stsh.endingOptions(arguments)).script == script)
  }

  @Test func optionsWithAValueAreThoseOfTheHelp() {
    let described = Stsh.helpMessage(includeHidden: true).split(separator: "\n").filter { $0.hasPrefix("  -") }
      .map { $0.split(separator: " ") }.filter { $0.count > 1 && $0[1].hasPrefix("<") }
    #expect(Set(described.map { String($0[0]) }) == Stsh.optionsWithValue)
  }

  @Test func everyOptionReachesTheProgram() throws {
    let flags = [
      "-i", "--keep-going", "--check", "--json", "--quiet", "--no-plugins", "--no-exec", "--read-only",
      "--no-init", "--unsafe-lua", "--serve", "--all-or-nothing",
    ]
    let options = [
      "-c", "--timeout", "--transcript", "--as", "--color", "--clock", "-p", "--grant", "--replay", "--store",
      "--durability", "--listen", "--allow", "--token-file", "--attach", "--report",
      "--who", "--group", "--name", "--nats-creds", "--cache",
    ]
    let numbers = ["--to", "--recover", "--session"].flatMap { [$0, "3"] }
    let invocation = try Stsh.parse(flags + options.flatMap { [$0, "x"] } + numbers + ["file.stsh"]).invocation
    let (asked, bare) = (Mirror(reflecting: invocation), Mirror(reflecting: ProgramInvocation.bare))
    for (asked, bare) in zip(asked.children, bare.children) {
      #expect("\(asked.value)" != "\(bare.value)", "\(asked.label ?? "")")
    }
  }
}
