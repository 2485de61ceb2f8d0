import Testing

@testable import StoreShell

/// States go to files and come back: typed, all or nothing, as one recorded action.
@Suite struct StateFileTests {
  @Test func aStateComesBack() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bag", RecordingTests.bag)
    _ = shell.run("plugin load \(folder)", "dispatch bag.put 3", "dispatch bag.put 4", "dispatch tasks.add \"a\\nb\"")
    let file = "\(shell.folder)/s.json"
    #expect(shell.run("export state \(file)").output == "wrote the state to \(file)\n")
    let before = shell.run("show --as json").output
    _ = shell.run("dispatch bag.take 3", "dispatch tasks.remove 1", "dispatch counter.increment by=9")
    #expect(shell.run("import state \(file)").status == 0)
    #expect(shell.run("show --as json").output == before)
    #expect(shell.run("undo", "show counter.value").output == "9\n")
  }

  /// As they do at a reload, with a default of their own or without.
  @Test func newFieldsOfAPluginStartAsTheyDoAtALoad() throws {
    func text(_ fields: String) -> String {
      "return plugin { state = { field('n', int())\(fields) }, actions = { { name = 'go' } }, "
        + "reducers = { go = function(s) s.n = s.n + 1 end } }"
    }
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("v", text(""))
    let file = "\(shell.folder)/s.json"
    _ = shell.run("plugin load \(folder)", "dispatch v.go", "export state \(file)", "plugin unload v")
    _ = try shell.plugin("v", text(", field('least', int { min = 3 }), field('names', list(text()))"))
    #expect(shell.run("plugin load \(folder)", "import state \(file)").status == 0)
    #expect(shell.run("show v --as json").output == #"{"n":1,"least":3,"names":[]}"# + "\n")
    // What somebody writes by hand has to be whole.
    try shell.write("s.json", #"{"v":{"n":1}}"#)
    #expect(shell.run("import state \(file)").errors.contains("'v' needs 'least' (Int)"))
  }

  @Test func itIsOneActionAndWatchersAreToldOnce() throws {
    let shell = try Shell(joined: true)
    let file = try shell.write("s.json", #"{"counter":{"value":7,"step":2},"tasks":{"nextId":5,"items":[]}}"#)
    #expect(
      shell.run("watch counter.value", "import state \(file)").output == """
        watch 1: counter.value = 0
        [watch 1] counter.value  0 -> 7  (#1 shell.import)
        #1 shell.import file="\(file)"
          counter.value  0 -> 7
          counter.step  1 -> 2
          tasks.nextId  1 -> 5

        """)
  }

  @Test(arguments: [
    (
      #"{"counter":{"value":"7","step":2}}"#,
      #"import]: FILE does not fit this store: 'counter.value' must be Int, got string "7""#
    ),
    (
      #"{"counter":{"value":1,"step":2},"tasks":{"nextId":1,"items":[{"id":1,"title":"x"}]}}"#,
      "import]: FILE does not fit this store: 'tasks.items[1]' needs 'done' (Bool)"
    ),
    (
      #"{"counter":{"value":1,"step":92233720368547758070}}"#,
      "import]: FILE does not fit this store: 'counter.step' must be Int, got number 92233720368547758070, which is too large for one"
    ),
    (
      #"{"counter":{"valeu":1}}"#,
      "import]: FILE does not fit this store: counter has no field 'valeu' (did you mean 'value'?)"
    ),
    (
      #"{"conter":{}}"#,
      "import]: FILE does not fit this store: the store has no field 'conter' (did you mean 'counter'?)"
    ),
    ("[1]", "import]: FILE does not fit this store: value must be a record of modules, got a list"),
    ("{\n\"counter\":\n}", "bad-state]: FILE:3:1: expected a value"),
    (
      #"{"shell":{"plugins":{"bag":"1"}},"bag":{}}"#,
      "import]: FILE does not fit this store: it holds the state of plugin 'bag', which is not loaded"
    ),
    (
      #"{"shell":{"plugins":7}}"#,
      "import]: FILE does not fit this store: 'shell.plugins' must be [String: String], got number 7"
    ),
  ])
  func theFirstBadPathIsNamedAndNothingChanges(json: String, message: String) throws {
    let shell = try Shell()
    let file = try shell.write("s.json", json)
    let outcome = shell.run("import state \(file)")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("-c:1:1: error[" + message.replacing("FILE", with: file) + "\n"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\n  hint: nothing was changed") == message.hasPrefix("import"))
    #expect(shell.run("log", "show counter.value").output == "(no actions)\n0\n")
  }

  @Test func whatTheFileLeavesOutStays() throws {
    let shell = try Shell { $0.isQuiet = true }
    let file = try shell.write("s.json", #"{"counter":{"value":7,"step":2}}"#)
    _ = shell.run("dispatch tasks.add x", "import state \(file)")
    #expect(shell.run("show tasks.nextId", "show counter.value").output == "2\n7\n")
  }

  @Test func aPluginMigratesTheStateOfAnotherVersion() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin(
      "scale",
      """
      return plugin {
        state = { field("grams", int()) },
        actions = { { name = "noop" } },
        reducers = { noop = function(s) end },
        migrate = function(old, version)
          return { grams = version == "0.9.0" and old.kilos * 1000 or old.pounds * 454 }
        end,
      }
      """)
    let file = try shell.write("s.json", #"{"scale":{"kilos":2},"shell":{"plugins":{"scale":"0.9.0"}}}"#)
    #expect(shell.run("plugin load \(folder)", "import state \(file)", "show scale.grams").output == "2000\n")
    // Its own version is taken as it is where it fits: an edit need not change the version.
    let own = try shell.write("own.json", #"{"scale":{"grams":3},"shell":{"plugins":{"scale":"1.2.3"}}}"#)
    #expect(shell.run("import state \(own)", "show scale.grams").output == "3\n")
    let edited = try shell.write("edited.json", #"{"scale":{"pounds":2},"shell":{"plugins":{"scale":"1.2.3"}}}"#)
    #expect(shell.run("import state \(edited)", "show scale.grams").output == "908\n")
  }

  @Test func anImportRunsAgainWithoutItsFile() throws {
    let shell = try Shell { $0.isQuiet = true }
    let file = try shell.write("s.json", #"{"counter":{"value":7,"step":2},"tasks":{"nextId":5,"items":[]}}"#)
    let run = "\(shell.folder)/run.jsonl"
    #expect(shell.run("import state \(file)", "dispatch counter.increment", "export journal \(run)").status == 0)
    try shell.write("s.json", "gone")
    let other = try Shell()
    #expect(
      other.run("replay \(run) --verify", "show counter.value").output == "replayed 2 actions, every state matches\n9\n"
    )
  }

  @Test(arguments: ["export state FILE", "export journal FILE", "trace off"])
  func aFileGetsItsNameOnceTheJournalHasWhatItTellsOf(command: String) throws {
    let shell = try Shell { $0.isQuiet = true }
    #expect(shell.openStore("\(shell.folder)/a.db") == .init())
    _ = shell.run("dispatch counter.increment")
    if command == "trace off" { _ = shell.run("trace on --spans \(shell.folder)/told") }
    // What settles the journal is asked for before anything is told.
    var contents: [String?] = []
    let settle = shell.session.console.beforeTelling
    shell.session.console.beforeTelling = {
      contents.append(shell.contents("told"))
      return settle?() ?? []
    }
    _ = shell.run("dispatch counter.increment", command.replacing("FILE", with: "\(shell.folder)/told"))
    #expect(contents.first == .some(nil))
    #expect(shell.contents("told") != nil)
    #expect(shell.outcome { shell.session.endJournal() } == .init())
  }

  @Test func aTranscriptTellsNothingThatTheJournalDoesNotHave() throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/a.db") == .init())
    try shell.session.console.startTranscript("\(shell.folder)/told")
    var contents: [String?] = []
    shell.session.console.beforeTelling = {
      contents.append(shell.contents("told"))
      return []
    }
    _ = shell.run("dispatch counter.increment")
    #expect(contents.first == "stsh> dispatch counter.increment\n")
    #expect(shell.contents("told")?.hasSuffix("0 -> 1\n") == true)
    #expect(shell.outcome { shell.session.endJournal() } == .init())
  }

  @Test func anImportThatDoesNotFitWhatWasBeforeIsABadRecording() throws {
    let shell = try Shell { $0.isQuiet = true }
    let (file, run) = ("\(shell.folder)/s.json", "\(shell.folder)/run.jsonl")
    _ = shell.run(
      "dispatch tasks.add milk", "export state \(file)", "dispatch tasks.complete 1", "import state \(file)",
      "export journal \(run)")
    var lines = try #require(shell.contents("run.jsonl")).split(separator: "\n").map { String($0) }
    lines[3] = lines[3].replacing("items[id=1]", with: "items[id=7]").replacing("[0]", with: "[6]")
    try shell.write("run.jsonl", lines.joined(separator: "\n"))
    #expect(
      try Shell().run("replay \(run)").errors == """
        -c:1:1: error[bad-recording]: \(run):4: shell.import: tasks.items[id=7].done: there is no such element
          replay \(run)

        """)
  }

  @Test func aDashIsStandardOutput() throws {
    let shell = try Shell()
    let state = #"{"counter":{"value":0,"step":1},"tasks":{"nextId":1,"items":[]}}"#
    #expect(shell.run("export state -") == .init(output: "\(state)\n"))
    _ = shell.run("dispatch counter.increment --quiet")
    #expect(shell.run("export journal -").output.split(separator: "\n").count == 2)
    #expect(shell.run("export journal - --as stsh | tail -1").output == "")
    #expect(shell.run("export journal - --as stsh > \(shell.folder)/run.stsh") == .init())
    #expect(shell.contents("run.stsh")?.hasSuffix("assert state.counter.value == 1\n") == true)
    let json = try Shell { $0.isJSON = true }
    #expect(json.run("export state -").output == "{\"ok\":true,\"line\":1,\"data\":\(state)}\n")
    #expect(json.run("export journal -").output.hasPrefix(#"{"ok":true,"line":1,"data":"{\"format\":"#))
  }

  @Test func substatesComeBackToo() throws {
    let shell = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    let file = "\(shell.folder)/s.json"
    _ = shell.run("substate add note --value {b=1,a={2,x}}", "substate add cart --value {n=4}")
    #expect(shell.run("export state \(file)").errors == "")
    let before = shell.run("show --as json").output
    #expect(shell.contents("s.json")?.hasSuffix(#","shell":{"substates":["note","cart"]}}"# + "\n") == true)
    _ = shell.run("substate reset note", "dispatch cart.inc", "import state \(file)", "dispatch cart.inc", "undo")
    let names = shell.run("substate").output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
    #expect(names == ["cart", "note"])
    _ = shell.run("substate reset", "import state \(file)")
    #expect(shell.run("show --as json").output == before)
    #expect(shell.run("undo", "substate").output == "(no substates)\n")
  }

  @Test func anImportThatAddsSubstatesRunsAgainAndIsAScript() throws {
    let shell = try Shell(over: SubstateTests.cart)
    let file = try shell.write(
      "s.json", #"{"cart":{"n":4},"note":[1,{"a":null}],"shell":{"substates":["note","cart"]}}"#)
    #expect(
      shell.run("import state \(file)").output == """
        #1 shell.import file="\(file)" modules=["note", "cart"] \
        substates=[{ name = "note", value = [1, { a = nil }] }, { name = "cart", value = { n = 4 } }]

        """)
    let (run, script) = ("\(shell.folder)/run.jsonl", "\(shell.folder)/run.stsh")
    _ = shell.run("dispatch cart.inc --quiet", "export journal \(run)", "export journal \(script) --as stsh")
    let other = try Shell(over: SubstateTests.cart)
    #expect(other.run("source \(script)").status == 0)
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
    #expect(other.run("replay \(run) --verify").output == "replayed 2 actions, every state matches\n")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
  }

  @Test(arguments: [
    (
      #"{"cart":{"n":"4"},"shell":{"substates":["cart"]}}"#,
      "import]: FILE does not fit this store: 'cart.n' must be Int, got string \"4\""
    ),
    (#"{"cart":{"n":4}}"#, "import]: FILE does not fit this store: the store has no field 'cart'"),
    (#"{"echo":1,"shell":{"substates":["echo"]}}"#, "import]: FILE does not fit this store: 'echo' is a command"),
    (
      #"{"counter":1,"shell":{"substates":["counter"]}}"#,
      "import]: FILE does not fit this store: 'counter' must be Counter, got number 1"
    ),
    (
      #"{"counter":{"value":1,"step":1},"shell":{"substates":["counter"]}}"#,
      "import]: FILE does not fit this store: 'counter' is a module"
    ),
    (
      #"{"shell":{"substates":[1]}}"#,
      "import]: FILE does not fit this store: 'shell.substates[1]' must be String, got number 1"
    ),
  ])
  func aSubstateThatCannotBeThereIsRefused(json: String, message: String) throws {
    let shell = try Shell(over: SubstateTests.cart)
    let file = try shell.write("s.json", json)
    let errors = shell.run("import state \(file)").errors
    #expect(errors.hasPrefix("-c:1:1: error[" + message.replacing("FILE", with: file)), "\(errors)")
    #expect(shell.run("log", "substate").output == "(no actions)\n(no substates)\n")
  }

  @Test func aFileOfTheReduxDevToolsBringsSubstatesToo() throws {
    let shell = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    let file = "\(shell.folder)/redux.json"
    _ = shell.run("substate add cart --value {n=4}", "dispatch cart.inc", "export journal \(file) --as redux-devtools")
    let other = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    #expect(other.run("import state \(file)", "show cart.n") == .init(output: "5\n"))
  }
}
