import Testing

@testable import StoreShell

/// `plugin test`.
@Suite struct PluginTestTests {
  private let shell: Shell
  private let folder: String

  init() throws {
    shell = try Shell()
    folder = "\(shell.folder)/beans"
    _ = shell.run("plugin new \(folder)")
    try shell.write("beans/tests/beans_test.lua", "")
  }

  /// Runs tests of a new plugin.
  private func test(_ lua: String, flags: String = "") throws -> Shell.Outcome {
    try shell.write("beans/tests/beans_test.lua", lua)
    var outcome = shell.run("plugin test \(folder)\(flags)")
    outcome.output = outcome.output.replacing("\(folder)/", with: "")
    outcome.errors = outcome.errors.replacing("\(folder)/", with: "")
    return outcome
  }

  /// Runs the body of one test and gives what is printed below its name.
  private func body(_ lua: String) throws -> String {
    let outcome = try test("test(\"it\", function(t) \(lua) end)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first?.hasSuffix(" it") ?? false)
    return lines.dropFirst().dropLast().map { "\($0)\n" }.joined()
  }

  // MARK: Results

  @Test func timeGoesNoFurtherThanTheClock() throws {
    #expect(
      try body("for i = 1, 20 do t:dispatch('add') t:advance(1e9) end")
        .contains("error[out-of-range]: the virtual clock goes no further than 292 years"))
  }

  @Test func aNewPluginPasses() throws {
    let other = "\(shell.folder)/peas"
    _ = shell.run("plugin new \(other)")
    #expect(
      shell.run("plugin test \(other)")
        == .init(
          output: """
            ok   adds one, or as much as it is told
            ok   less than one is refused
            ok   begins again
            3 passed, 0 failed

            """))
  }

  @Test func aFailureHasItsPlaceAndBothSides() throws {
    let outcome = try test(
      """
      local function counts(t, n) t:equals(t:get("beans.count"), n) end
      test("counts", function(t)
        t:dispatch("beans.add", { by = 3 })
        counts(t, 4)
      end)
      test("goes on", function(t) counts(t, 0) end)
      """)
    #expect(
      outcome
        == .init(
          output: """
            FAIL counts
              tests/beans_test.lua:1: not equal
                expected  4
                got       3
                at tests/beans_test.lua:4: in the test
            ok   goes on
            1 passed, 1 failed

            """,
          errors: """
            -c:1:1: error[plugin-test]: beans: 1 of 2 tests failed
              plugin test \(folder)

            """, status: 1))
  }

  @Test func theFirstDifferenceIsNamed() throws {
    #expect(
      try body("t:equals({ a = { 1, 2, { b = 'x' } } }, { a = { 1, 2, { b = 'y' } } })")
        == "  tests/beans_test.lua:1: not equal at .a[3].b\n    expected  \"y\"\n    got       \"x\"\n")
    #expect(try body("t:equals({ 1, 2, 3 }, { 1, 2 })").contains("at [3]\n    expected  nil\n    got       3\n"))
    #expect(
      try body("t:equals({ 1 }, { 1, { a = 1 } })").contains("at [2]\n    expected  { a = 1 }\n    got       nil\n"))
    #expect(try body("t:equals('1', 1)").contains("expected  1\n    got       \"1\"\n"))
    for equal in ["1, 1.0", "{}, {}", "nil, nil", "0/0, 0/0", "{ { 1 }, a = 2 }, { { 1 }, a = 2 }"] {
      #expect(try body("t:equals(\(equal))") == "", "\(equal)")
    }
  }

  @Test(arguments: [
    ("while true do end", "used more than 50_000_000 VM instructions and was stopped"),
    ("local a = {} a.a = a t:equals(a, a)", "the tables are too big to compare, or hold themselves"),
    ("local a = {} for i = 1, 40 do a = { a, a } end t:equals(a, a)", "the tables are too big to compare"),
    (
      "local a = {} for i = 1, 40 do a = { a, a } end t:dispatch('add', { by = a })",
      "it holds more than 250,000 tables"
    ),
    ("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "needed more than 64 MiB and was stopped"),
    ("t:get('beans.cuont')", "error[unknown-path]: 'beans' has no field or projection 'cuont'"),
    ("t:dispatch('beans.ad')", "error[unknown-action]: unknown action 'beans.ad' (did you mean 'beans.add'?)"),
    ("t:dispatch('addd')", "error[unknown-action]: unknown action 'addd' (did you mean 'add'?)"),
    ("t:dispatch('beans.add', { by = 0 })", "error[out-of-range]: 'by' must be >= 1, got 0"),
    ("t:dispatch('beans.add', { by = 'two' })", "error[type-mismatch]: 'by' must be Int, got string \"two\""),
    (
      "t:dispatch('add') t:run('goto 0') t:advance(1)",
      "error[not-at-head]: the store shows #0 of 2; dispatching from the past would fork history"
    ),
    ("t:gate('beans.clok', 'off')", "error[unknown-middleware]: there is no middleware 'beans.clok'"),
    ("t:gate('logger', 'ajar')", "t:gate takes \"on\" or \"off\", got string \"ajar\""),
    ("t:equal(1, 1)", "beans_test.lua:1: t has no 'equal' (did you mean 'equals'?)"),
    ("log.inform('a')", "beans_test.lua:1: log has no 'inform' (did you mean 'info'?)"),
    ("t.get('beans.count')", "write t:get(…), with a colon"),
    ("t:advance(-1)", "t:advance takes 0 to 1e9 seconds, got -1.0"),
    ("t:ok(nil)", "expected something true, got nil"), ("t:ok(1 > 2, 'one is less')", "one is less"),
    ("error('oh')", "oh"), ("error({})", "(error object is a table)"),
    ("t:fails('out-of-range', function() t:dispatch('add') end)", "expected error[out-of-range], but nothing failed"),
    (
      "t:fails('out-of-range', function() t:dispatch('add', { by = true }) end)",
      "expected error[out-of-range], got another"
    ), ("t:fails('lua-error', function() t:equals(1, 2) end)", "not equal"),
    ("pcall(function() t:ok(false) end)", "expected something true, got false"),
    ("os.exit(1)", "'os' is not part of the plugin sandbox"), ("count = 1", "plugins may not create globals ('count')"),
  ])
  func whatFailsATest(lua: String, message: String) throws {
    let shown = try body(lua)
    #expect(shown.contains(message), "\(shown)")
  }

  @Test func whatAPluginDoesWrongStandsBelowTheLineOfTheTest() throws {
    try shell.write(
      "beans/init.lua",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go" } },
        reducers = { go = function(s) s.m = 1 end } }
      """)
    #expect(
      try body("t:dispatch('go')")
        == """
          tests/beans_test.lua:1: error[plugin-runtime]: beans: reducer 'beans.go': init.lua:2: beans has no field 'm'

        """)
    #expect(try body("t:fails('plugin-runtime', function() t:dispatch('go') end)") == "")
  }

  // MARK: What tests can do

  @Test func eachTestHasAStoreOfItsOwn() throws {
    let outcome = try test(
      """
      test("one", function(t) t:dispatch("add") t:dispatch("tasks.add", { title = "x" }) t:equals(t:get("beans.count"), 1) end)
      test("two", function(t) t:equals(t:get("beans.count"), 0) t:equals(t:get("tasks.items"), {}) end)
      """)
    #expect(outcome.status == 0)
    #expect(shell.run("show tasks.items").output == "0 items\n")
    #expect(shell.session.store.loadedPlugins.isEmpty)
  }

  @Test func theMethods() throws {
    #expect(
      try body(
        """
        t:dispatch("add", { by = 2 })
        t:equals(t:run("beans status"), "2 counted")
        t:equals(t:run("show beans.count"), "2")
        t:run("dispatch beans.reset")
        t:equals(t:fails("out-of-range", function() t:dispatch("add", { by = 0 }) end), "'by' must be >= 1, got 0")
        t:equals(t:fails("lua-error", function() error("oh") end), "oh")
        local seen = t:actions()
        t:equals(#seen, 2)
        t:equals(seen[1], { name = "beans.add", args = { by = 2 }, at = 0, source = seen[1].source })
        t:equals(seen[2].name, "beans.reset")
        t:gate("logger", "on")
        t:gate("logger", "off")
        t:print("seen", #seen, { a = 1 }, "\\xc3")
        """) == "  | seen 2 { a = 1 } \u{fffd}\n")
  }

  @Test func whatATestLogsIsPrintedBelowIt() throws {
    #expect(
      try body(#"log.info("saw", 7, nil, { a = 1 }) log.warn("low")"#) == "  | saw 7 nil { a = 1 }\n  | warning: low\n")
    let early = try test(#"log.info("x") test("it", function() end)"#)
    #expect(early.errors.contains("log.info is only possible while a test runs"))
    #expect(early.status == 2)
  }

  @Test func skippedTestsAreCountedApart() throws {
    let outcome = try test("test('later', function(t) t:skip('not yet') end) test('now', function() end)")
    #expect(outcome == .init(output: "skip later: not yet\nok   now\n1 passed, 0 failed, 1 skipped\n"))
  }

  @Test(arguments: [
    "plugin test ./beans", "source x.stsh", "ingest x.jsonl --as beans.add", "echo x > file", "echo x | sh",
    "quit 3", "plugin load pomodoro",
  ])
  func testsReachNoFilesAndNoOtherPrograms(line: String) throws {
    #expect(try body("t:run([[\(line)]])").contains("error[not-allowed]: tests may not run '\(line)'"))
    #expect(!shell.session.hasQuit)
  }

  @Test func timePassesOnlyByAdvance() throws {
    _ = shell.run("plugin grant pomodoro")
    let outcome = shell.run("plugin test pomodoro")
    #expect(
      outcome
        == .init(
          output: """
            ok   a round ends after its minutes
            ok   finishing a round completes its task
            ok   closing the gate stops the clock
            ok   bad minutes are refused
            ok   five minutes of rest, then idle
            5 passed, 0 failed

            """))
  }

  @Test func aTaskThatFailsFailsTheTest() throws {
    let folder = try shell.plugin(
      "pushy",
      """
      return plugin { state = { field("on", bool()) }, actions = { { name = "go" } },
        reducers = { go = function(s) s.on = true end },
        middleware = { { name = "m", supervise = function(state)
          if state.pushy.on then return { x = function(task) task:sleep(1) error("no") end } end
        end } } }
      """, permissions: #"["timers"]"#)
    try shell.write("pushy/tests/a_test.lua", "test('it', function(t) t:dispatch('go') t:advance(2) end)")
    shell.session.options.grants = ["pushy"]
    let outcome = shell.run("plugin test \(folder)")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("error[plugin-task]: pushy: task 'pushy/m/x' failed: "))
    #expect(outcome.output.contains("no\n"))
  }

  @Test func pluginsThatItNamesAreThere() throws {
    let folder = try shell.plugin(
      "sumup", "return plugin { projections = { { name = 'n', fn = function(s) return #s.catalog.sections end } } }",
      permissions: #"["read:catalog"]"#)
    try shell.write(
      "sumup/tests/a_test.lua", "test('it', function(t) t:equals(t:get('catalog.sections'), {}) t:get('sumup.n') end)")
    shell.session.options.grants = ["sumup"]
    #expect(shell.run("plugin test \(folder)") == .init(output: "ok   it\n1 passed, 0 failed\n"))
  }

  @Test func aFolderOfALoadedPluginIsNoNameOfOne() throws {
    #expect(shell.run("plugin load \(folder)").status == 0)
    for command in ["unload", "reload", "disable"] {
      let outcome = shell.run("plugin \(command) \(folder)")
      #expect(outcome.errors.contains("error[unknown-plugin]: no plugin '\(folder)' is loaded\n"))
      #expect(outcome.errors.contains("~\n  hint: did you mean 'beans'?\n"))
    }
  }

  // MARK: Flags and forms

  @Test func aFilterPicksTests() throws {
    let lua = "test('one', function() end) test('two', function() error('no') end)"
    #expect(try test(lua, flags: " --filter one") == .init(output: "ok   one\n1 passed, 0 failed\n"))
    let none = try test(lua, flags: " --filter three")
    #expect(none.status == 1)
    #expect(none.errors.contains("error[plugin-test]: beans: the name of no test holds 'three'\n"))
    #expect(none.errors.contains("hint: there are 'one', 'two'\n"))
  }

  @Test func everyLineThatIsPrintedStandsBelowItsTest() throws {
    #expect(
      try test("test('one', function(t) t:print('a\\nb') end)").output == "ok   one\n  | a\n  | b\n1 passed, 0 failed\n"
    )
  }

  @Test func whatATestPrintsIsHeldWithinItsMemory() throws {
    let outcome = try test("test('one', function(t) local s = ('x'):rep(1 << 20) while true do t:print(s) end end)")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.prefix(100).hasPrefix(
        "FAIL one\n  tests/beans_test.lua:1: needed more than 64 MiB and was stopped\n"))
  }

  @Test func asData() throws {
    let lua = "test('one', function() end) test('two', function(t) t:print('x') t:ok(false) end)"
    let data = """
      {"plugin":"beans","passed":1,"failed":1,"skipped":0,"tests":[{"file":"tests/beans_test.lua","name":"one",\
      "status":"passed"},{"file":"tests/beans_test.lua","name":"two","status":"failed","line":1,"code":null,\
      "message":"expected something true, got false","details":[],"printed":["x"]}]}
      """
    let outcome = try test(lua, flags: " --json")
    #expect(outcome.output == data + "\n")
    #expect(outcome.status == 1)
    shell.session.options.isJSON = true
    #expect(
      try test(lua).output == """
        {"ok":false,"file":"-c","line":1,"error":{"code":"plugin-test","message":"beans: 1 of 2 tests failed",\
        "column":1},"data":\(data)}

        """)
  }

  @Test func otherFormsOfPluginHaveNoSuchFlags() throws {
    let outcome = shell.run("plugin load \(folder) --pure")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[unknown-flag]: plugin load has no flag --pure"))
  }

  // MARK: What keeps tests from running

  @Test(arguments: [
    ("test('x', function(t)", 2, "error[lua-syntax]: tests/beans_test.lua:1: "),
    ("local x = nil + 1", 2, "error[lua-error]: tests/beans_test.lua:1: attempt to perform arithmetic"),
    ("test('x')", 2, "error[lua-error]: tests/beans_test.lua:1: test needs a name and a function"),
    ("test('x', print) test('x', print)", 2, "'print' is not part of the plugin sandbox"),
    ("test('x', type) test('x', type)", 2, "error[lua-error]: tests/beans_test.lua:1: there are two tests 'x'"),
    ("while true do end", 2, "used more than 50_000_000 VM instructions"), ("", 1, "there is no test to run"),
  ])
  func filesThatCannotBeRun(lua: String, status: Int32, message: String) throws {
    let outcome = try test(lua)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test func aTestWithinATestFails() throws {
    let outcome = try test("test('x', function() test('y', type) end)")
    #expect(outcome.status == 1)
    #expect((outcome.output + outcome.errors).contains("test 'y' is declared while another one runs"))
  }

  @Test func pluginsThatCannotBeLoaded() throws {
    #expect(shell.run("plugin test nosuch").status == 4)
    #expect(shell.run("plugin test ./nosuch").status == 4)
    try shell.write("beans/init.lua", "return plugin {")
    let outcome = try test("test('x', function() end)")
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error[plugin-load]: beans: init.lua:1: "))
    let asking = shell.run("plugin test pomodoro")
    #expect(asking.status == 4)
    #expect(asking.errors.contains("error[plugin-grant]: pomodoro asks for "))
    #expect(shell.run("plugin test \(Shell.package)/plugins/pomodoro").errors == "")
  }

  @Test func aPluginThatIsCalledLikeACommandCannotBeLoaded() throws {
    let folder = try shell.plugin("show", "return plugin {}")
    let outcome = shell.run("plugin test \(folder)")
    #expect(outcome.errors.contains("error[plugin-load]: show: that is the name of a command of the shell\n"))
    #expect(outcome.status == 4)
  }

  @Test func atThePromptItAsks() throws {
    var asked = ""
    shell.session.ask = { question in
      asked = question
      return "y"
    }
    #expect(try shell.type("plugin test pomodoro").status == 0)
    #expect(asked.hasPrefix("pomodoro 0.1.0 asks for:\n"))
  }
}
