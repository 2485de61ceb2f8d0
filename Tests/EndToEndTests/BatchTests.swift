import Testing

@Suite("Batch")
struct BatchTests {
  private static let three = "dispatch counter.increment\ndispatch counter.incremnt\ndispatch counter.increment\n"
  private static let mark = """
      dispatch counter.incremnt
               ^~~~~~~~~~~~~~~~
      hint: did you mean 'counter.increment'?

    """

  @Test func commandsOfTheCommandLine() throws {
    let outcome = try Shell().run(
      "-c", "dispatch counter.increment by=4", "-c", "show counter.value --as raw")
    #expect(outcome == .init(output: "#1 counter.increment by=4\n  counter.value  0 -> 4\n4\n"))
  }

  @Test func theFirstErrorStopsAScript() throws {
    let shell = try Shell()
    try shell.folder.write("three.stsh", "dispatch counter.increment\nshow tasks.items[9]\necho never\n")
    let outcome = try shell.run("three.stsh")
    #expect(outcome.output == "#1 counter.increment\n  counter.value  0 -> 1\n")
    #expect(outcome.errors.hasPrefix("three.stsh:2:6: error["))
    #expect(outcome.status == 1)
  }

  @Test func anUnknownNameIsFoundBeforeTheFirstLineOfAFile() throws {
    let shell = try Shell()
    try shell.folder.write("three.stsh", Self.three)
    let outcome = try shell.run("three.stsh")
    #expect(outcome.output == "")
    #expect(
      outcome.errors == "three.stsh:2:10: error[unknown-action]: unknown action 'counter.incremnt'\n" + Self.mark)
    #expect(outcome.status == 2)
  }

  @Test func keepGoingRunsEverything() throws {
    let shell = try Shell()
    try shell.folder.write("three.stsh", Self.three)
    let outcome = try shell.run("--keep-going", "three.stsh")
    #expect(
      outcome.output == """
        #1 counter.increment
          counter.value  0 -> 1
        #2 counter.increment
          counter.value  1 -> 2

        """)
    #expect(
      outcome.errors == "three.stsh:2:10: error[unknown-action]: unknown action 'counter.incremnt'\n" + Self.mark
        + "1 of 3 commands failed\n")
    #expect(outcome.status == 1)
  }

  @Test func standardInput() throws {
    let outcome = try Shell().run(
      "--keep-going", input: "dispatch counter.increment by=two\nshow counter.value\n")
    #expect(outcome.output == "0\n")
    #expect(
      outcome.errors == """
        stdin:1:28: error[type-mismatch]: 'by' must be Int, got string "two"
          dispatch counter.increment by=two
                                     ^~~
          hint: usage: dispatch counter.increment by:Int?
        1 of 2 commands failed

        """)
    #expect(outcome.status == 1)
  }

  @Test func theSyntaxOfAFileIsCheckedBeforeItRuns() throws {
    let shell = try Shell()
    try shell.folder.write("oops.stsh", "echo first\ndispatch tasks.add title=\"oops\n")
    let outcome = try shell.run("oops.stsh")
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        oops.stsh:2:26: error[syntax]: this " is never closed
          dispatch tasks.add title="oops
                                   ^

        """)
    #expect(outcome.status == 2)
  }

  @Test func standardInputRunsUpToTheSyntaxError() throws {
    let outcome = try Shell().run(input: "echo first\ndispatch tasks.add title=\"oops\n")
    #expect(outcome.output == "first\n")
    #expect(outcome.errors.hasPrefix("stdin:2:26: error[syntax]: this \" is never closed\n"))
    #expect(outcome.status == 2)
  }

  @Test func anAssertionShowsBothSides() throws {
    let outcome = try Shell().run(
      "-c", "dispatch counter.increment", "-c", "assert state.counter.value == 8 -- counter should be 8")
    #expect(outcome.output == "#1 counter.increment\n  counter.value  0 -> 1\n")
    #expect(
      outcome.errors == """
        -c:2:1: error[assert-failed]: counter should be 8
          assert state.counter.value == 8 -- counter should be 8
          left   state.counter.value = 1
          right  8 = 8

        """)
    #expect(outcome.status == 3)
  }

  @Test func anErrorInASourcedFileShowsTheChain() throws {
    let shell = try Shell()
    try shell.folder.write("outer.stsh", "echo outer\nsource inner.stsh\n")
    try shell.folder.write("inner.stsh", "echo inner\n\ndispatch tasks.ad title=\"y\"\n")
    let outcome = try shell.run("outer.stsh")
    #expect(outcome.output == "outer\n")
    #expect(
      outcome.errors == """
        inner.stsh:3:10: error[unknown-action]: unknown action 'tasks.ad'
          dispatch tasks.ad title="y"
                   ^~~~~~~~
          hint: did you mean 'tasks.add'?
          in file sourced from outer.stsh:2

        """)
    #expect(outcome.status == 2)
  }

  @Test func whatFollowsAScriptIsTheScripts() throws {
    let shell = try Shell()
    try shell.folder.write("words.stsh", "echo $1 $2 $3 $4\n")
    let arguments = ["--json", "-c", "--", "--help"]
    let expected = Shell.Outcome(output: "--json -c -- --help\n")
    #expect(try shell.run(["words.stsh"] + arguments) == expected)
    #expect(try shell.run(["--keep-going", "--as", "raw", "--", "words.stsh"] + arguments) == expected)
    #expect(try shell.run(["-"] + arguments, input: Array("echo $1 $2 $3 $4\n".utf8)) == expected)
  }

  @Test func aScriptHasArguments() throws {
    let shell = try Shell()
    try shell.folder.write("add.stsh", "dispatch tasks.add title=$1\necho $2\n")
    let outcome = try shell.run("add.stsh", "Buy milk", "2nd")
    #expect(outcome.output.hasPrefix("#1 tasks.add title=\"Buy milk\"\n"))
    #expect(outcome.output.hasSuffix("\n2nd\n"))
    #expect(outcome.status == 0)
  }

  @Test func quietLeavesOutTheAnswersToActions() throws {
    let outcome = try Shell().run(
      "--quiet", "-c", "dispatch counter.increment", "-c", "show counter.value", "-c", "echo done")
    #expect(outcome == .init(output: "1\ndone\n"))
  }

  @Test func statementsMayGoOnOverLines() throws {
    let outcome = try Shell().run(
      input: "dispatch \\\n  counter.increment \\\n  by=2\n= (1 +\n  2)\nlet t = {\n  a = 1,\n}\n= t.a\n")
    #expect(outcome.output == "#1 counter.increment by=2\n  counter.value  0 -> 2\n3\n1\n")
    #expect(outcome.errors == "")
  }

  @Test func anEmptyScriptIsNoError() throws {
    #expect(try Shell().run(input: "") == .init())
    #expect(try Shell().run(input: "\n# nothing\n") == .init())
  }

  @Test func linesMayEndAsOnWindowsAndTheLastNotAtAll() throws {
    let outcome = try Shell().run(input: "echo one\r\necho two")
    #expect(outcome == .init(output: "one\ntwo\n"))
  }
}
