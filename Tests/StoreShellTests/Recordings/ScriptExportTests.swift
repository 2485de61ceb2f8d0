import StandardModules
import StoreCore
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// What happened as a script, and as a file of Redux DevTools.
@Suite struct ScriptExportTests {
  /// A plugin with a thunk and a command.
  private static let twice = """
    return plugin { state = { field("n", int()) }, actions = { { name = "go" } },
      reducers = { go = function(s) s.n = s.n + 1 end },
      thunks = { fill = { args = { field("n", int()) }, run = function(args, t)
        for i = 1, args.n do t:dispatch_wait("go") end
      end } },
      commands = { { name = "go", run = function(_, cmd) cmd:dispatch("go") cmd:dispatch("go") end } } }
    """

  private func scripted(_ lines: String...) throws -> (shell: Shell, script: String) {
    let shell = try Shell { $0.isQuiet = true }
    try shell.copyPlugin("pomodoro")
    _ = try shell.plugin("bag", RecordingTests.bag)
    _ = try shell.plugin("twice", Self.twice)
    shell.session.options.grants = ["pomodoro"]
    shell.session.options.keepsGoing = true
    let script = lines.map { $0.replacing("FOLDER", with: shell.folder) }.joined(separator: "\n")
    _ = try shell.run(script: script)
    shell.session.options.keepsGoing = false
    #expect(shell.run("export journal \(shell.folder)/run.stsh --as stsh").errors == "")
    return (shell, try #require(shell.contents("run.stsh")))
  }

  private func runs(_ shell: Shell) throws {
    let other = try Shell { $0.isQuiet = true }
    other.session.options.grants = ["pomodoro"]
    let outcome = other.outcome { other.session.run(file: "\(shell.folder)/run.stsh", arguments: []) }
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
  }

  @Test func thunksAndCommandsOfPluginsRunAgain() throws {
    let (shell, script) = try scripted(
      "dispatch counter.increment", "plugin load FOLDER/twice", "thunk twice.fill n=2",
      "twice go", "undo", "twice go")
    let asked = script.split(separator: "\n").filter { !$0.hasPrefix("assert") }
    #expect(
      asked.suffix(6) == [
        "thunk twice.fill n=2", "dispatch twice.go", "dispatch twice.go", "undo --to 5", "dispatch twice.go",
        "dispatch twice.go",
      ])
    try runs(shell)
  }

  /// The time of a store goes on where it is opened again, in the script too.
  @Test func aStoreThatWasOpenedAgainRunsAgain() throws {
    let code =
      """
      return plugin { state = { field("n", int()), field("on", bool()) },
        actions = { { name = "go" }, { name = "tick" } },
        reducers = { go = function(s) s.on = true end, tick = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", on = { "go" }, after = function(_, ctx)
          ctx:task("t", function(task) task:sleep(5) task:dispatch("tick") end)
        end } } }
      """
    let writer = try Shell { $0.grants = ["p"] }
    let plugin = try writer.plugin("p", code, permissions: #"["timers"]"#)
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    _ = writer.run("plugin load \(plugin)", "dispatch p.go", "wait 30s", "dispatch counter.increment")
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try Shell { $0.grants = ["p"] }
    #expect(reader.openStore(store) == .init())
    _ = reader.run("dispatch p.go", "wait 6s", "dispatch counter.increment")
    let script = "\(reader.folder)/again.stsh"
    #expect(reader.run("export journal \(script) --as stsh").errors == "")
    let again = try Shell { $0.grants = ["p"] }
    let outcome = again.outcome { again.session.run(file: script, arguments: []) }
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(again.run("show p.n", "show counter.value").output == "2\n2\n")
  }

  @Test func aPluginThatOnlyAnOptionFindsIsNamedByItsFolder() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("twice", Self.twice)
    shell.session.options.pluginFolders = [folder]
    #expect(shell.outcome { shell.session.loadPlugins() }.status == 0)
    _ = shell.run("dispatch twice.go", "export journal \(shell.folder)/run.stsh --as stsh")
    let script = try #require(shell.contents("run.stsh"))
    #expect(script.contains("plugin load \"\(folder)\"\n"), "\(script)")
    #expect(!script.contains("plugin load twice\n"))
    let other = try Shell { $0.isQuiet = true }
    let outcome = other.outcome { other.session.run(file: "\(shell.folder)/run.stsh", arguments: []) }
    #expect(outcome == .init())
    #expect(other.run("show twice.n").output == "1\n")
  }

  @Test func numbersThatJavaScriptRoundsAreToldOf() throws {
    let shell = try Shell { $0.isQuiet = true }
    let file = "\(shell.folder)/tools.json"
    let note = "note: it has whole numbers beyond 9007199254740991, which tools in JavaScript round\n"
    _ = shell.run("dispatch counter.increment by=9007199254740991")
    #expect(shell.run("export journal \(file) --as redux-devtools").errors == "")
    _ = shell.run("dispatch counter.increment")
    #expect(shell.run("export journal \(file) --as redux-devtools").errors == note)
    // Our own forms hold them as they are.
    #expect(shell.run("export journal \(shell.folder)/run.jsonl", "export state \(shell.folder)/s.json").errors == "")
    #expect(shell.run("import state \(shell.folder)/s.json", "show counter.value").output == "9007199254740992\n")
  }

  @Test func aScriptSaysWhatWasAskedForAndWhatCameOfIt() throws {
    let (shell, script) = try scripted(
      "dispatch tasks.add \"say \\\"hi\\\"\\n\"", "dispatch counter.increment", "plugin load FOLDER/pomodoro",
      "dispatch pomodoro.start minutes=1 task=1", "wait 1500ms", "dispatch tasks.remove 1", "wait 60s")
    #expect(
      script == """
        # run with: stsh --clock virtual --grant pomodoro FILE
        dispatch tasks.add title="say \\"hi\\"\\n"
        assert state.tasks.nextId == 2
        assert #state.tasks.items == 1
        assert state.tasks.items[1].id == 1
        assert state.tasks.items[1].title == "say \\"hi\\"\\n"
        assert state.tasks.items[1].done == false
        dispatch counter.increment
        assert state.counter.value == 1
        plugin load "\(shell.folder)/pomodoro"
        assert state.pomodoro.phase == "idle"
        assert state.pomodoro.left == 0
        assert state.pomodoro.task == nil
        assert #state.pomodoro.rounds == 0
        assert state.pomodoro.length == 0
        dispatch pomodoro.start minutes=1 task=1
        wait 1.5s
        assert state.pomodoro.phase == "work"
        assert state.pomodoro.left == 59
        assert state.pomodoro.task == 1
        assert state.pomodoro.length == 1
        dispatch tasks.remove id=1
        wait 58.5s
        assert #state.tasks.items == 0
        assert state.pomodoro.task == nil
        assert state.pomodoro.left == 0
        assert state.pomodoro.phase == "rest"
        assert #state.pomodoro.rounds == 1
        assert state.pomodoro.rounds[1] == 1

        """)
    try runs(shell)
  }

  @Test func allThatIsJournaledHasACommand() throws {
    let (shell, script) = try scripted(
      "plugin load FOLDER/bag", "dispatch bag.put 1", "dispatch bag.put 2", "dispatch bag.put 3", "dispatch bag.take 1",
      "dispatch bag.tick", "plugin disable bag", "dispatch bag.tick", "plugin enable bag", "middleware on logger",
      "set emit always", "set runaway 50", "undo", "undo --to 4", "redo", "plugin unload bag",
      "dispatch counter.increment by=2 --info \"why not\"", "plugin load FOLDER/bag",
      "dispatch bag.tick", "dispatch bag.tick", "dispatch bag.tick", "dispatch bag.tick", "dispatch bag.tick",
      "dispatch bag.tick", "dispatch bag.tick")
    #expect(script.contains("try dispatch bag.tick\n"))
    #expect(script.contains("dispatch counter.increment by=2 --info \"why not\"\n"))
    #expect(script.contains("assert #state.bag.items == 2\nassert state.bag.items[1].id == 2\n"))
    try runs(shell)
  }

  @Test func aScriptThatReturnsFarBackNeedsAStore() throws {
    let shell = try Shell()
    _ = shell.openStore("\(shell.folder)/s.db")
    _ = shell.run("set journal.limit 10")
    for _ in 1...300 { _ = shell.run("dispatch counter.increment --quiet") }
    _ = shell.run("undo --to 5")
    let script = "\(shell.folder)/far.stsh"
    #expect(shell.run("export journal \(script) --as stsh").errors == "")
    #expect(try #require(shell.contents("far.stsh")).hasPrefix("# run with: stsh --store NEWFILE FILE\n"))
  }

  @Test func whatDependsOnTheTimeIsAsItWas() throws {
    let shell = try Shell {
      $0.isQuiet = true
      $0.hasVirtualClock = false
    }
    let folder = try shell.plugin("bag", RecordingTests.bag)
    #expect(shell.run("plugin load \(folder)", "dispatch bag.put 1").errors == "")
    #expect(shell.run("export journal \(shell.folder)/run.stsh --as stsh").errors == "")
    let script = try #require(shell.contents("run.stsh"))
    #expect(script.hasPrefix("# run with: stsh --clock virtual --grant bag FILE\n"))
    #expect(script.contains("assert state.bag.last == "))
    #expect(try Shell { $0.isQuiet = true }.run("source \(shell.folder)/run.stsh") == .init())
  }

  @Test func whatAnApplicationMakesOfTheTimeIsAsItWas() throws {
    let clock = Reducer<StandardAction, StandardState>.throwing("clock", canFail: { _ in false }) { _, state, context in
      state.counter.step = Int(context.time / .nanoseconds(1))
    }
    func shell(_ reducers: Reducer<StandardAction, StandardState>, hasVirtualClock: Bool) throws -> Shell {
      try Shell {
        $0.isQuiet = true
        $0.hasVirtualClock = hasVirtualClock
      } over: {
        try Session(
          Application(initial: StandardState(), reducer: reducers), options: $0, console: $1)
      }
    }
    for reducers in [StandardState.reducer.appending(clock), StandardState.reducer] {
      let writer = try shell(reducers, hasVirtualClock: false)
      #expect(writer.run("dispatch counter.increment").errors == "")
      #expect(writer.run("export journal \(writer.folder)/run.stsh --as stsh").errors == "")
      let script = try #require(writer.contents("run.stsh"))
      #expect(script.hasPrefix("# run with: stsh --clock virtual FILE\nwait ") == reducers.takesContext, "\(script)")
      let replay = try shell(reducers, hasVirtualClock: reducers.takesContext)
      #expect(replay.run("source \(writer.folder)/run.stsh") == .init())
    }
  }

  @Test func aScriptExpectsTheFailureOfWhatACommandCaused() throws {
    let (shell, script) = try scripted("dispatch counter.increment")
    let folder = try shell.plugin(
      "boomer",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" }, { name = "boom" } },
        reducers = { go = function(s) s.n = s.n + 1 end, boom = function(s) refuse("never") end },
        middleware = { { name = "m", on = { "go" }, after = function(_, ctx) ctx:dispatch("boomer.boom") end } },
      }
      """)
    #expect(script.hasSuffix("dispatch counter.increment\nassert state.counter.value == 1\n"))
    _ = shell.run(
      "plugin load \(folder)", "try dispatch boomer.go", "export journal \(shell.folder)/run.stsh --as stsh")
    let text = try #require(shell.contents("run.stsh"))
    #expect(
      text.hasSuffix(
        """
        try dispatch boomer.go
        assert not ok
        assert err.code == "refused"
        assert state.boomer.n == 1

        """), "\(text)")
    try runs(shell)
  }

  @Test func whatWasImportedIsInTheScript() throws {
    let shell = try Shell { $0.isQuiet = true }
    try shell.write("imp.json", #"{"tasks":{"nextId":3,"items":[{"id":2,"title":"it's","done":true}]}}"#)
    let (file, script) = ("\(shell.folder)/imp.json", "\(shell.folder)/run.stsh")
    _ = shell.run(
      "import state \(file)", "import state \(file)", "dispatch counter.increment by=7", "export state \(file)")
    _ = shell.run("dispatch counter.reset", "substate add cart --value {n=1}", "export state \(file)", "substate reset")
    #expect(shell.run("import state \(file)", "export journal \(script) --as stsh").errors == "")
    let text = try #require(shell.contents("run.stsh"))
    #expect(text.contains(#"import state "\#(file)" --value '{}'"#), "\(text)")
    #expect(text.contains(#" --value '{"cart":{"n":1},"shell":{"substates":["cart"]}}'"#), "\(text)")
    try shell.write("imp.json", "nothing of it")
    try runs(shell)
  }

  @Test func substatesComeAndGoInAScript() throws {
    let (shell, script) = try scripted(
      "substate add cart --value {n=1, names=[\"a b\", \"c\"]}", "substate add cart --value 2",
      "substate add cart --value '{\"n\": 2.5, \"deep\": {\"of\": [1, true]}}' --replace",
      "substate add text --value '\"12\"'", "substate add word --value hello", "substate reset text gone",
      "substate add last --value 3", "undo", "dispatch counter.increment")
    #expect(
      script == """
        # run with: stsh FILE
        substate add cart --value { n = 1, names = ["a b", "c"] }
        lua \(StateAssertions.countFunction)
        assert count(state.cart) == 2
        assert state.cart.n == 1
        assert #state.cart.names == 2
        assert state.cart.names[1] == "a b"
        assert state.cart.names[2] == "c"
        try substate add cart --value 2
        assert not ok
        assert err.code == "name-taken"
        substate add cart --value { deep = { of = [1, true] }, n = 2.5 } --replace
        assert count(state.cart) == 2
        assert count(state.cart.deep) == 1
        assert #state.cart.deep.of == 2
        assert state.cart.deep.of[1] == 1
        assert state.cart.deep.of[2] == true
        assert state.cart.n == 2.5
        substate add text --value "\\"12\\""
        assert state.text == "12"
        substate add word --value "hello"
        assert state.word == "hello"
        try substate reset text gone
        assert not ok
        substate add last --value 3
        assert state.last == 3
        undo --to 6
        dispatch counter.increment
        assert state.counter.value == 1

        """)
    try runs(shell)
  }

  @Test func reduxDevToolsGetALiftedState() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("dispatch counter.increment by=2", "dispatch tasks.add x", "wait 1s", "dispatch counter.reset")
    let file = "\(shell.folder)/run.json"
    #expect(shell.run("export journal \(file) --as redux-devtools").output == "wrote 3 actions to \(file)\n")
    guard case .map(let lifted) = try JSON.value(of: try #require(shell.contents("run.json"))) else {
      throw Shell.Failure()
    }
    func json(_ key: String) -> String? { lifted[.string(key)].map { JSON.text(of: $0) } }
    #expect(json("stagedActionIds") == "[0,1,2,3]")
    #expect(json("currentStateIndex") == "3" && json("nextActionId") == "4")
    let last = shell.run("export journal \(file) --as redux-devtools --last 2")
    #expect(last.output == "wrote 2 actions to \(file)\n" && last.errors == "")
    #expect(shell.contents("run.json")?.contains("\"stagedActionIds\":[0,2,3]") == true)
    // The state before the first of them is that after the one that is left out.
    #expect(shell.contents("run.json")?.contains("\"committedState\":{\"counter\":{\"value\":2") == true)
    #expect(json("skippedActionIds") == "[]" && json("monitorState") == "{}")
    #expect(json("committedState")?.hasPrefix(#"{"counter":{"step":1,"value":0}"#) == true)
    guard case .list(let states)? = lifted[.string("computedStates")],
      case .map(let actions)? = lifted[.string("actionsById")]
    else { throw Shell.Failure() }
    #expect(states.count == 4 && actions.count == 4)
    #expect(JSON.text(of: states[1]).hasPrefix(#"{"state":{"counter":{"step":1,"value":2}"#))
    let third = JSON.text(of: try #require(actions[.string("3")]))
    #expect(
      third.hasPrefix(
        #"{"action":{"meta":{"source":{"file":"-c","function":"dispatch","kind":"batch","line":4,"user":""#))
    #expect(third.hasSuffix(#""}},"payload":{},"type":"counter.reset"},"timestamp":1000,"type":"PERFORM_ACTION"}"#))
  }
}
