import Glibc
import TerminalSupport
import Testing

/// Words that are not UTF-8 are refused by name, and never altered.
@Suite("Arguments that are not UTF-8")
struct ArgumentTests {
  @Test func areNamedByPlaceAndBytes() throws {
    let outcome = try Shell().runInShell("stsh -c 'echo one' -c \"$(printf 'echo caf\\351 \\377')\"; echo $?")
    #expect(
      outcome.output.hasPrefix("error[command-line]: argument 4 is not UTF-8: 'echo caf\\xE9 \\xFF'\n"),
      "\(outcome.output)")
    #expect(outcome.output.hasSuffix("\n2\n"))
  }

  @Test(arguments: [
    "$B", "--store $B -c 'dispatch counter.increment'", "--transcript $B -c 'echo x'", "-p $B", "a.stsh x$B", "--as $B",
    "--check -c \"echo $B\"", "-- $B", "--json -c 'echo x' --grant $B", "--completions $B",
  ])
  func makeNothing(line: String) throws {
    let shell = try Shell()
    try shell.folder.write("a.stsh", "echo never\n")
    let outcome = try shell.runInShell("B=$(printf 'b\\351'); stsh \(line); echo $?; ls")
    #expect(outcome.output.hasPrefix("error[command-line]: argument "), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("\n2\na.stsh\n"), "\(outcome.output)")
  }

  @Test func textThatIsUTF8IsTaken() throws {
    let outcome = try Shell().runInShell("stsh -c \"$(printf 'echo caf\\303\\251')\"")
    #expect(outcome.output == "caf\u{e9}\n")
  }

  /// A folder of another name is none, and no other folder stands for it.
  @Test(arguments: ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"])
  func aVariableThatNamesAFolderIsRefused(name: String) throws {
    let outcome = try Shell().runInShell("export \(name)=$(printf '/tmp/st\\351'); stsh --recover; echo $?; ls")
    #expect(
      outcome.output.hasPrefix("error[command-line]: \(name) is not UTF-8: '/tmp/st\\xE9'\n"), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("\n2\n"), "\(outcome.output)")
  }
}

/// The name that a session's actions bear.
@Suite("The option --who")
struct NameArgumentTests {
  @Test func aNameOfOtherCharactersIsRefused() throws {
    let outcome = try Shell().run("--who", "ann b", "-c", "echo x")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("error[command-line]: --who: "), "\(outcome.errors)")
    #expect(outcome.status == 2)
  }
}
