import Glibc
import TerminalSupport
import Testing

/// `plugin reload` and `set plugin.watch` in the built program.
@Suite("Reloading plugins")
struct ReloadTests {
  /// A folder with a copy of the shipped `pomodoro`.
  private func shell() throws -> Shell {
    let shell = try Shell()
    for file in ["plugin.json", "init.lua"] {
      let text = try #require(contents(ofFile: "\(Shell.packageFolder)/plugins/pomodoro/\(file)"))
      try shell.folder.write("pomodoro/\(file)", text)
    }
    return shell
  }

  private func run(_ shell: Shell, _ lines: String...) throws -> Shell.Outcome {
    let start = ["plugin load ./pomodoro", "dispatch pomodoro.start minutes=1 --quiet", "wait 10s"]
    return try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--keep-going",
      input: (start + lines).map { $0 + "\n" }.joined())
  }

  private static let loaded = """
    #1 shell.loadPlugin name="pomodoro" version="0.1.0"
      3 actions, 2 middleware, 1 command

    """

  /// Acceptance scenario 14, and the row of the failure table.
  @Test func aBrokenEditLeavesThePreviousVersionRunning() throws {
    let outcome = try run(
      try shell(), "echo | sed -i '39s/ = / == /' pomodoro/init.lua", "plugin reload pomodoro", "wait 5s",
      "pomodoro status")
    #expect(
      outcome
        == .init(
          output: Self.loaded + "work 00:45\n",
          errors: """
            stdin:5:1: error[plugin-load]: pomodoro: pomodoro/init.lua:39: syntax error near '=='
              plugin reload pomodoro
              hint: the previous version is still active
            1 of 7 commands failed

            """, status: 4))
  }

  /// The row of the failure table.
  @Test func aStateThatDoesNotFit() throws {
    let outcome = try run(
      try shell(), "wait 5s", "echo | sed -i '/\"left\"/s/int {[^}]*}/text()/' pomodoro/init.lua",
      "plugin reload pomodoro", "wait 5s", "pomodoro status", "plugin reload pomodoro --reset", "show pomodoro.left")
    #expect(
      outcome.errors == """
        stdin:6:1: error[plugin-schema]: pomodoro: the running state no longer fits: 'pomodoro.left' must be String, got number 45
          plugin reload pomodoro
          hint: add migrate(), or: plugin reload pomodoro --reset
        1 of 10 commands failed

        """)
    #expect(
      outcome.output == Self.loaded + """
        work 00:40
        #23 shell.reloadPlugin name="pomodoro" version="0.1.0"
          3 actions, 2 middleware, 1 command
        ""

        """)
  }

  @Test func whatIsSavedWhileALineIsTyped() throws {
    let shell = try shell()
    let terminal = try shell.prompt("--grant", "pomodoro")
    try terminal.enter("plugin load ./pomodoro")
    try terminal.enter("set plugin.watch on")
    terminal.type("show tas")
    try terminal.waitForCursorLine("stsh> show tas")
    let text = try #require(contents(ofFile: "\(shell.folder.path)/pomodoro/init.lua"))
    try shell.folder.write("pomodoro/init.lua", text.replacing("s.phase = \"rest\"", with: "s.phase == \"rest\""))
    try terminal.waitForLine("error[plugin-load]: pomodoro: pomodoro/init.lua:39: syntax error near '=='")
    try terminal.waitForLine("  hint: the previous version is still active")
    try terminal.waitForCursorLine("stsh> show tas")
    // Beside, then renamed.
    try shell.folder.write("pomodoro/.init.lua.swp", text.replacing("left - 1", with: "left - 2"))
    #expect(
      rename("\(shell.folder.path)/pomodoro/.init.lua.swp", "\(shell.folder.path)/pomodoro/init.lua") == 0)
    try terminal.waitForLine("[plugin.watch] #3 shell.reloadPlugin name=\"pomodoro\" version=\"0.1.0\"")
    try terminal.waitForLine("[plugin.watch]  state kept")
    try terminal.waitForCursorLine("stsh> show tas")
    terminal.type("ks\r")
    try terminal.waitForLine("nextId  1")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test func whatIsSavedDuringAWait() throws {
    let shell = try shell()
    let program = try shell.start(
      [
        "--grant", "pomodoro", "-c", "plugin load ./pomodoro", "-c", "set plugin.watch on", "-c",
        "echo > ready", "-c",
        "wait until #state.pomodoro.rounds == 1 --timeout 2min",
      ], descriptors: [])
    while contents(ofFile: "\(shell.folder.path)/ready") == nil { usleep(1000) }
    let text = try #require(contents(ofFile: "\(shell.folder.path)/pomodoro/init.lua"))
    try shell.folder.write(
      "pomodoro/init.lua",
      text.replacing(
        "return plugin {", with: "return plugin { on_load = \"finish\","
      ).replacing(
        "{ name = \"stop\" },", with: "{ name = \"stop\" }, { name = \"finish\" },"
      ).replacing(
        "reducers = {", with: "reducers = { finish = function(s) s.rounds[1] = 5 end,"))
    #expect(try program.waitForEnd() == 0)
  }

  @Test func theClockGoesOnWithTheNewVersion() throws {
    let outcome = try run(
      try shell(), "echo | sed -i 's/left - 1/left - 2/' pomodoro/init.lua", "plugin reload pomodoro", "effects",
      "wait 5s", "show pomodoro.left")
    #expect(
      outcome
        == .init(
          output: Self.loaded + """
            #13 shell.reloadPlugin name="pomodoro" version="0.1.0"
              state kept
            id                    wakes
            pomodoro/clock/ticks  in 1.0s
            40

            """))
  }
}
