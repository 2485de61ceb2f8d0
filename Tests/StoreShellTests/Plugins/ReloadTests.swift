import StoreSchema
import Testing

@testable import StoreShell

/// `plugin reload`: what is kept, what is refused, and that a refusal leaves everything as it was.
@Suite struct ReloadTests {
  private let shell: Shell

  init() throws {
    shell = try Shell { $0.grants = ["p", "q", "pomodoro"] }
  }

  /// Writes the plugin `p`.
  private func write(
    state: String = "field(\"n\", int())", _ rest: String = "", version: String = "1.0.0",
    permissions: String = #""timers", "read:tasks""#
  ) throws {
    try shell.write(
      "p/plugin.json", #"{"name":"p","version":"\#(version)","api":1,"permissions":[\#(permissions)]}"#)
    try shell.write(
      "p/init.lua",
      """
      return plugin {
        state = { \(state) },
        actions = { { name = "add" }, { name = "put", args = { field("n", int()) } } },
        reducers = { add = function(s) s.n = s.n + 1 end, put = function(s, a) s.n = a.n end },
        \(rest)
      }
      """)
  }

  private func load() throws {
    _ = try shell.type("plugin load \(shell.folder)/p", "dispatch p.put n=7 --quiet")
  }

  private func reload(_ flags: String = "") throws -> Shell.Outcome { try shell.type("plugin reload p\(flags)") }

  private static let kept = "#3 shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n  state kept\n"

  @Test func theStateIsKeptAndTheCodeIsNew() throws {
    try write()
    try load()
    #expect(try reload() == .init(output: Self.kept))
    try write("projections = { { name = \"double\", fn = function(state) return state.p.n * 2 end } }")
    #expect(try reload().status == 0)
    #expect(try shell.type("show p.double", "show p.n").output == "14\n7\n")
    #expect(try shell.type("dispatch p.add").output == "#5 p.add\n  p.n  7 -> 8\n")
    #expect(
      shell.session.store.live.recent().filter { $0.action == "shell.reloadPlugin" }.map(\.changes.count) == [0, 0])
  }

  @Test func theJournalTellsTheVersionsApart() throws {
    try write()
    try load()
    _ = try reload()
    try write("projections = {}")
    _ = try reload()
    let digests = shell.session.store.live.recent().map(\.digest)
    let first = try #require(digests[0])
    let last = try #require(digests[3])
    #expect(digests == [first, nil, first, last])
    #expect(first != last)
    #expect(first.count == 16)
    #expect(try shell.type("show shell.log[n=4].action").output == "\"shell.reloadPlugin\"\n")
  }

  @Test func newFieldsStartAsTheyDoAtALoad() throws {
    try write()
    try load()
    try write(
      state: """
        field("more", int { min = 3 }), field("n", number()), field("open", bool { default = true }),
        field("maybe", optional(text())), field("names", list(text()))
        """)
    #expect(try reload() == .init(output: Self.kept))
    #expect(
      try shell.type("show p --json").output == #"{"more":3,"n":7.0,"open":true,"maybe":null,"names":[]}"# + "\n")
  }

  @Test func newFieldsInsideOfOtherTypes() throws {
    try write(state: #"field("n", int()), field("items", list(record("Item", { field("id", int()) })))"#)
    try shell.write(
      "p/init.lua",
      try #require(shell.contents("p/init.lua")).replacing("s.n = a.n", with: "s.n = a.n s.items[1] = { id = a.n }"))
    try load()
    try write(
      state: #"field("n", int()), field("items", list(record("Item", { field("id", int()), field("done", bool()) })))"#)
    #expect(try reload().status == 0)
    #expect(try shell.type("show p --json").output == #"{"n":7,"items":[{"id":7,"done":false}]}"# + "\n")
  }

  /// The row of the failure table, for every way in which a state can cease to fit.
  @Test(arguments: [
    (#"field("n", text())"#, "'p.n' must be String, got number 7"),
    (#"field("n", int { max = 5 })"#, "'p.n' must be <= 5, got 7"),
    (#"field("m", int())"#, "p has no field 'n'"),
    (#"field("n", enum { "a" })"#, "'p.n' must be one of a, got number 7"),
    ("", "the plugin declares no state"),
  ])
  func aStateThatNoLongerFits(state: String, reason: String) throws {
    try write()
    try load()
    try write(state: state)
    let outcome = try reload()
    #expect(
      outcome.errors == """
        error[plugin-schema]: p: the running state no longer fits: \(reason)
          hint: add migrate(), or: plugin reload p --reset

        """)
    #expect(outcome.output == "")
    #expect(outcome.status != 0)
    #expect(try shell.type("dispatch p.add").output == "#3 p.add\n  p.n  7 -> 8\n")
    #expect(
      try reload(" --reset").output.hasPrefix("#4 shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n  2 actions\n"))
  }

  @Test func resetStartsAnew() throws {
    try write()
    try load()
    #expect(
      try reload(" --reset")
        == .init(output: "#3 shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n  p.n  7 -> 0\n  2 actions\n"))
    #expect(try shell.type("show p.n").output == "0\n")
  }

  @Test func migrateMakesTheNewState() throws {
    try write()
    try load()
    try write(
      state: #"field("text", text()), field("was", text())"#,
      """
      migrate = function(old, from)
        old.text = "n is " .. old.n
        old.n, old.was = nil, from
        return old
      end
      """, version: "2.0.0")
    #expect(
      try reload() == .init(output: "#3 shell.reloadPlugin name=\"p\" version=\"2.0.0\"\n  state migrated\n"))
    #expect(try shell.type("show p --json").output == #"{"text":"n is 7","was":"1.0.0"}"# + "\n")
    #expect(try shell.type("plugin list --as raw").output.hasPrefix("p\t2.0.0\t"))
  }

  @Test(arguments: [
    (
      "return { n = 'x' }", "plugin-schema",
      "migrate returned a state that does not fit: 'p.n' must be Int, got string \"x\""
    ),
    ("return { m = 1 }", "plugin-schema", "migrate returned a state that does not fit: p has no field 'm'"),
    ("", "plugin-schema", "migrate returned no state"),
    ("return 5", "plugin-schema", "migrate returned a state that does not fit: 'p' must be p, got number 5"),
    ("seen[1] = 1 return old", "plugin-impure", "migrate changed a captured local; it may only return a state"),
    ("while true do end", "plugin-budget", "migrate used more than 200_000 VM instructions and was stopped"),
  ])
  func aMigrateThatFails(body: String, code: String, message: String) throws {
    try write()
    try load()
    try write("migrate = function(old) \(body) end", version: "2.0.0")
    try shell.write("p/init.lua", "local seen = {}\n" + (try #require(shell.contents("p/init.lua"))))
    let outcome = try reload()
    #expect(outcome.errors.hasPrefix("error[\(code)]: p: \(message)\n"), "\(outcome.errors)")
    #expect(outcome.errors.contains("the previous version is still active\n"))
    #expect(try shell.type("dispatch p.add").output == "#3 p.add\n  p.n  7 -> 8\n")
  }

  /// An edit that keeps the version and the type of the state leaves the state alone.
  @Test func migrateRunsOnce() throws {
    try write("migrate = function(old) return { n = old.n * 60 } end")
    try load()
    #expect(try reload() == .init(output: Self.kept))
    try write("migrate = function(old) return { n = old.n * 60 } end", version: "1.1.0")
    #expect(try reload().output.hasSuffix("  state migrated\n"))
    #expect(try shell.type("plugin reload p", "show p.n").output.hasSuffix("  state kept\n420\n"))
  }

  @Test func migrateRaisesAnError() throws {
    try write()
    try load()
    try write("migrate = function(old) return old.n.m end", version: "2.0.0")
    #expect(
      try reload().errors == """
        error[plugin-runtime]: p: migrate: \(shell.folder)/p/init.lua:5: attempt to index a number value (field 'n')
          hint: the previous version is still active

        """)
  }

  @Test func migrateWithoutAStateIsRefused() throws {
    try write(state: "", "migrate = function(old) return old end")
    let outcome = try shell.type("plugin load \(shell.folder)/p")
    #expect(
      outcome.errors
        == "error[plugin-schema]: p: migrate needs a declared state\n  at \(shell.folder)/p/init.lua:5\n")
  }

  /// A middleware whose task counts, and which says how often it was unloaded.
  private static let clock = """
    middleware = { { name = "m", supervise = function() return { t = function(task)
      while true do task:sleep(1) task:dispatch("add") end
    end } end } },
    """

  @Test func theOldVersionIsToldOnceAndItsTasksStop() throws {
    try write(Self.clock + "on_unload = function(ctx) error('left at ' .. ctx.state.p.n) end")
    try load()
    _ = try shell.type("wait 2s")
    try write()
    let outcome = try reload()
    #expect(
      outcome.errors == """
        error[plugin-runtime]: p: on_unload: \(shell.folder)/p/init.lua:7: left at 9
        note: #5 shell.reloadPlugin was applied

        """)
    #expect(outcome.output == "#5 shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n  state kept\n")
    #expect(try shell.type("effects", "wait 5s", "show p.n").output == "(no effects)\n9\n")
    #expect(try reload().status == 0)
  }

  @Test func whatFailsWhenItIsUnloadedIsGoneAllTheSame() throws {
    try write("on_unload = function() error('no') end")
    try load()
    let outcome = try shell.type("plugin unload p")
    #expect(outcome.output == "#3 shell.unloadPlugin name=\"p\"\n  2 actions\n")
    #expect(
      outcome.errors == """
        error[plugin-runtime]: p: on_unload: \(shell.folder)/p/init.lua:5: no
        note: #3 shell.unloadPlugin was applied

        """)
    #expect(outcome.status == 1)
  }

  @Test func aFailureLeavesTasksGatesAndStateAlone() throws {
    try write(Self.clock + "on_unload = function() error('never') end")
    try load()
    _ = try shell.type("wait 2500ms")
    let before = shell.session.store.live.recent().count
    for broken in ["return plugin {", "error('no')", "count = 1", "return plugin { actions = { {} } }"] {
      try shell.write("p/init.lua", broken)
      let outcome = try reload()
      #expect(outcome.status == 4)
      #expect(outcome.errors.contains("the previous version is still active\n"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("never"))
    }
    #expect(shell.session.store.live.recent().count == before)
    #expect(try shell.type("effects --as raw").output.hasPrefix("p/m/t\tin 0.5s\t#"))
    #expect(try shell.type("wait 1s", "show p.n").output == "10\n")
    try shell.write("p/plugin.json", #"{"name":"r","version":"1","api":1}"#)
    #expect(
      try reload().errors == """
        error[plugin-load]: p: \(shell.folder)/p/plugin.json now has the name 'r'
          the previous version is still active
          hint: plugin unload p, then load the folder

        """)
    try shell.write("p/plugin.json", #"{"name":"p","version":"1","api":3}"#)
    #expect(try reload().errors.hasPrefix("error[plugin-api]: p needs plugin API 3; this shell supports 1\n"))
  }

  @Test func listAndInfoSayThatAReloadFailed() throws {
    try write()
    try load()
    _ = try shell.type("wait 3012ms")
    try shell.write("p/init.lua", "return plugin {")
    _ = try reload()
    _ = try shell.type("wait 1s")
    #expect(try shell.type("plugin list").output.contains("  reload failed  0\n"))
    #expect(
      try shell.type("plugin list --json").output.hasSuffix(
        #""state":"reload failed","units":0,"failedAt":3.0}]"# + "\n"))
    #expect(try shell.type("plugin info p").output.contains("\nstate         reload failed\nfailedAt      3.0\n"))
    #expect(try shell.type("describe").output.contains("p        lua "))
    try write()
    _ = try reload()
    #expect(try shell.type("show shell.plugins[name=p].state").output == "\"on\"\n")
  }

  @Test func placesAndGatesAreKept() throws {
    let units = "middleware = { { name = \"a\", after = function() end }, { name = \"b\", after = function() end } }"
    try write(units)
    _ = try shell.plugin(
      "q", "return plugin { state = { field('x', int()) }, middleware = { { name = 'm', before = function() end } } }")
    try load()
    _ = try shell.type("plugin load \(shell.folder)/q", "middleware off p.b", "middleware off q.m")
    try write(
      "middleware = { { name = \"b\", after = function() end }, { name = \"c\", gate = \"off\", after = error } }")
    _ = try reload()
    #expect(
      try shell.type("show shell.middleware[*].name --json", "show shell.middleware[*].gate --json").output
        == #"["logger","p.b","p.c","q.m"]"# + "\n" + #"["off","off","off","off"]"# + "\n")
    #expect(try shell.type("show --json").output.contains(#""p":{"n":7},"q":{"x":0}}"#))
    try write(units)
    _ = try reload()
    #expect(try shell.type("show shell.middleware[*].gate --json").output == #"["off","on","off","off"]"# + "\n")
    _ = try shell.type("middleware on p.b", "dispatch p.add")
    #expect(try shell.type("show shell.middleware[*].seen --json").output == "[0,1,1,0]\n")
  }

  @Test func aPluginThatWasStoppedRunsAgainOneThatIsOffStaysOff() throws {
    try write("middleware = { { name = \"m\", after = function() error('no') end } }")
    try load()
    for _ in 1...3 { _ = try shell.type("dispatch p.add") }
    #expect(try shell.type("plugin list --as raw").output.contains("\tfaulted\t"))
    try write()
    _ = try reload()
    #expect(try shell.type("plugin list --as raw").output.contains("\ton\t"))
    _ = try shell.type("plugin disable p")
    _ = try reload()
    #expect(try shell.type("plugin list --as raw").output.contains("\toff\t"))
    #expect(!(try shell.type("dispatch p.put n=99").output.contains("->")))
  }

  @Test func reducersAndTasksOfOthersGoOnAnsweringIt() throws {
    try write()
    try load()
    _ = try shell.plugin(
      "q",
      """
      return plugin {
        state = { field("seen", int()) }, reducers = { ["p.put"] = function(s, a) s.seen = s.seen + a.n end },
        middleware = { { name = "m", supervise = function() return { w = function(task)
          while true do task:wait_for("p.add") task:dispatch("p.put", { n = 1 }) end
        end } end } },
      }
      """, permissions: #"["read:p","timers","dispatch:p.*"]"#)
    _ = try shell.type("plugin load \(shell.folder)/q")
    _ = try reload()
    #expect(try shell.type("dispatch p.put n=5", "show q.seen").output.hasSuffix("\n5\n"))
    #expect(try shell.type("dispatch p.add --quiet", "wait 1s", "show q.seen").output == "6\n")
  }

  @Test func onLoadIsDispatchedAfterTheSwap() throws {
    try write("on_load = \"add\"")
    try load()
    #expect(try reload().output == Self.kept.replacing("#3", with: "#4"))
    #expect(try shell.type("show p.n").output == "8\n")
    try write("on_load = \"put\"")
    let outcome = try reload()
    #expect(outcome.errors.hasPrefix("error[plugin-schema]: p: on_load: 'p.put' needs 'n' (Int)\n"))
    #expect(try shell.type("show p.n").output == "8\n")
  }

  @Test func aLongerListOfPermissionsIsAskedFor() throws {
    try write(permissions: #""timers""#)
    shell.session.options.grants = []
    var questions: [String] = []
    shell.session.ask = { question in
      questions.append(question)
      return questions.count == 2 ? "n" : "y"
    }
    try load()
    _ = try reload()
    #expect(questions.count == 1)
    try write(permissions: #""timers", "read:tasks""#)
    let refused = try reload()
    #expect(refused.errors.hasPrefix("error[plugin-grant]: p was not granted its permissions\n"))
    #expect(refused.status == 4)
    #expect(try reload().status == 0)
    #expect(questions[1].hasPrefix("p 1.0.0 asks for:\n  read:tasks  read the tasks module\n"))
    #expect(!questions[1].contains("timers"))
    shell.session.ask = nil
    try write(permissions: #""timers", "read:tasks", "read:counter""#)
    #expect(try reload().errors.hasPrefix("error[plugin-grant]: p asks for read:counter; not granted\n"))
  }

  @Test func libFilesAreReadAnewAndOnlyThen() throws {
    try write("projections = { { name = \"v\", fn = function() return require(\"lib.late\").v end } }")
    try shell.write("p/lib/late.lua", "return { v = 1 }")
    try load()
    // The version that runs goes on with its own files, even those that it has not asked for yet.
    try shell.write("p/lib/late.lua", "return { v = 2 }")
    #expect(try shell.type("show p.v").output == "1\n")
    #expect(try reload().status == 0)
    #expect(try shell.type("show p.v").output == "2\n")
  }

  @Test func whatAReloadIsGivenWrongly() throws {
    try write()
    try load()
    #expect(try shell.type("plugin reload q").errors.hasPrefix("error[unknown-plugin]: no plugin 'q' is loaded\n"))
    for (flags, code) in [
      ("--verify", "missing-argument"), ("--verify x", "type-mismatch"), ("--verify 0", "type-mismatch"),
      ("--verify 3 --reset", "unexpected-argument"), ("--rest", "unknown-flag"), ("q", "unexpected-argument"),
    ] {
      #expect(try reload(" " + flags).errors.hasPrefix("error[\(code)]"), "\(flags)")
    }
    #expect(
      try shell.type("plugin list --reset").errors.hasPrefix("error[unknown-flag]: plugin list has no flag --reset"))
    #expect(try shell.type("show p.n").output == "7\n")
  }
}
