import Testing

@testable import StoreShell

/// `undo` takes back what a statement dispatched as a whole, and `redo` says what goes with it.
@Suite struct StatementUndoTests {
  @Test func aChunkOfLuaIsOneStep() throws {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch counter.increment", "lua for i = 1, 3 do dispatch('counter.increment') end",
      "lua dispatch('counter.increment') dispatch('counter.setStep', { to = 2 })")
    #expect(
      try shell.type("undo").output
        == """
        #7 shell.restore to=4  (takes back lua: #5-#6)
          counter.value  5 -> 4
          counter.step  2 -> 1

        """)
    #expect(
      try shell.type("undo").output
        == "#8 shell.restore to=1  (takes back lua: #2-#4)\n  counter.value  4 -> 1\n")
    #expect(
      try shell.type("redo 2").output.hasPrefix("#9 shell.restore to=6  (brings back 2 statements, #2-#6: lua, lua)\n"))
    #expect(try shell.type("undo 3", "show counter.value").output.hasSuffix("\n0\n"))
  }

  @Test func soAreASourcedFileAndAnIngestedOne() throws {
    let shell = try Shell()
    let script = try shell.write("up.stsh", "dispatch counter.increment\ndispatch counter.increment\n")
    let data = try shell.write("a.jsonl", "{\"title\":\"a\"}\n{\"title\":\"b\"}\n{\"title\":\"c\"}\n")
    _ = try shell.type("source \(script)", "source \(script)", "ingest \(data) --as tasks.add")
    #expect(
      try shell.type("undo").output.hasPrefix("#8 shell.restore to=4  (takes back ingest \(data): #5-#7)\n"))
    #expect(
      try shell.type("undo").output
        == "#9 shell.restore to=2  (takes back source \(script): #3-#4)\n  counter.value  4 -> 2\n")
  }

  /// Several are named one by one.
  @Test func eachStatementIsNamed() throws {
    let shell = try Shell()
    let script = try shell.write("up.stsh", "lua dispatch('counter.increment') dispatch('counter.increment')\n")
    let data = try shell.write("a.jsonl", "{\"title\":\"a\"}\n{\"title\":\"b\"}\n")
    _ = try shell.type(
      "dispatch counter.increment", "lua for i = 1, 2 do dispatch('counter.increment') end",
      "ingest \(data) --as tasks.add", "source \(script)", "dispatch counter.reset", "dispatch counter.increment")
    #expect(
      try shell.type("undo 2").output.contains("(takes back 2 statements, #8-#9: counter.reset, counter.increment)"))
    _ = try shell.type("redo")
    #expect(
      try shell.type("undo 5").output.contains(
        "(takes back 5 statements, #2-#9: lua, ingest \(data), lua, counter.reset, counter.increment)"))
    _ = try shell.type("redo")
    #expect(
      try shell.type("undo 6").output.contains(
        "(takes back 6 statements, #1-#9: counter.increment, lua, ingest \(data), lua, counter.reset and 1 more)"))
  }

  /// Within it each of its own statements is a step, and what it takes back is not counted again.
  @Test func aFileThatTakesBackAPartOfItselfIsOneStepToo() throws {
    let shell = try Shell()
    let script = try shell.write(
      "up.stsh",
      "lua dispatch('counter.increment') dispatch('counter.increment')\ndispatch tasks.add a\nundo\nundo\n"
        + "dispatch tasks.add b\n")
    _ = try shell.type("dispatch counter.setStep to=3 --quiet", "source \(script)")
    #expect(try shell.type("show counter.value", "show tasks.items[*].title --as raw").output == "0\nb\n")
    #expect(try shell.type("undo", "show tasks.items", "show counter.step").output.hasSuffix("\n0 items\n3\n"))
    #expect(
      try shell.type("undo").output.hasSuffix("(takes back #1 counter.setStep)\n  counter.step  3 -> 1\n"))
  }

  /// Statements of one number, in sessions that follow one another, are several.
  @Test func statementsOfFormerSessionsAreNoneOfThisOne() throws {
    let first = try Shell()
    let store = "\(first.folder)/a.db"
    for value in 1...3 {
      let shell = try Shell()
      #expect(shell.openStore(store) == .init())
      #expect(shell.run("dispatch counter.increment --quiet", "show counter.value").output == "\(value)\n")
      #expect(shell.outcome { shell.session.endJournal() } == .init())
    }
    let last = try Shell()
    #expect(last.openStore(store) == .init())
    #expect(
      last.run("undo").output == "#4 shell.restore to=2  (takes back #3 counter.increment)\n  counter.value  3 -> 2\n")
  }

  @Test func aStatementOfAFormerSessionIsOneStep() throws {
    let first = try Shell()
    let store = "\(first.folder)/a.db"
    #expect(first.openStore(store) == .init())
    let data = try first.write("a.jsonl", "{\"title\":\"a\"}\n{\"title\":\"b\"}\n{\"title\":\"c\"}\n")
    _ = try first.type(
      "dispatch counter.increment", "lua dispatch('counter.increment') dispatch('counter.increment')",
      "ingest \(data) --as tasks.add")
    #expect(first.outcome { first.session.endJournal() } == .init())
    for expected in [
      "#7 shell.restore to=3  (takes back ingest \(data): #4-#6)\n",
      "#8 shell.restore to=1  (takes back lua: #2-#3)\n",
      "#9 shell.restore to=0  (takes back #1 counter.increment)\n",
    ] {
      let shell = try Shell()
      #expect(shell.openStore(store) == .init())
      #expect(shell.run("undo").output.hasPrefix(expected))
      #expect(shell.outcome { shell.session.endJournal() } == .init())
    }
  }

  /// Of a statement that is kept in part nothing is taken back without a word.
  @Test(arguments: ["undo", "undo 1", "undo --any", "undo 2"])
  func aStatementOfWhichAPartIsKeptStays(undo: String) throws {
    let shell = try Shell()
    let data = try shell.write("a.jsonl", String(repeating: "{\"title\":\"a\"}\n", count: 30))
    _ = try shell.type("set journal.limit 10", "dispatch counter.increment", "ingest \(data) --as tasks.add")
    let oldest = shell.session.store.live.oldest
    #expect(oldest > 2)
    #expect(
      try shell.type(undo).errors
        == """
        error[not-kept]: one statement dispatched #3-#32, and the history goes back to #\(oldest) only: it cannot be taken back as a whole
          hint: `undo --to \(oldest)` takes back what is kept of it; set journal.limit says how much is kept; --store FILE keeps all of it

        """)
    #expect(shell.session.store.live.head == 32)
    #expect(
      try shell.type("= #state.tasks.items", "undo --to \(oldest) --quiet", "= #state.tasks.items").output
        == "30\n\(oldest - 2)\n")
  }

  @Test func whatIsKeptOfOthersBesidesIsTakenBack() throws {
    let shell = try Shell()
    let lua = "lua for i = 1, 30 do dispatch('counter.increment') end"
    _ = try shell.type("set journal.limit 10", lua, "dispatch counter.setStep 2", "dispatch counter.setStep 3")
    #expect(try shell.type("undo 9").errors.contains("only 2 of your statements can be taken back: the history goes"))
    #expect(try shell.type("undo 3").errors.contains("error[not-kept]: one statement dispatched #2-#31, and"))
    #expect(try shell.type("undo 2 --quiet", "show counter.step").output == "1\n")
    #expect(try shell.type("undo").errors.contains("error[not-kept]: one statement dispatched #2-#31, and"))
    // One that is kept as a whole may begin with the oldest action that is.
    _ = try shell.type("set journal.limit 100", lua)
    #expect(try shell.type("undo").output.contains("(takes back lua: #36-#65)"))
  }

  /// A session whose plugin ticks each second of a virtual clock.
  private func ticking() throws -> Shell {
    let shell = try Shell { $0.grants = ["tick"] }
    let folder = try shell.plugin(
      "tick",
      """
      return plugin { state = { field("on", bool()), field("n", int()) },
        actions = { { name = "start" }, { name = "tick", quiet = true } },
        reducers = { start = function(s) s.on = true end, tick = function(s) s.n = s.n + 1 end },
        middleware = { { name = "clock", supervise = function(state)
          if state.tick.on then
            return { t = function(task) while true do task:sleep(1) task:dispatch("tick") end end }
          end
        end } } }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)", "dispatch tick.start --quiet", "dispatch tasks.add one --quiet")
    return shell
  }

  @Test func redoSaysWhatHasHappenedSince() throws {
    let shell = try ticking()
    _ = try shell.type("undo --quiet", "wait 1s")
    #expect(
      try shell.type("redo").output
        == """
        #6 shell.restore to=3  (brings back #3 tasks.add; takes back #5 tick.tick)
          tasks.nextId  1 -> 2
          tasks.items[id=1]  + { id = 1, title = "one", done = false }
          tick.n  1 -> 0

        """)
    // What an undo took back already is not told again.
    _ = try shell.type("undo --quiet", "wait 3s", "undo --quiet")
    #expect(try shell.type("redo").output.hasPrefix("#12 shell.restore to=10  (brings back "))
    #expect(
      try shell.type("wait 2s", "redo").output.contains(
        "#15 shell.restore to=3  (brings back #3 tasks.add; takes back #13 tick.tick and 1 later action)\n"))
  }

  @Test func redoOfSeveralSaysOnlyWhatIsThere() throws {
    let shell = try ticking()
    _ = try shell.type("dispatch tasks.add two --quiet", "undo --quiet", "undo --quiet", "wait 4s")
    #expect(
      try shell.type("redo 2").output.hasPrefix(
        "#11 shell.restore to=4  (brings back 2 statements, #3-#4: tasks.add, tasks.add; takes back #7 tick.tick and 3 later actions)\n"
      ))
    #expect(
      try shell.type("undo --quiet", "redo").output.hasPrefix("#13 shell.restore to=4  (brings back #4 tasks.add)\n"))
  }
}
