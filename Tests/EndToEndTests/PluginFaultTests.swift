import Testing

@Suite("Plugins with a fault")
struct PluginFaultTests {
  /// Runs `inc` of a plugin and looks whether the state stayed and the shell goes on.
  private func fail(_ name: String, _ body: String) throws -> Substring {
    let shell = try Shell()
    try BrokenPlugin.write(name, BrokenPlugin.reducing(body), to: shell)
    let outcome = try shell.run(
      "--keep-going",
      input: "plugin load bad/\(name)\ndispatch \(name).inc\nshow \(name).count\ndispatch counter.increment\n")
    #expect(
      outcome.output == """
        #1 shell.loadPlugin name="\(name)" version="0.1.0"
          1 action
        0
        #3 counter.increment
          counter.value  0 -> 1

        """)
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasSuffix("\n1 of 4 commands failed\n"))
    return outcome.errors.dropLast("1 of 4 commands failed\n".count)
  }

  @Test func aMistypedField() throws {
    #expect(
      try fail("typo", "s.cuont = s.count + 1") == """
        stdin:2:1: error[plugin-runtime]: typo: reducer 'typo.inc': bad/typo/init.lua:4: typo has no field 'cuont' (did you mean 'count'?)
          dispatch typo.inc

        """)
  }

  @Test func aStateOutsideItsType() throws {
    let text = try fail("wrong", "s.count = s.count - 1")
    #expect(text.hasPrefix("stdin:2:1: error[plugin-schema]: wrong: reducer 'wrong.inc'"))
    #expect(text.contains("'wrong.count' must be >= 0, got -1\n"))
    #expect(text.hasSuffix("\n  hint: state is unchanged\n"))
  }

  @Test func aReducerThatReturnsAValue() throws {
    #expect(
      try fail("ret", "return s.count") == """
        stdin:2:1: error[plugin-runtime]: ret: reducer 'ret.inc' returned a value; change the draft in place and return nothing
          dispatch ret.inc

        """)
  }

  @Test func hiddenState() throws {
    let shell = try Shell()
    let lua = BrokenPlugin.reducing("seen[#seen + 1] = 1; s.count = #seen")
    try BrokenPlugin.write("memo", "local seen = {} " + lua, to: shell)
    let outcome = try shell.run(
      "--keep-going", input: "plugin load bad/memo\ndispatch memo.inc\nshow memo.count\ndispatch memo.inc\n")
    #expect(outcome.output.hasSuffix("\n0\n"))
    #expect(
      outcome.errors.hasPrefix(
        """
        stdin:2:1: error[plugin-impure]: memo: reducer 'memo.inc' changed a captured local; reducers may only change their draft
          dispatch memo.inc
          hint: keep the value in the plugin's state

        """))
    #expect(outcome.errors.hasSuffix("\n2 of 4 commands failed\n"))
    #expect(outcome.status == 1)
  }

  @Test func hiddenStateThatShowsInTheCode() throws {
    let shell = try Shell()
    let lua = "local n = 0\n" + BrokenPlugin.reducing("n = n + 1")
    try BrokenPlugin.write("hidden", lua, to: shell)
    let check = try shell.run("-c", "plugin check bad/hidden")
    #expect(
      check.output == """
        ok    manifest: hidden 0.1.0, API 1
        ok    permissions: none
        FAIL  reducer 'hidden.inc' assigns to the captured local 'n' (bad/hidden/init.lua:5)
        ok    tests: none

        """)
    #expect(check.status == 4)
    let load = try shell.run("-c", "plugin load bad/hidden")
    #expect(
      load.errors.hasPrefix(
        "-c:1:1: error[plugin-impure]: hidden: reducer 'hidden.inc' assigns to the captured local 'n' (bad/hidden/init.lua:5)\n"
      ))
    #expect(load.status == 4)
  }

  @Test func threeFailuresInARow() throws {
    let shell = try Shell()
    try BrokenPlugin.write("typo", BrokenPlugin.reducing("s.cuont = 1"), to: shell)
    let outcome = try shell.run(
      "--keep-going", "--clock", "virtual",
      input: "plugin load bad/typo\n" + String(repeating: "dispatch typo.inc\n", count: 3) + "plugin list\nlog 1\n")
    #expect(
      outcome.errors.hasSuffix(
        "\nnote: typo is off after 3 failures in a row; plugin enable typo\n3 of 6 commands failed\n"))
    #expect(
      outcome.output.hasSuffix(
        """
        name  version  origin    state    units
        typo  0.1.0    bad/typo  faulted  0
        n   at    source               action                         changed
        #5  0.0s  plugin:typo/reducer  shell.faultPlugin name="typo"  -

        """))
  }

  @Test func anEndlessReducer() throws {
    #expect(
      try fail("spin", "while true do end") == """
        stdin:2:1: error[plugin-budget]: spin: reducer 'spin.inc' used more than 200_000 VM instructions and was stopped
          dispatch spin.inc
          at bad/spin/init.lua:4

        """)
  }

  @Test func aForbiddenLibrary() throws {
    let text = try fail("osuse", "s.count = os.time()")
    #expect(
      text.hasPrefix(
        "stdin:2:1: error[plugin-runtime]: osuse: reducer 'osuse.inc': bad/osuse/init.lua:4: "
          + "'os' is not part of the plugin sandbox"))
  }

  @Test func aReducerThatFailsHalfWay() throws {
    let text = try fail("half", "s.count = 7; local t; s.count = t.count")
    #expect(
      text.hasPrefix(
        "stdin:2:1: error[plugin-runtime]: half: reducer 'half.inc': bad/half/init.lua:4: attempt to index a nil value")
    )
  }

  @Test func theLogShowsTheFailure() throws {
    let shell = try Shell()
    try BrokenPlugin.write("typo", BrokenPlugin.reducing("s.cuont = 1"), to: shell)
    let outcome = try shell.run(
      "--keep-going", "--clock", "virtual", input: "plugin load bad/typo\ndispatch typo.inc\nlog\n")
    #expect(
      outcome.output.hasSuffix(
        """
        n   at    source   action                                        changed
        #1  0.0s  stdin:1  shell.loadPlugin name="typo" version="0.1.0"  -
        #2  0.0s  stdin:2  typo.inc                                      failed: plugin-runtime

        """))
  }

  /// Loads a plugin that cannot be loaded; answers with standard error.
  private func refuse(_ name: String, _ lua: String, manifest: String? = nil) throws -> String {
    let shell = try Shell()
    try BrokenPlugin.write(name, lua, to: shell, manifest: manifest)
    let outcome = try shell.run("-c", "plugin load bad/\(name)", "-c", "echo not reached")
    #expect(outcome.output == "")
    #expect(outcome.status == 4)
    return outcome.errors
  }

  @Test func aGlobalVariable() throws {
    #expect(
      try refuse("glob", "count = 0\nreturn plugin {}").hasPrefix(
        "-c:1:1: error[plugin-load]: glob: bad/glob/init.lua:1: plugins may not create globals ('count'); use 'local'\n"
      ))
  }

  @Test func aSyntaxError() throws {
    #expect(
      try refuse("syn", "return plugin {\n  state = {\n    field(\"count\", int())\n").hasPrefix(
        "-c:1:1: error[plugin-load]: syn: bad/syn/init.lua:4: '}' expected (to close '{' at line 2) near <eof>\n"))
  }

  @Test func aNewerInterface() throws {
    let manifest = #"{ "name": "future", "version": "0.1.0", "api": 3 }"#
    #expect(
      try refuse("future", "return plugin {}", manifest: manifest).hasPrefix(
        "-c:1:1: error[plugin-api]: future needs plugin API 3; this shell supports 1\n"))
  }

  @Test func aReducerForAnUnknownAction() throws {
    let lua = "return plugin { actions = { { name = \"start\" } }, reducers = { strat = function() end } }"
    let errors = try refuse("badred", lua)
    #expect(
      errors.hasPrefix("-c:1:1: error[plugin-schema]: badred: reducer for unknown action 'badred.strat'\n"))
    #expect(errors.hasSuffix("\n  hint: did you mean 'badred.start'?\n"))
  }

  @Test func aManifestThatIsNotJSON() throws {
    let errors = try refuse("nojson", "return plugin {}", manifest: "name: nojson\n")
    #expect(errors.hasPrefix("-c:1:1: error[plugin-load]: bad/nojson/plugin.json:1:"))
  }

  @Test func aMissingManifest() throws {
    let shell = try Shell()
    try shell.folder.write("bare/init.lua", "return plugin {}")
    let outcome = try shell.run("-c", "plugin load ./bare")
    #expect(outcome.errors.contains("error[plugin-load]: "))
    #expect(outcome.errors.contains("plugin.json"))
    #expect(outcome.status == 4)
  }

  @Test func aMissingFolder() throws {
    let outcome = try Shell().run("-c", "plugin load no/such/folder")
    #expect(outcome.errors.contains("error[plugin-load]: "))
    #expect(outcome.status == 4)
  }

  @Test func aMissingGrant() throws {
    let outcome = try Shell().run("-c", "plugin load pomodoro")
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        -c:1:1: error[plugin-grant]: pomodoro asks for read:tasks, dispatch:tasks.complete, timers; not granted
          plugin load pomodoro
          hint: plugin grant pomodoro, or run with --grant pomodoro

        """)
    #expect(outcome.status == 4)
  }

  @Test func aGrantOutlivesTheProgram() throws {
    let shell = try Shell()
    #expect(try shell.run("-c", "plugin grant pomodoro").status == 0)
    #expect(contents(ofFile: shell.folder.path + "/home/.local/state/stsh/grants.json")?.contains("\"timers\"") == true)
    #expect(try shell.run("-c", "plugin load pomodoro").status == 0)
    #expect(try shell.run("-c", "plugin revoke pomodoro").output == "revoked what was granted to pomodoro\n")
    #expect(try shell.run("-c", "plugin load pomodoro").status == 4)
  }

  @Test func anArgumentOutOfRange() throws {
    let outcome = try Shell().run(
      "--grant", "pomodoro", "-c", "plugin load pomodoro", "-c", "dispatch pomodoro.start minutes=0")
    #expect(
      outcome.errors.hasPrefix(
        """
        -c:2:25: error[out-of-range]: 'minutes' must be 1...180, got 0
          dispatch pomodoro.start minutes=0
                                  ^~~~~~~~

        """))
    #expect(outcome.status == 1)
  }
}
