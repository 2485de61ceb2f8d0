import Testing

@testable import stsh

/// Command lines that are read without the parser.
struct PlainCommandLineTests {
  @Test(arguments: [
    [], ["-c", "help"], ["-c", ""], ["-c", "-c", "-c", "--json"], ["file.stsh"], ["file.stsh", "a", "", "b c"],
    ["file.stsh", "-c", "help", "a"],
  ])
  func meanWhatTheParserReads(_ arguments: [String]) throws {
    #expect(ProgramInvocation(plain: arguments) == (try Stsh.parse(arguments).invocation))
  }

  @Test(arguments: [
    ["-c"], ["-cfoo"], ["--quiet"], ["-c", "help", "--json"], ["file.stsh", "--", "a"], ["--"], ["-"], ["-ic", "help"],
    ["--help"],
  ])
  func areLeftToTheParserWhereTheySayMore(_ arguments: [String]) {
    #expect(ProgramInvocation(plain: arguments) == nil)
  }

  @Test func everyOptionReachesTheProgram() throws {
    let flags = [
      "-i", "--keep-going", "--check", "--json", "--quiet", "--no-plugins", "--no-exec", "--recover", "--read-only",
      "--no-init", "--unsafe-lua",
    ]
    let options = [
      "-c", "--timeout", "--transcript", "--as", "--color", "--clock", "-p", "--grant", "--replay", "--store",
      "--durability",
    ]
    let invocation = try Stsh.parse(flags + options.flatMap { [$0, "x"] } + ["--to", "3", "file.stsh"]).invocation
    let (asked, bare) = (Mirror(reflecting: invocation), Mirror(reflecting: ProgramInvocation.bare))
    for (asked, bare) in zip(asked.children, bare.children) {
      #expect("\(asked.value)" != "\(bare.value)", "\(asked.label ?? "")")
    }
  }
}
