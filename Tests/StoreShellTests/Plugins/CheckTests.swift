import Testing

@testable import StoreShell

/// `plugin check`: what is found without installing anything.
@Suite struct CheckTests {
  /// What the check of a plugin prints, without the first two lines.
  private func check(_ lua: String, permissions: String = "[]", files: [String: String] = [:]) throws -> Shell.Outcome {
    let shell = try Shell()
    let folder = try shell.plugin("probe", lua, permissions: permissions)
    for (name, text) in files { try shell.write("probe/\(name)", text) }
    var outcome = shell.run("plugin check \(folder)")
    #expect(shell.session.store.live.recent().isEmpty)
    #expect(shell.session.store.loadedPlugins.isEmpty)
    let first = "ok    manifest: probe 1.2.3, API 1\n"
    #expect(outcome.output.hasPrefix(first + "ok    permissions: "))
    outcome.output = outcome.output.split(separator: "\n").dropFirst(2).map { $0 + "\n" }.joined()
      .replacing(folder, with: "bad/probe")
    outcome.errors = outcome.errors.replacing(folder, with: "bad/probe")
    return outcome
  }

  private func faults(_ lua: String, permissions: String = "[]", files: [String: String] = [:]) throws -> [String] {
    let outcome = try check(lua, permissions: permissions, files: files)
    let faults = outcome.output.split(separator: "\n").filter { $0.hasPrefix("FAIL  ") }.map { String($0.dropFirst(6)) }
    #expect(outcome.status == 4)
    let count = faults.count == 1 ? "1 fault" : "\(faults.count) faults"
    #expect(outcome.errors == "-c:1:1: error[plugin-check]: probe: \(count)\n  plugin check bad/probe\n")
    return faults
  }

  @Test func aPluginThatDeclaresNothing() throws {
    #expect(try check("return plugin {}") == .init(output: "ok    reducers: none\nok    tests: none\n"))
  }

  /// Names that Lua keeps for itself are warned of, each once: an expression reads them in brackets alone.
  @Test func namesThatAreKeywordsOfLuaAreWarnedOf() throws {
    let lua = """
      return plugin {
        state = { field("until", int()), field("n", int()), field("rows", list(record("R", { field("end", int()) }))) },
        actions = { { name = "then", args = { field("local", int()) } }, { name = "go", args = { field("local", int()) } } },
        projections = { { name = "or", type = int(), fn = function(state) return 1 end } },
      }
      """
    let outcome = try check(lua)
    let warnings = outcome.output.split(separator: "\n").filter { $0.hasPrefix("warn  names: ") }.map {
      $0.dropFirst("warn  names: ".count).prefix { $0 != ":" }
    }
    #expect(
      warnings.sorted() == [
        "the action 'then' is a keyword of Lua", "the argument 'local' is a keyword of Lua",
        "the field 'end' is a keyword of Lua", "the field 'until' is a keyword of Lua",
        "the projection 'or' is a keyword of Lua",
      ], "\(outcome)")
    #expect(outcome.output.contains("an expression must write [\"until\"]\n"))
    #expect(outcome.status == 0 && outcome.errors == "")
  }

  @Test func permissionsThatNothingAnswersTo() throws {
    let shell = try Shell()
    let permissions =
      #"["read:taks","reduce:nowhere","dispatch:tasks.ad","dispatch:tasks.*","dispatch:probe.x","timers"]"#
    let folder = try shell.plugin("probe", "return plugin {}", permissions: permissions)
    let outcome = shell.run("plugin check \(folder)")
    #expect(
      outcome.output == """
        ok    manifest: probe 1.2.3, API 1
        FAIL  permission read:taks: there is no module 'taks' (did you mean 'tasks'?)
        FAIL  permission reduce:nowhere: there is no module 'nowhere' (if a plugin brings it, load that one first)
        FAIL  permission dispatch:tasks.ad: there is no action 'tasks.ad' (did you mean 'tasks.add'?)
        ok    reducers: none
        ok    tests: none

        """)
    #expect(outcome.status == 4)
  }

  @Test func allKindsOfReducersAndTests() throws {
    let lua = """
      return plugin {
        actions = { { name = "a" }, { name = "b" } },
        reducers = { a = function() end, ["tasks.add"] = function() end },
        lifted = { { at = "counter", on = "counter.double", args = {}, reduce = function() end } },
      }
      """
    #expect(
      try check(
        lua, permissions: "[\"read:tasks\",\"reduce:counter\"]",
        files: ["tests/b_test.lua": "test('x', function() end)", "tests/a_test.lua": "", "tests/readme.txt": "("])
        == .init(
          output: """
            ok    reducers: 1 of 2 own actions, 1 foreign, 1 lifted
            ok    tests: tests/a_test.lua, tests/b_test.lua

            """))
  }

  @Test func hiddenStateAndEveryOtherAssignment() throws {
    let lua = """
      local n, m = 0, 0
      return plugin {
        actions = { { name = "inc" } },
        reducers = { inc = function(s)
          n = n + 1
          local function deep() m = n end
        end },
        projections = { { name = "p", fn = function() n = 1 end } },
      }
      """
    #expect(
      try faults(lua) == [
        "reducer 'probe.inc' assigns to the captured local 'n' (bad/probe/init.lua:5)",
        "reducer 'probe.inc' assigns to the captured local 'm' (bad/probe/init.lua:6)",
        "projection 'probe.p' assigns to the captured local 'n' (bad/probe/init.lua:8)",
      ])
  }

  @Test func unknownGlobalsInCodeThatDoesNotRun() throws {
    let lua = """
      local dates = require("lib.dates")
      return plugin {
        actions = { { name = "inc" } },
        reducers = { inc = function(s)
          local now = os.time()
          total = 1
          return strng.rep("x", 2), string.rep("x", 2), dates, log.warn("x"), log.info("x"), log.wran("x")
        end },
        commands = { { name = "roll", run = function(ctx) return math.random(6), math.max(string.fromat("%d", 6)) end } },
      }
      """
    #expect(
      try faults(lua, files: ["lib/dates.lua": "return { f = function() return prnt end }", "lib/unused.lua": "x = y"])
        == [
          "uses the unknown global 'os' (bad/probe/init.lua:5)",
          "assigns to the global 'total' (bad/probe/init.lua:6)",
          "uses the unknown global 'strng' (bad/probe/init.lua:7)",
          "uses 'log.wran', which is not there (bad/probe/init.lua:7) (did you mean 'warn'?)",
          "uses 'math.random', which is not there (bad/probe/init.lua:9)",
          "uses 'string.fromat', which is not there (bad/probe/init.lua:9) (did you mean 'format'?)",
          "uses the unknown global 'prnt' (bad/probe/lib/dates.lua:1)",
          "uses the unknown global 'y' (bad/probe/lib/unused.lua:1)",
          "assigns to the global 'x' (bad/probe/lib/unused.lua:1)",
        ])
  }

  @Test(arguments: [
    ("function() return nil end", "interceptor 'interceptor1' made nil, not a function"),
    (
      "function(dispatch) dispatch('probe.a') end", "interceptor 'interceptor1': bad/probe/init.lua:2: dispatches while"
    ),
    ("function() while true do end end", "interceptor 'interceptor1' used more than 200_000 VM instructions"),
    (
      "function() return nothing.there end",
      "interceptor 'interceptor1': bad/probe/init.lua:2: undefined global 'nothing'"
    ),
  ])
  func interceptorsThatCannotBeMade(_ interceptor: String, _ message: String) throws {
    let lua = "return plugin { actions = { { name = 'a' } },\n  interceptors = { \(interceptor) } }"
    let faults = try faults(lua, permissions: "[\"intercept\"]")
    #expect(faults.contains { $0.hasPrefix(message) }, "\(faults)")
  }

  @Test func interceptorsAreMadeAndMeetNothing() throws {
    let lua =
      "return plugin { interceptors = { function(_, get, next) local n = get().counter.value return next end } }"
    #expect(
      try check(lua, permissions: "[\"intercept\", \"read:counter\"]")
        == .init(output: "ok    reducers: none\nok    tests: none\n"))
    #expect(
      try faults(lua, permissions: "[\"intercept\"]") == [
        "interceptor 'interceptor1': bad/probe/init.lua:1: may not read 'counter' (add \"read:counter\" to permissions in plugin.json)"
      ])
  }

  @Test func argumentsThatNoActionHas() throws {
    let lua = """
      local function shared(s, a)
        s.n = a.by or a.amount
      end
      return plugin {
        state = { field("n", int()) },
        actions = {
          { name = "inc", args = { field("by", int()) } }, { name = "set", args = { field("amount", int()) } },
          { name = "go", args = { field("force", bool()) } }, { name = "none" } },
        reducers = {
          inc = shared, set = shared,
          go = function(s, a)
            if a.force and a.forse then s.n = a.twice end
          end,
          none = function(s, a) a = { x = 1 } s.n = a.x end,
          ["tasks.add"] = function(s, a) if a.titel then s.n = 1 end end,
        },
        lifted = {
          { at = "counter", on = "counter.double", args = { field("times", int()) }, reduce = function(s, a)
              s.value = a.tmes
            end } },
      }
      """
    #expect(
      try faults(lua, permissions: "[\"read:tasks\",\"reduce:counter\"]") == [
        "reducer 'probe.go' reads the unknown argument 'forse' (bad/probe/init.lua:12) (did you mean 'force'?)",
        "reducer 'probe.go' reads the unknown argument 'twice' (bad/probe/init.lua:12)",
        "reducer 'tasks.add' reads the unknown argument 'titel' (bad/probe/init.lua:15) (did you mean 'title'?)",
        "reducer 'counter.double' reads the unknown argument 'tmes' (bad/probe/init.lua:19) (did you mean 'times'?)",
      ])
  }

  @Test func whatCannotBeLoaded() throws {
    #expect(
      try faults("return plugin { actions = { { name = 'start' } }, reducers = { strat = function() end } }")
        == ["reducer for unknown action 'probe.strat' (did you mean 'probe.start'?)"])
    #expect(
      try faults("return plugin {\n  state = {\n") == [
        "bad/probe/init.lua:3: unexpected symbol near <eof>"
      ])
    #expect(
      try faults("while true do end") == ["init.lua ran too long and was stopped (at bad/probe/init.lua:1)"])
    #expect(
      try faults("return plugin {}", files: ["tests/x_test.lua": "test("])
        == ["bad/probe/tests/x_test.lua:1: unexpected symbol near <eof>"])
    #expect(
      try faults("return plugin { reducers = { ['tasks.add'] = function() end } }")
        == ["reducer for 'tasks.add' needs to read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"])
  }

  @Test func aManifestThatIsWrong() throws {
    for (manifest, fault) in [
      ("{ \"name\": \"probe\" }", "bad/probe/plugin.json: \"version\" is missing (text)"),
      ("name: probe", "bad/probe/plugin.json:1:1: not JSON: "),
      (
        "{ \"name\": \"probe\", \"version\": \"1\", \"api\": 1, \"permissions\": [\"timer\"] }",
        "bad/probe/plugin.json: unknown permission \"timer\" "
          + "(permissions are read:MODULE, reduce:MODULE, dispatch:MODULE.ACTION, intercept and timers)"
      ),
      (
        "{ \"name\": \"future\", \"version\": \"1\", \"api\": 3 }", "future needs plugin API 3; this shell supports 1"
      ),
    ] {
      let shell = try Shell()
      let folder = try shell.plugin("probe", "error('not run')")
      try shell.write("probe/plugin.json", manifest)
      let outcome = shell.run("plugin check \(folder)")
      #expect(outcome.output.replacing(folder, with: "bad/probe").hasPrefix("FAIL  \(fault)"), "\(outcome.output)")
      #expect(outcome.output.utf8.count { $0 == 0x0A } == 1)
      #expect(outcome.status == 4)
    }
  }

  @Test func aNameThatTheShellHas() throws {
    let shell = try Shell()
    let outcome = shell.run("plugin check \(try shell.plugin("show", "return plugin {}"))")
    #expect(outcome.output.hasPrefix("FAIL  'show' is a word of the shell itself\nok    permissions: none\n"))
    #expect(outcome.status == 4)
  }

  @Test func aLoadedPluginIsCheckedBesideItself() throws {
    let shell = try Shell()
    let lua = """
      return plugin {
        actions = { { name = "a" } }, reducers = { a = function() end },
        lifted = { { at = "counter", on = "counter.double", args = { field("by", int()) }, reduce = function() end } },
      }
      """
    let folder = try shell.plugin("probe", lua, permissions: "[\"reduce:counter\"]")
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    #expect(
      try shell.type("plugin check probe").output.hasSuffix(
        "ok    reducers: 1 of 1 own actions, 1 lifted\nok    tests: none\n"))
    // The folder as it is now, not as it was loaded.
    try shell.write("probe/init.lua", "return plugin { reducers = { gone = function() end } }")
    #expect(try shell.type("plugin check probe").status == 4)
    #expect(try shell.type("dispatch counter.double by=1").status == 0)
  }

  @Test func nothingIsGrantedForACheck() throws {
    #expect(try check("return plugin {}", permissions: "[\"timers\",\"intercept\"]").status == 0)
  }

  @Test func inJSONTheFindingsAreDetails() throws {
    let shell = try Shell { $0.isJSON = true }
    let folder = try shell.plugin("probe", "return plugin { x = 1 }")
    let outcome = shell.run("plugin check \(folder)")
    #expect(outcome.errors == "")
    #expect(outcome.output.utf8.count { $0 == 0x0A } == 1)
    #expect(outcome.output.contains(#""code":"plugin-check","message":"probe: 1 fault""#))
    #expect(outcome.output.contains(#""FAIL  plugin{…} has no key 'x'"#))
  }

  @Test func theFindingsAreRecordsToo() throws {
    let shell = try Shell()
    let good = try shell.plugin("good", "return plugin {}")
    let passed = shell.run("plugin check \(good) --json")
    #expect(passed.output.hasPrefix(#"[{"ok":true,"text":"manifest: good 1.2.3, API 1"},"#))
    let bad = try shell.plugin("bad", "return plugin { x = 1 }")
    let failed = shell.run("plugin check \(bad) --as csv")
    #expect(failed.output.contains("\r\nfalse,\"plugin{…} has no key 'x'"))
    #expect(failed.status == 4)
  }

  @Test func shippedPluginsPass() throws {
    for name in ["catalog", "pomodoro"] {
      let outcome = try Shell().run("plugin check \(name)")
      #expect(outcome.status == 0, "\(outcome.output)")
    }
  }

  @Test func testsThatAreNeverRun() throws {
    let test = "test('t', function() end)"
    #expect(
      try faults(
        "return plugin {}",
        files: ["tests/probe_test.lua": test, "tests/test_more.lua": test, "tests/deep/x_test.lua": test]) == [
          "tests: tests/deep/x_test.lua is never run: a file of tests is tests/NAME_test.lua",
          "tests: tests/test_more.lua is never run: a file of tests is tests/NAME_test.lua",
        ])
  }
}
