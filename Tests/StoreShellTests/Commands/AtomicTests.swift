import Glibc
import StoreCore
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// `atomic begin` to `atomic end`: all that the lines between dispatch stays, or none of it.
@Suite struct AtomicTests {
  private func value(_ shell: Shell) throws -> String { try shell.type("= state.counter.value").output }

  @Test func whatComesToItsEndStaysAndIsUndoneAsOne() throws {
    let shell = try Shell()
    #expect(
      shell.run(
        "dispatch counter.increment --quiet", "atomic begin", "dispatch counter.increment --quiet",
        "lua for i = 1, 3 do dispatch('counter.increment') end", "atomic end") == .init())
    #expect(try value(shell) == "5\n")
    #expect(shell.run("undo").output.hasPrefix("#6 shell.restore to=1  (takes back source -c: #2-#5)\n"))
    #expect(try value(shell) == "1\n")
    #expect(shell.run("redo --quiet") == .init())
    #expect(try value(shell) == "5\n")
    // What comes behind it is a statement of its own.
    #expect(shell.run("dispatch counter.increment --quiet", "undo --quiet") == .init())
    #expect(try value(shell) == "5\n")
  }

  @Test func aStatementThatFailsTakesAllOfItBack() throws {
    let shell = try Shell()
    let failed = try shell.run(
      script: """
        dispatch counter.increment --quiet
        atomic begin
        dispatch counter.increment by=5 --quiet
        dispatch tasks.add milk --quiet
        assert false
        atomic end

        """)
    #expect(failed.status == 3)
    #expect(failed.errors.contains("note: #4 takes back 2 actions, since line 5 failed; atomic end leaves the run\n"))
    #expect(try value(shell) == "1\n")
    // The run is open still, and dispatches nothing more.
    let refused = try shell.type("dispatch counter.increment")
    #expect(refused.errors.contains("error[not-allowed]: the run was cancelled, and nothing is dispatched"))
    let ended = try shell.type("atomic end")
    #expect(ended.status == 1)
    #expect(ended.errors.contains("error[failed]: the run was cancelled, since line 5 failed"))
    #expect(try shell.type("dispatch counter.increment --quiet") == .init())
    #expect(try value(shell) == "2\n")
    #expect(shell.run("show tasks.items --as json").output == "[]\n")
  }

  @Test func aTryExcusesAFailure() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "atomic begin", "dispatch counter.increment --quiet", "try assert false", "dispatch counter.increment --quiet",
      "atomic end")
    #expect(outcome.status == 0)
    #expect(try value(shell) == "2\n")
  }

  @Test func aRunIsCancelled() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "atomic begin", "dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet", "atomic cancel")
    #expect(outcome.output.hasPrefix("#3 shell.restore to=0  (takes back 2 actions)\n"), "\(outcome)")
    #expect(try value(shell) == "0\n")
    #expect(shell.run("atomic begin", "atomic cancel") == .init())
    #expect(shell.run("atomic begin", "atomic end") == .init())
    #expect(shell.run("dispatch counter.increment --quiet", "atomic end").errors.contains("no run has begun"))
    let cancelled = try Shell().run(
      script: "atomic begin\nlua if true then command('atomic cancel') end\nassert true\natomic end\n")
    #expect(cancelled.status == 2 && cancelled.errors.contains("line 2 cancelled the run already"), "\(cancelled)")
    #expect(try value(shell) == "1\n")
  }

  @Test(arguments: [
    "undo", "undo --to 0", "set runaway 10", "middleware on logger", "plugin load pomodoro", "plugin load none",
    "import /none",
  ])
  func whatConcernsAllIsRefused(_ line: String) throws {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    #expect(shell.run("dispatch counter.increment --quiet").status == 0)
    let outcome = try shell.type("atomic begin", "dispatch counter.increment by=4 --quiet", line)
    #expect(outcome.status != 0)
    if !line.contains("none") {
      #expect(outcome.errors.contains("is refused between atomic begin and atomic end"), "\(outcome)")
    }
    // It failed, and took the run back.
    #expect(outcome.errors.contains("note: #3 takes back 1 action, since line"), "\(outcome)")
    #expect(try shell.type("atomic end").status == 1)
    #expect(try value(shell) == "1\n")
    #expect(shell.run("log --json").output.contains("setGate") == false)
  }

  @Test func aRunThatNoLineEndsIsTakenBack() throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "atomic begin\ndispatch counter.increment --quiet\n")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[syntax]: a run began on line 1, and no line ends it"))
    #expect(try value(shell) == "0\n")
    #expect(shell.session.store.live.head == 0, "it is found before the first line runs")
    for lines in ["atomic end", "echo\natomic cancel"] {
      #expect(try Shell().run(script: "dispatch counter.increment\n\(lines)\n").errors.contains("no run has begun"))
    }
    let twice = try shell.run(script: "atomic begin\natomic begin\n")
    #expect(twice.errors.contains("a run began on line 1 already"))
  }

  @Test func ofAnothersActionThatStandsOnItAllIsKept() throws {
    let shell = try Shell()
    let other = StoreClient(of: shell.session.store.live)
    #expect(
      try shell.type("atomic begin", "dispatch tasks.add milk --quiet", "dispatch counter.increment --quiet").status
        == 0)
    let complete = try #require(other.action(named: "tasks.complete"))
    _ = other.dispatch(try complete.call([("id", .int(1))]), source: .here())
    let outcome = try shell.type("atomic cancel")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("error[atomic-kept]: others have acted since, and #3 tasks.complete id=1"), "\(outcome)")
    for line in ["what stays:", "#1 tasks.add title=\"milk\"", "#2 counter.increment"] {
      #expect(outcome.errors.contains("  \(line)\n"), "\(outcome)")
    }
    #expect(try value(shell) == "1\n")
    // It is left all the same.
    #expect(try shell.type("dispatch counter.increment --quiet") == .init())
  }

  /// A report that cannot be written is an error of the run, which is taken back by it.
  @Test func aReportThatCannotBeWrittenTakesAFileBack() throws {
    let shell = try Shell { $0.isAllOrNothing = true }
    shell.session.options.report = RunReport("tap", path: "\(shell.folder)/nowhere/report")
    let outcome = try shell.run(script: "dispatch counter.increment --quiet\n")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("note: #2 takes back 1 action, since it ended with status 2\n"), "\(outcome)")
    #expect(try value(shell) == "0\n")
    // It is told once.
    #expect(shell.outcome { shell.session.writeReport(after: 2) } == .init(status: 2))
  }

  /// The run of a whole file is the file's: no line of it ends that.
  @Test(arguments: ["begin", "end", "cancel"]) func theRunOfAFileIsNotALines(step: String) throws {
    let shell = try Shell { $0.isAllOrNothing = true }
    let outcome = try shell.run(script: "dispatch counter.increment --quiet\natomic \(step)\n")
    #expect(outcome.status == 2)
    let message = step == "begin" ? "the file is a run already, by --all-or-nothing" : "no run has begun"
    #expect(outcome.errors.contains("script.stsh:2:1: error[syntax]: \(message)\n"), "\(outcome)")
    #expect(outcome.errors.contains("note: #2 takes back 1 action, since line 2 failed\n"), "\(outcome)")
    #expect(try value(shell) == "0\n")
  }

  /// What a cancelled run did is as if it had never been, for a redo, too.
  @Test(arguments: ["atomic cancel", "assert false"]) func aRedoBringsNoRunBack(_ line: String) throws {
    let shell = try Shell()
    #expect(try shell.type("dispatch counter.setStep 5 --quiet", "dispatch counter.increment --quiet").status == 0)
    #expect(try shell.type("undo --quiet", "undo --quiet").status == 0)
    _ = try shell.type("atomic begin", "dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet", line)
    _ = try shell.type("atomic end")
    #expect(try shell.type("redo").output.hasPrefix("#8 shell.restore to=1  (brings back #1 counter.setStep)\n"))
    #expect(try shell.type("redo").output.contains("(brings back #2 counter.increment)\n"))
    #expect(try shell.type("redo").errors.contains("error[nothing-to-redo]"))
    #expect(shell.run("show counter", "show tasks.items --as json").output == "value  5\nstep   5\n[]\n")
    #expect(try shell.type("undo 2 --quiet").status == 0)
    #expect(shell.run("show counter").output == "value  0\nstep   1\n")
  }

  /// Leaving in a run is an end without `atomic end`.
  @Test func whoQuitsInARunIsTold() throws {
    for (line, status) in [("quit", 2), ("quit 0", 2), ("quit 3", 3)] as [(String, Int32)] {
      let shell = try Shell()
      let script = "echo\natomic begin\ndispatch counter.increment --quiet\n\(line)\n"
      let outcome = try shell.run(input: Array(script.utf8))
      #expect(outcome.status == status, "\(line)")
      #expect(outcome.errors.contains("note: #2 takes back 1 action, since no atomic end came\n"), "\(outcome)")
      #expect(outcome.errors.contains("error[syntax]: a run began on line 2, and no line ends it\n"), "\(outcome)")
      #expect(shell.session.store.live.head == 2)
      #expect(try shell.session.store.entry(2)?.source.short.hasSuffix("stdin:4") == true)
    }
    let whole = try Shell { $0.isAllOrNothing = true }
    let failed = try whole.run(script: "dispatch counter.increment --quiet\nquit 3\n")
    #expect(failed.status == 3)
    #expect(failed.errors == "note: #2 takes back 1 action, since it ended with status 3\n")
    let kept = try Shell { $0.isAllOrNothing = true }
    #expect(try kept.run(script: "dispatch counter.increment --quiet\nquit 0\ndispatch counter.increment\n") == .init())
    #expect(kept.session.store.live.head == 1)
    // Behind the last line there is no statement: the place is that of the run.
    let prompt = try Shell()
    #expect(try prompt.type("echo", "atomic begin", "dispatch counter.increment --quiet").status == 0)
    #expect(
      prompt.outcome { prompt.session.end() }.errors == "note: #2 takes back 1 action, since no atomic end came\n")
    #expect(try prompt.session.store.entry(2)?.source.short == "repl:2")
  }

  /// What looks at the past meanwhile takes a run back all the same.
  @Test func aRunIsTakenBackFromThePast() throws {
    let shell = try Shell()
    #expect(try shell.type("dispatch counter.increment --quiet", "atomic begin").status == 0)
    #expect(try shell.type("dispatch counter.increment --quiet", "goto 1").status == 0)
    #expect(try shell.type("assert false").errors.contains("takes back 1 action, since line 5 failed"))
    #expect(try shell.type("atomic end").status == 1)
    #expect(shell.session.store.live.head == 3)
  }

  /// Others' actions stay.
  @Test func onlyItsOwnActionsGo() throws {
    let shell = try Shell()
    let other = StoreClient(of: shell.session.store.live)
    #expect(try shell.type("atomic begin", "dispatch counter.increment by=5 --quiet").status == 0)
    let add = try #require(other.action(named: "tasks.add"))
    _ = other.dispatch(try add.call([("title", .string("bread"))]), source: .here())
    #expect(try shell.type("dispatch counter.setStep to=3 --quiet").status == 0)
    #expect(
      try shell.type("atomic cancel").output.hasPrefix("#4 shell.restore without=[1, 3]  (takes back 2 actions)\n"))
    #expect(shell.run("show counter").output == "value  0\nstep   1\n")
    #expect(shell.run("show tasks.items[*].title --as raw").output == "bread\n")
  }
}

/// Runs of `atomic` at which several names act, and runs that a kill has left open.
@Suite struct SharedRunTests {
  /// A conversation of another name, for as long as it is there.
  private struct Person {
    let client: StoreClient
    let author: ActionAuthor

    init(_ name: String, at shell: Shell) {
      client = StoreClient(of: shell.session.store.live)
      author = ActionAuthor(user: "root", name: name)
      client.speaker = { [author] in author }
    }

    @discardableResult
    func dispatch(_ name: String, _ arguments: [(String, Value)] = []) throws -> DispatchReport {
      var source = ActionSource(file: "-c", function: "dispatch", line: 1, kind: .batch)
      source.author = author
      return client.dispatch(try #require(client.action(named: name)).call(arguments), source: source)
    }
  }

  private static let kept = "error[atomic-kept]: others have acted since, and #2 tasks.complete id=1 by bob (root)"

  /// Whether they are still there makes no difference: what another name did stays.
  @Test(arguments: [true, false]) func anActionOfAnotherNameIsNotLost(isGone: Bool) throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen) = ("ann", true) }
    #expect(try shell.type("atomic begin", "dispatch tasks.add milk --quiet").status == 0)
    var bob: Person? = Person("bob", at: shell)
    try bob?.dispatch("tasks.complete", [("id", .int(1))])
    if isGone { bob = nil }
    let cancelled = try shell.type("atomic cancel")
    #expect(cancelled.status == 1)
    #expect(cancelled.errors.hasPrefix(Self.kept), "\(cancelled)")
    #expect(cancelled.errors.contains("  what stays:\n  #1 tasks.add title=\"milk\"\n"), "\(cancelled)")
    for line in ["undo", "undo #1"] {
      let undone = try shell.type(line)
      #expect(undone.errors.contains("error[undo-conflict]"), "\(undone)")
      #expect(undone.errors.contains("#2 tasks.complete id=1 by bob (root) would fail without it"), "\(undone)")
    }
    #expect(shell.run("show tasks.items[*].done --as raw").output == "true\n")
    _ = bob
  }

  /// A redo changes nothing of those who have gone either.
  @Test func aRedoChangesNothingOfAnotherName() throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen) = ("ann", true) }
    #expect(try shell.type("dispatch counter.setStep 5 --quiet", "undo --quiet").status == 0)
    try Person("bob", at: shell).dispatch("counter.increment")
    let redo = try shell.type("redo")
    #expect(redo.errors.contains("#3 counter.increment by bob (root) would leave counter.value at 5, not 1"), "\(redo)")
    #expect(shell.run("show counter").output == "value  1\nstep   1\n")
  }

  /// What an action caused belongs to the name that asked for it: of another name it stays as it is, of one's own it may change.
  @Test(arguments: [true, false]) func whatAnActionCausedIsOfItsName(isOwn: Bool) throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen, $0.grants) = ("ann", true, ["follow"]) }
    let plugin = try shell.plugin(
      "follow",
      """
      return plugin {
        state = { field("n", int {}) },
        middleware = {
          { name = "steps", on = { "tasks.add" }, after = function(_, ctx) ctx:dispatch("counter.increment") end },
        },
      }
      """, permissions: #"["dispatch:counter.*", "read:tasks"]"#)
    let loaded = try shell.type("plugin load \(plugin)", "dispatch counter.setStep 5 --quiet")
    #expect(loaded.status == 0, "\(loaded)")
    if isOwn {
      #expect(try shell.type("dispatch tasks.add milk --quiet").status == 0)
    } else {
      try Person("bob", at: shell).dispatch("tasks.add", [("title", .string("milk"))])
    }
    #expect(shell.run("show counter.value").output == "5\n")
    let undone = try shell.type("undo #2")
    #expect(undone.errors.contains("#4 counter.increment would leave counter.value at 1, not 5") == !isOwn, "\(undone)")
    #expect(shell.run("show counter.value").output == (isOwn ? "1\n" : "5\n"))
  }

  /// Behind a kill nobody is there.
  @Test func aKilledRunIsKeptWhereAnotherNameStandsOnIt() throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen) = ("ann", true) }
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    #expect(
      try shell.type("atomic begin", "dispatch tasks.add milk --quiet", "dispatch counter.increment --quiet").status
        == 0
    )
    try Person("bob", at: shell).dispatch("tasks.complete", [("id", .int(1))])
    let copy = try shell.killedCopy(of: store, as: "b.db")

    let reader = try Shell()
    reader.session.options.journal = JournalPlan(path: copy, opening: .readOnly(upTo: nil))
    let run = "the run of ann (\(Self.user)) from #1 tasks.add on had not ended"
    #expect(
      reader.outcome { reader.session.openJournal() }.errors.contains(
        "note: \(run); it is taken back once the file is open without --read-only\n"))

    let next = try Shell()
    let opened = next.openStore(copy)
    #expect(opened.status == 0 && next.session.openingStatus == 1)
    #expect(
      opened.errors.contains(
        "error[atomic-kept]: \(run), and stays: others have acted since, and #3 tasks.complete id=1 by bob (root) would"
      ),
      "\(opened)")
    #expect(
      opened.errors.contains("  what stays:\n  #1 tasks.add title=\"milk\"\n  #2 counter.increment\n"), "\(opened)")
    #expect(next.run("show tasks.items[*].done --as raw").output == "true\n")
    // It is told of once.
    let again = try next.killedCopy(of: copy, as: "c.db")
    let last = try Shell()
    #expect(!last.openStore(again).errors.contains("had not ended"))
    #expect(last.session.openingStatus == 0)
  }

  private static var user: String { getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "" }

  /// One run may stand on another: each is taken back once nothing stands on it.
  @Test(arguments: [true, false]) func severalKilledRunsGoTheLatestFirst(endsTheLater: Bool) throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen) = ("ann", true) }
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    #expect(try shell.type("dispatch counter.increment --quiet").status == 0)
    let bob = Person("bob", at: shell)
    #expect(try shell.type("atomic begin").status == 0)
    try bob.client.beginRun()
    if endsTheLater {
      // The later run stands on the earlier one.
      #expect(try shell.type("dispatch tasks.add milk --quiet").status == 0)
      try bob.dispatch("tasks.complete", [("id", .int(1))])
    } else {
      // The earlier run stands on the later one.
      #expect(try shell.type("dispatch counter.increment --quiet").status == 0)
      try bob.dispatch("tasks.add", [("title", .string("milk"))])
      #expect(try shell.type("dispatch tasks.complete 1 --quiet").status == 0)
    }
    let next = try Shell()
    let opened = next.openStore(try shell.killedCopy(of: store, as: "b.db"))
    let notes = opened.errors.split(separator: "\n").filter { $0.contains("takes back its") }
    #expect(notes.count == 2 && !opened.errors.contains("error["), "\(opened)")
    #expect(notes.first?.contains("of bob") == endsTheLater, "\(opened)")
    #expect(next.run("show counter.value", "show tasks.items --as json").output == "1\n[]\n")
  }

  /// Nobody has acted since but the run: memory keeps it whole, however long it is.
  @Test func aRunIsLongerThanMemory() throws {
    let shell = try Shell()
    let lines = [
      "set journal.limit 100", "atomic begin", "lua for i = 1, 3000 do dispatch('tasks.add', { title = 'x' }) end",
    ]
    for line in lines { #expect(try shell.type(line).status == 0) }
    let cancelled = try shell.type("atomic cancel")
    #expect(cancelled.output.hasPrefix("#3002 shell.restore to=1  (takes back 3000 actions)\n"), "\(cancelled.errors)")
    #expect(shell.run("show tasks.items --as json").output == "[]\n")
    // Then it is let go of.
    #expect(shell.run("lua for i = 1, 300 do dispatch('counter.increment') end").status == 0)
    #expect(shell.session.store.live.history.oldestInMemory > 3000)
  }

  /// Where others have acted, too; and the count is that of the run.
  @Test func aLongRunGoesAloneAmongOthers() throws {
    let shell = try Shell { ($0.who, $0.isWhoChosen) = ("ann", true) }
    #expect(try shell.type("set journal.limit 100", "atomic begin").status == 0)
    #expect(try shell.type("lua for i = 1, 1500 do dispatch('tasks.add', { title = 'x' }) end").status == 0)
    let bob = Person("bob", at: shell)
    for _ in 0..<500 { try bob.dispatch("counter.increment") }
    let cancelled = try shell.type("atomic cancel")
    #expect(cancelled.output.contains(", and 1490 more]  (takes back 1500 actions)\n"), "\(cancelled.errors)")
    #expect(shell.run("show tasks.items --as json", "show counter.value").output == "[]\n500\n")
  }
}

/// What a run refuses changes nothing: also what no action of the log holds.
@Suite struct RefusedInRunTests {
  private static let plugin = """
    return plugin {
      state = { field("n", int {}), field("seen", int {}) },
      actions = { { name = "set", args = { field("n", int()) } }, { name = "see" } },
      reducers = { set = function(s, a) s.n = a.n end, see = function(s) s.seen = s.seen + 1 end },
      middleware = { { name = "m", on = { "dc.set" }, after = function(_, ctx) ctx:dispatch("dc.see") end } },
      commands = { { name = "twice", run = function(_, cmd) cmd:dispatch("dc.set", { n = 2 }) return "done" end } },
      on_unload = function() log.info("going") end,
    }
    """

  /// All that there is of the store and of its plugins.
  private func shown(_ shell: Shell) -> String {
    shell.run(
      "show --as json", "plugin list --as json", "show shell.middleware[*].gate", "substate --as json", "describe",
      "set runaway", "set emit", "set journal.limit", "set plugin.watch", "effects"
    ).output
  }

  @Test(
    arguments: [
      "plugin unload dc", "plugin load FOLDER/lg", "plugin load lg", "plugin reload dc", "plugin reload dc --reset",
      "plugin disable dc", "plugin reload none", "middleware off dc.m", "middleware gate dc.m --at dc.n --is 1",
      "set runaway 10", "set emit always", "set journal.limit 5", "set plugin.watch on", "undo", "undo --to 0",
      "undo #2", "redo", "substate add s --value 1", "import state FOLDER/s.json", "dispatch dc.set 7", "dc twice",
      "replay FOLDER/none.jsonl", "effects cancel all", "lua command('plugin unload dc')", "try plugin unload dc",
    ], [true, false])
  func nothingHappens(line: String, isCancelled: Bool) throws {
    let shell = try Shell { $0.grants = ["dc", "lg"] }
    let folder = try shell.plugin("dc", Self.plugin, permissions: #"["dispatch:dc.*"]"#)
    _ = try shell.plugin("lg", "return plugin { state = { field('n', int {}) } }")
    #expect(try shell.type("plugin load \(folder)", "dispatch dc.set 1 --quiet").status == 0)
    #expect(shell.run("export state \(shell.folder)/s.json", "dispatch counter.increment --quiet").status == 0)
    let before = shown(shell)
    let head = shell.session.store.live.head
    try shell.write("dc/init.lua", Self.plugin + "\n-- edited\n")
    #expect(try shell.type("atomic begin").status == 0)
    if isCancelled { #expect(try shell.type("assert false").status != 0) }
    let outcome = try shell.type(line.replacing("FOLDER", with: shell.folder))
    let isOpenDispatch = !isCancelled && (line.hasPrefix("dispatch") || line == "dc twice")
    if isOpenDispatch {
      #expect(outcome.status == 0, "\(outcome)")
    } else if !line.hasPrefix("try"), line != "effects cancel all" {
      #expect(outcome.status != 0, "\(outcome)")
      if !line.contains("none"), !line.hasSuffix("load lg") {
        let message =
          isCancelled ? "the run was cancelled, and nothing is dispatched" : "between atomic begin and atomic end"
        #expect(outcome.errors.contains(message), "\(outcome)")
      }
    }
    #expect(!outcome.errors.contains("going") && !outcome.output.contains("going"), "\(outcome)")
    _ = try shell.type("atomic cancel")
    #expect(shown(shell) == before)
    #expect(shell.session.store.live.head == head + (isOpenDispatch ? 3 : 0))
    // All of it works as before.
    #expect(try shell.type("dispatch dc.set 5 --quiet").status == 0)
    #expect(shell.run("show dc --as json").output == #"{"n":5,"seen":2}"# + "\n")
  }

  /// A recording does not become the history of a store in which a run is open or was cancelled.
  @Test(arguments: [true, false]) func aRecordingIsRefused(isCancelled: Bool) throws {
    let shell = try Shell()
    let file = "\(shell.folder)/run.jsonl"
    #expect(try Shell().run("dispatch counter.increment --quiet", "export journal \(file)").status == 0)
    #expect(try shell.type("atomic begin").status == 0)
    if isCancelled { #expect(try shell.type("assert false").status != 0) }
    let refused = try shell.type("replay \(file)")
    let message =
      isCancelled ? "the run was cancelled, and nothing is" : "replay is refused between atomic begin and atomic end"
    #expect(refused.errors.contains("error[not-allowed]: \(message)"), "\(refused)")
    _ = try shell.type("atomic cancel")
    #expect(shell.session.store.live.head == 0)
    #expect(try shell.type("replay \(file)").output == "replayed 1 action\n")
  }
}
