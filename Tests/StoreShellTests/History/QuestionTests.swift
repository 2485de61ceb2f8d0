import StoreHost
import Testing

@testable import StoreShell

/// `why`, `bisect`, `skip` and `unskip`: what a history answers.
@Suite struct QuestionTests {
  private func shell() throws -> Shell {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    _ = try shell.type(
      "dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet", "plugin load pomodoro",
      "dispatch pomodoro.start minutes=1 task=2 --quiet", "wait 61s")
    return shell
  }

  @Test func whyFollowsCausesToTheLineThatWasTyped() throws {
    let shell = try shell()
    let expected = """
      #65 tasks.complete id=2  <- plugin:pomodoro/finisher
        tasks.items[id=2].done  false -> true
        caused by #64 pomodoro.tick  <- plugin:pomodoro/clock
        caused by #4 pomodoro.start minutes=1 task=2  <- repl:4

      """
    #expect(try shell.type("why tasks.items[id=2].done").output == expected)
    #expect(try shell.type("why tasks.items[2].done").output == expected)
    #expect(try shell.type("why #65").output == expected)
    #expect(
      try shell.type("why tasks.items[1]").output
        == "#1 tasks.add title=\"milk\"  <- repl:1\n  tasks.items[id=1]  + { id = 1, title = \"milk\", done = false }\n"
    )
    #expect(try shell.type("why counter.value").output == "counter.value is as it was at the start\n")
    #expect(try shell.type("why tasks.open").errors.contains("tasks.open is a projection"))
    #expect(try shell.type("why counter.valeu").errors.contains("did you mean 'counter.value'?"))
  }

  @Test func whySaysTheSameOfAStoreThatIsOpenedAgain() throws {
    let first = try Shell { $0.grants = ["pomodoro"] }
    let file = "\(first.folder)/a.db"
    #expect(first.openStore(file) == .init())
    let told = first.run(
      "set journal.limit 10", "dispatch tasks.add milk --quiet", "plugin load pomodoro",
      "dispatch pomodoro.start minutes=1 task=1 --quiet", "wait 61s", "undo --quiet", "redo --quiet",
      "dispatch counter.increment --quiet")
    #expect(told.errors == "")
    let questions = [
      "why tasks.items[id=1].done", "why tasks.items[1].title", "why pomodoro.phase", "why pomodoro.task", "why #66",
      "why counter.value", "why counter.step", "bisect #state.pomodoro.rounds > 0", "log --changed tasks.items",
    ]
    let answers = questions.map { first.run($0) }
    #expect(answers[0].output.contains("caused by #4 pomodoro.start"), "\(answers[0])")
    #expect(first.outcome { first.session.endJournal() } == .init())
    let second = try Shell { $0.grants = ["pomodoro"] }
    #expect(second.openStore(file) == .init())
    #expect(questions.map { second.run($0) } == answers)
  }

  /// The load of a plugin made what stood there behind it, and no more.
  @Test func whyOfWhatNeverWasSaysSo() throws {
    let shell = try Shell { $0.grants = ["ledger"] }
    #expect(shell.run("plugin load ledger", "dispatch ledger.open bank asset --quiet").errors == "")
    #expect(shell.run("why ledger.accounts[\"x\"]").errors.contains("error[unknown-path]"))
    #expect(shell.run("why ledger.transactions[id=3]").errors.contains("has no item with id = 3"))
    #expect(shell.run("why ledger.accounts.bank").output.hasPrefix("#2 ledger.open"))
    #expect(shell.run("why ledger.transactions").output.hasPrefix("#1 shell.loadPlugin"))
    #expect(shell.run("plugin unload ledger", "why ledger.transactions").output.contains("#3 shell.unloadPlugin"))
  }

  @Test func whyLooksThroughRestores() throws {
    let shell = try shell()
    _ = try shell.type("undo --to 1 --quiet", "undo --to 2 --quiet")
    #expect(
      try shell.type("why tasks.nextId").output
        == """
        #67 shell.restore to=2  <- repl:7
          tasks.nextId  2 -> 3
        as it was after #2:
        #2 tasks.add title="bread"  <- repl:2
          tasks.nextId  2 -> 3

        """)
    _ = try shell.type("undo --to 0 --quiet")
    #expect(
      try shell.type("why tasks.items[id=1]").output
        == """
        #68 shell.restore to=0  <- repl:9
          tasks.items[id=1]  - { id = 1, title = "milk", done = false }
        as it was after #0:
        it is as it was at the start

        """)
  }

  @Test func whyInThePastKnowsNoLaterActions() throws {
    let shell = try shell()
    #expect(try shell.type("goto 1", "why tasks.nextId").output.contains("#1 tasks.add"))
  }

  @Test func bisectFindsTheFirst() throws {
    let shell = try shell()
    #expect(
      try shell.type("bisect state.tasks.items[2] and state.tasks.items[2].done").output
        == "#65 tasks.complete id=2  <- plugin:pomodoro/finisher\n")
    #expect(
      try shell.type("bisect state.pomodoro.left == 30 --first").output
        == "#34 pomodoro.tick  <- plugin:pomodoro/clock\n")
    #expect(
      try shell.type("bisect project('tasks.summary') == '0 of 2 done' --first").output
        == "#2 tasks.add title=\"bread\"  <- repl:2\n")
    #expect(try shell.type("bisect project('pomodoro.focus')").output.hasPrefix("#4 pomodoro.start"))
    #expect(try shell.type("bisect true").errors.contains("true holds already at the start: no action made it true"))
    #expect(
      try shell.type("bisect state.counter.value > 0").errors == """
        error[never-held]: state.counter.value > 0 does not hold after #65
          hint: it may have held in between: bisect state.counter.value > 0 --first checks after every action

        """)
    let none = try shell.type("bisect state.counter.value > 0 --first")
    #expect(none.errors == "error[never-held]: state.counter.value > 0 holds after none of #1-65\n")
    #expect(none.status == 1)
    #expect(try shell.type("bisect state.nothing.x == 1").errors.hasPrefix("error[lua-error]: "))
    #expect(try shell.type("bisect 1 +* 2").status == 2)
    // The present is as it was.
    #expect(try shell.type("show pomodoro.phase", "= state.pomodoro.phase").output == "\"rest\"\n\"rest\"\n")
  }

  @Test func bisectSaysWhereItHeldAlready() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("set journal.limit 300", "lua for i = 1, 1000 do dispatch('counter.increment') end")
    let oldest = shell.session.store.live.oldest
    #expect(oldest > 0)
    // Where it held first is no longer known.
    for condition in ["state.counter.value > 5", "state.counter.step == 1"] {
      let refused = shell.run("bisect \(condition)")
      #expect(refused.status == 1 && refused.output == "")
      #expect(
        refused.errors == """
          -c:1:1: error[not-kept]: \(condition) holds already after #\(oldest), the oldest state that is kept: \
          it may have held before
            bisect \(condition)
            hint: set journal.limit says how much is kept; --store FILE keeps all of it

          """)
    }
    let note = "states before #\(oldest) are not kept: it may have held in one of them"
    let found = shell.run("bisect state.counter.value > 990")
    #expect(
      found.output.hasPrefix("#992 counter.increment")
        && found.errors.hasPrefix("note: \(note)\nnote: found by binary search, checked "))
    shell.session.options.isJSON = true
    #expect(shell.run("bisect state.counter.value > 5").output.contains(#""code":"not-kept""#))
    let ending = "}],\"failure\":null},\"notes\":[\"\(note)\",\"found by binary search, checked "
    #expect(shell.run("bisect state.counter.value > 990").output.contains(ending))
    let fresh = try Shell { $0.isQuiet = true }
    #expect(
      fresh.run("dispatch counter.increment", "bisect state.counter.step == 1").errors
        == "-c:2:1: error[never-held]: state.counter.step == 1 holds already at the start: no action made it true\n"
        + "  bisect state.counter.step == 1\n")
  }

  @Test func whySaysWhereTheHistoryBegins() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("set journal.limit 300", "lua for i = 1, 1000 do dispatch('counter.increment') end")
    let oldest = shell.session.store.live.oldest
    let outcome = shell.run("why counter.step")
    #expect(outcome.output == "counter.step is as it was after #\(oldest), where the history begins\n")
    #expect(outcome.errors == "note: set journal.limit says how much is kept; --store FILE keeps all of it\n")
    #expect(shell.run("why counter.value").errors == "")
    #expect(try Shell().run("why counter.step").errors == "")
  }

  @Test func bisectSaysWhereItCannotBeSaid() throws {
    let shell = try shell()
    _ = try shell.type("plugin unload pomodoro", "dispatch counter.increment --quiet")
    let none = try shell.type("bisect state.pomodoro == nil --first")
    #expect(
      none.errors
        == """
        error[never-held]: state.pomodoro == nil holds after none of #1-67
          after #66 it cannot be said: state has no module 'pomodoro'

        """)
    #expect(none.status == 1)
  }

  @Test func bisectCrossesRestoresAndLoads() throws {
    let shell = try shell()
    _ = try shell.type("undo --to 0 --quiet", "redo --quiet", "dispatch counter.increment --quiet")
    #expect(try shell.type("bisect state.counter.value == 1").output == "#68 counter.increment  <- repl:8\n")
    #expect(
      try shell.type("bisect #state.tasks.items == 2 and state.pomodoro and state.pomodoro.phase == 'rest' --first")
        .output
        .hasPrefix("#64 "))
  }

  @Test func skippingShowsWhatWouldBe() throws {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch counter.setStep to=10 --quiet", "dispatch counter.increment --quiet",
      "dispatch counter.increment by=1 --quiet")
    #expect(try shell.type("show counter.value").output == "11\n")
    #expect(try shell.type("skip #1", "show counter.value").output == "viewing #3 of 3 without #1 (read-only)\n2\n")
    #expect(shell.session.prompt == "stsh @3/3 -#1> ")
    #expect(try shell.type("skip 3", "show counter.value").output == "viewing #3 of 3 without #1, #3 (read-only)\n1\n")
    #expect(
      try shell.type("dispatch counter.increment").errors
        == "error[not-at-head]: the store shows #3 of 3 without #1, #3; dispatching from the past would fork history\n  hint: `goto head` returns to the present\n"
    )
    #expect(try shell.type("unskip #1", "show counter.value").output == "viewing #3 of 3 without #3 (read-only)\n10\n")
    #expect(try shell.type("goto 2", "skip #3").errors.contains("there is no #3 among the actions up to #2"))
    #expect(try shell.type("skip #2", "show counter.value").output == "viewing #2 of 3 without #2 (read-only)\n0\n")
    #expect(try shell.type("goto head", "show counter.value").output == "at head (#3)\n11\n")
  }

  @Test func whatIsSkippedIsSkippedByWhateverLooksAtTheState() throws {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch tasks.add A --quiet", "dispatch tasks.add B --quiet", "dispatch counter.increment --quiet", "skip #1")
    #expect(try shell.type("diff 1 2").output.hasPrefix("tasks.nextId  1 -> 3\n"))
    #expect(try shell.type("diff 0 1", "show tasks.nextId --at 1").output == "no change\n1\n")
    #expect(try shell.type("show tasks.nextId --at 3").output == "3\n")
    // What tells of the history as it was says so instead of an answer that is none here.
    #expect(
      try shell.type("why tasks.nextId").errors
        == """
        error[not-at-head]: the store shows #3 of 3 without #1; why does not work in a skipped view
          hint: `goto 3` shows #3 as it was; show and diff tell of what would be

        """)
    #expect(try shell.type("bisect state.tasks.nextId == 2").errors.contains("bisect does not work in a skipped view"))
    #expect(try shell.type("why #1").output.hasPrefix("#1 tasks.add"))
    #expect(
      try shell.type("goto 3", "diff 1 2", "why tasks.nextId").output.contains("#2 tasks.add title=\"B\"  <- repl:2"))
  }

  @Test func skippingRunsPluginsAgain() throws {
    let shell = try shell()
    let before = try shell.type("show").output
    // Without the first tick there is a second left.
    #expect(try shell.type("skip #5", "show pomodoro.left", "show pomodoro.phase").output.hasSuffix("1\n\"work\"\n"))
    // What a middleware dispatched was recorded, and comes all the same.
    #expect(
      try shell.type("goto head", "skip #4", "show pomodoro.phase", "show tasks.summary").output.hasSuffix(
        "\"idle\"\n\"1 of 2 done\"\n"))
    // Without the load there is no plugin.
    #expect(try shell.type("goto head", "skip #3", "show tasks.summary").output.hasSuffix("\"1 of 2 done\"\n"))
    #expect(try shell.type("show pomodoro").errors.contains("there is no module 'pomodoro'"))
    #expect(try shell.type("goto head", "show").output == "at head (#65)\n" + before)
  }

  @Test func skippingAnUndoLeavesItOut() throws {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch counter.increment --quiet", "dispatch counter.increment --quiet", "undo --quiet",
      "middleware on logger", "dispatch counter.increment --quiet")
    #expect(try shell.type("show counter.value").output == "2\n")
    #expect(try shell.type("skip #3", "show counter.value").output.hasSuffix("3\n"))
    #expect(try shell.type("goto head", "skip #1", "show counter.value").output.hasSuffix("\n1\n"))
    #expect(try shell.type("goto head", "skip #4", "show shell.middleware[1].gate --as raw").output.hasSuffix("off\n"))
    #expect(try shell.type("goto head", "show shell.middleware[1].gate --as raw").output.hasSuffix("on\n"))
  }

  /// A later setting brings back no setting that is left out, and a plugin that is left out is not brought by what was done to it.
  @Test func aSkippedActionOfTheShellComesBackWithNoOther() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("meter", Self.meter)
    _ = try shell.type(
      "set runaway 7", "set emit always", "middleware on logger", "plugin load \(folder)", "plugin disable meter")
    #expect(shell.session.store.shownState.shell.runaway == 7)
    _ = try shell.type("skip #1")
    #expect(shell.session.store.shownState.shell.runaway == 1000)
    #expect(shell.session.store.shownState.shell.emission == "always")
    _ = try shell.type("goto head", "skip #4")
    #expect(shell.session.store.shownState.shell.plugins.isEmpty)
    #expect(shell.session.store.shownState.plugins.isEmpty)
  }

  @Test func anImportSetsWhatItSetWhateverWasThere() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("meter", Self.meter)
    let file = try shell.write("s.json", #"{"counter":{"value":7,"step":1},"note":5,"shell":{"substates":["note"]}}"#)
    _ = try shell.type(
      "dispatch counter.increment", "plugin load \(folder)", "dispatch counter.increment", "dispatch tasks.add milk",
      "import state \(file)", "dispatch counter.increment", "dispatch meter.add 1")
    func shown(_ line: String) throws -> [Substring] {
      try shell.type("goto head", line, "show counter.value", "show note", "show meter.n", "show tasks.nextId").output
        .split(separator: "\n").suffix(4)
    }
    #expect(try shown("skip #3") == ["8", "5", "1", "2"])
    #expect(try shown("skip #4") == ["8", "5", "1", "1"])
    #expect(try shown("skip #6") == ["7", "5", "1", "2"])
    #expect(try shell.type("goto head", "skip #5", "show counter.value").output.hasSuffix("\n3\n"))
  }

  @Test(arguments: [
    (#"{"counter":{"value":7,"step":2}}"#, #" modules=["counter"]"#, ["7", "2", "2"], ["7", "2", "1"]),
    (
      #"{"counter":{"value":7,"step":2},"tasks":{"nextId":2,"items":[{"id":1,"title":"milk","done":false}]}}"#, "",
      ["7", "2", "2"], ["7", "2", "2"]
    ),
  ])
  func anImportSetsWhatItFoundAsItIsToBe(
    state: String, modules: String, withoutStep: [Substring], withoutTask: [Substring]
  ) throws {
    let shell = try Shell()
    let file = try shell.write("s.json", state)
    _ = try shell.type("dispatch counter.setStep 2", "dispatch tasks.add milk")
    let imported = try shell.type("import state \(file)").output
    #expect(imported == "#3 shell.import file=\"\(file)\"\(modules)\n  counter.value  0 -> 7\n")
    func shown(_ line: String) throws -> [Substring] {
      try shell.type("goto head", line, "show counter.value", "show counter.step", "show tasks.nextId").output
        .split(separator: "\n").suffix(3)
    }
    #expect(try shown("skip #1") == withoutStep)
    #expect(try shown("skip #2") == withoutTask)
  }

  private static let meter = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "add", args = { field("by", int()) } } },
      reducers = { add = function(s, a) s.n = s.n + a.by end },
    }
    """

  @Test func aReloadHandsOverWhatIsLeft() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("meter", Self.meter)
    _ = try shell.type(
      "plugin load \(folder)", "dispatch meter.add 5", "dispatch meter.add 1", "plugin reload meter",
      "dispatch meter.add 10", "plugin reload meter --reset", "dispatch meter.add 100")
    #expect(try shell.type("goto 5", "skip #2", "show meter.n").output.hasSuffix("\n11\n"))
    #expect(try shell.type("skip #3", "show meter.n").output.hasSuffix("\n10\n"))
    // What started anew does so without them, too.
    #expect(try shell.type("goto head", "skip #2", "show meter.n").output.hasSuffix("\n100\n"))
  }

  @Test func anUndoOverAReloadIsAChange() throws {
    let shell = try Shell()
    let folder = try shell.plugin("meter", Self.meter)
    _ = try shell.type(
      "plugin load \(folder)", "dispatch meter.add 5", "plugin reload meter", "dispatch meter.add 1",
      "plugin disable meter", "plugin enable meter")
    #expect(try shell.type("undo 4").output.hasSuffix("\n  meter.n  6 -> 5\n"))
    let why = try shell.type("why meter.n").output
    #expect(why.hasPrefix("#7 shell.restore to=2") && why.contains("as it was after #2:\n#2 meter.add by=5"), "\(why)")
    #expect(try shell.type("diff 4 7").output == "meter.n  6 -> 5\n")
    #expect(try shell.type("log --changed meter.n --json").output.contains("shell.restore"))
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    #expect(try Shell().run("replay \(file) --verify").output == "replayed 7 actions, every state matches\n")
    // Recordings did not always have such a change.
    let text = try #require(shell.contents("run.jsonl"))
    try shell.write(
      "run.jsonl", text.replacing(#"[{"op":"replace","path":"meter.n","from":6,"to":5}]"#, with: "[]"))
    #expect(try #require(shell.contents("run.jsonl")) != text)
    #expect(try Shell().run("replay \(file) --verify").output == "replayed 7 actions, every state matches\n")
  }

  @Test func anUndoOverAReloadThatChangedFieldsIsAChange() throws {
    let shell = try Shell()
    let store = "\(shell.folder)/s.db"
    #expect(shell.openStore(store).status == 0)
    let folder = try shell.plugin("meter", Self.meter)
    _ = try shell.type("plugin load \(folder)", "dispatch meter.add 5", "dispatch meter.add 1")
    let more = Self.meter.replacing("int()) },", with: "int()), field(\"m\", int { default = 4 }) },")
    #expect(more != Self.meter)
    _ = try shell.plugin("meter", more)
    _ = try shell.type("plugin reload meter", "dispatch meter.add 10")
    #expect(try shell.type("diff 3 4").output == "meter.m  + 4\n")
    #expect(try shell.type("undo 3").output.hasSuffix("\n  meter.n  16 -> 5\n  meter.m  - 4\n"))
    let why = try shell.type("why meter.n").output
    #expect(why.hasPrefix("#6 shell.restore to=2"), "\(why)")
    #expect(try shell.type("diff 5 6").output == "meter.n  16 -> 5\nmeter.m  - 4\n")
    #expect(try shell.type("redo").output.hasSuffix("\n  meter.n  5 -> 16\n  meter.m  + 4\n"))
    let log = try shell.type("log --changed meter.m --json").output
    #expect(shell.session.endJournal() == 0)
    let later = try Shell()
    #expect(later.openStore(store).status == 0)
    #expect(try later.type("log --changed meter.m --json").output == log)
  }

  @Test func aSubstateInThePlaceOfAnotherIsAChange() throws {
    let shell = try Shell()
    _ = try shell.type("substate add cart --value {n=1}", "substate add cart --value {n=2} --replace")
    #expect(try shell.type("diff 1 2").output == "cart  { n = 1 } -> { n = 2 }\n")
    #expect(try shell.type("why cart.n").output.hasPrefix("#2 shell.addSubstate"))
  }
}
