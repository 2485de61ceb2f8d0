import Testing

/// Faults of plugins that the specification's table of failures does not list; its rows stand in `FailureTableTests`.
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

  @Test func aReducerThatFailsHalfWay() throws {
    let text = try fail("half", "s.count = 7; local t; s.count = t.count")
    #expect(
      text.hasPrefix(
        "stdin:2:1: error[plugin-runtime]: half: reducer 'half.inc': bad/half/init.lua:4: attempt to index a nil value")
    )
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
    #expect(try shell.run("-c", "plugin revoke pomodoro").output == "revoked the permissions of pomodoro\n")
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
