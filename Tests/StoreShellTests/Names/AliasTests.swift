import ShellLanguage
import Testing

@testable import StoreShell

/// `alias`, at the prompt only.
@Suite struct AliasTests {
  @Test func anAliasTakesWhatFollowsItsName() throws {
    let shell = try Shell()
    #expect(
      try shell.type("alias up = dispatch counter.increment", "alias e = = state.counter.value >", "up by=2", "e 1")
        == .init(output: "#1 counter.increment by=2\n  counter.value  0 -> 2\ntrue\n"))
  }

  @Test func anAliasMayHoldARedirectionOrAPrefix() throws {
    let shell = try Shell()
    let outcome = try shell.type(
      "alias save = show counter.value > \(shell.folder)/value", "alias careful = try", "save", "careful assert false",
      "echo $ok")
    #expect(shell.contents("value") == "0\n")
    #expect(outcome.output == "false\n")
    #expect(outcome.errors == "error[assert-failed]: false does not hold\n")
  }

  @Test func anErrorShowsTheTextThatWasRun() throws {
    let shell = try Shell()
    #expect(
      try shell.type("alias up = dispatch counter.increment", "try up bye=2").errors == """
        error[unexpected-argument]: counter.increment has no argument 'bye'
          try dispatch counter.increment bye=2
                                         ^~~
          hint: did you mean 'by'?

        """)
  }

  @Test func aliasesOfPrefixesAreNotTooDeepToRun() throws {
    let shell = try Shell()
    let names = (0..<70).map { "t\($0)" }
    for name in names { #expect(try shell.type("alias \(name) = try").errors == "") }
    let outcome = try shell.type("\(names.joined(separator: " ")) show counter")
    #expect(outcome.errors.hasPrefix("error[syntax]: more than 64 commands such as try stand before another one"))
  }

  @Test func anAliasIsNotReplacedWithinItself() throws {
    let shell = try Shell()
    let outcome = try shell.type("alias a = b", "alias b = a x", "a")
    #expect(outcome.errors.hasPrefix("error[unknown-command]: there is no command 'a' but the alias itself\n"))
  }

  @Test func commandsAndModulesKeepTheirNames() throws {
    let shell = try Shell()
    #expect(
      try shell.type("alias show = echo").errors
        == "error[name-taken]: 'show' is a command\n  alias show = echo\n        ^~~~\n")
    #expect(try shell.type("alias tasks = echo").errors.hasPrefix("error[name-taken]: 'tasks' is a module\n"))
  }

  @Test func scriptsNeitherMakeNorSeeAliases() throws {
    let shell = try Shell()
    #expect(shell.run("alias d = dispatch").errors.hasPrefix("-c:1:1: error[not-allowed]: aliases are for the prompt"))
    let script = try shell.write("script.stsh", "d counter.increment\n")
    let outcome = try shell.type("alias d = dispatch", "source \(script)")
    #expect(outcome.errors.contains("script.stsh:1:1: error[unknown-command]: there is no command 'd'\n"))
  }

  @Test func theTextOfAnAliasIsNoLua() throws {
    let shell = try Shell()
    // Lua would go on with the next line.
    #expect(StatementReader.continuation(of: "alias f = for x", grammar: shell.session.grammar) == nil)
    #expect(StatementReader.continuation(of: "project f = {", grammar: shell.session.grammar) == .lua)
  }
}
