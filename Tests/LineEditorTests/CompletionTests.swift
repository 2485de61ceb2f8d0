import Testing

@Suite("Tab")
struct CompletionTests {
  @Test(arguments: [
    ("di\t", "dispatch "), ("dispatch b\t", "dispatch by="), ("counter.i\t", "counter.increment "),
    ("coun\t", "counter."), ("gr\t", "größe "), ("x=größe di\t", "x=größe dispatch "),
  ])
  func aSingleCandidateIsInserted(keys: String, line: String) throws {
    let probe = try ProbeTerminal()
    probe.type(keys + "|\r")
    try probe.waitForLine("line(\"\(line)|\")")
  }

  @Test func aSuffixThatIsThereIsNotRepeated() throws {
    let probe = try ProbeTerminal()
    probe.type("di tasks\u{1}\u{6}\u{6}\t|\r")
    try probe.waitForLine(#"line("dispatch |tasks")"#)
  }

  @Test(arguments: [("C.UTF-8", "…"), ("C", "...")])
  func whatCandidatesShareIsInsertedBeforeTheyAreListed(locale: String, mark: String) throws {
    let probe = try ProbeTerminal(environment: ["LANG": locale, "LC_ALL": locale])
    probe.type("many\t")
    try probe.waitForCursorLine("probe> many.candidate.1")
    #expect(probe.screen.lines == ["probe> many.candidate.1"])
    probe.type("\t")
    try probe.waitForLine("\(mark) and 458 more")
    try probe.waitForCursorLine("probe> many.candidate.1")
  }

  @Test func ambiguousCandidatesAreListedAboveTheLine() throws {
    let probe = try ProbeTerminal()
    probe.type("d\t")
    try probe.waitForLine("dispatch  describe")
    try probe.waitForCursorLine("probe> d")
    #expect(probe.screen.lines == ["dispatch  describe", "probe> d"])
    probe.type("e\t|\r")
    try probe.waitForLine(#"line("describe |")"#)
  }

  @Test func aNarrowTerminalListsInOneColumn() throws {
    let probe = try ProbeTerminal()
    probe.resize(columns: 24)
    probe.type("counter.\t")
    try probe.waitForCursorLine("probe> counter.")
    try probe.waitForLine("counter.decrement")
    #expect(probe.screen.lines.contains("counter.increment"))
  }

  @Test func aNoteIsPrintedAndNothingInserted() throws {
    let probe = try ProbeTerminal()
    probe.type("dispatch counter.i\t\t")
    try probe.waitForLine("signature by:Int?")
    probe.type("|\r")
    try probe.waitForLine(#"line("dispatch counter.increment |")"#)
  }

  @Test func whereNothingFitsTheBellRings() throws {
    let probe = try ProbeTerminal()
    probe.type("zzz\t")
    try probe.wait(for: "the bell") { $0.bells == 1 }
    #expect(probe.screen.lines == ["probe> zzz"])
  }

  @Test func oneUndoTakesACompletionBack() throws {
    let probe = try ProbeTerminal()
    probe.type("di\t\u{1F}|\r")
    try probe.waitForLine(#"line("di|")"#)
  }
}
