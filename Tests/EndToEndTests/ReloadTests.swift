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
