import TerminalSupport
import Testing

/// What people expect of a prompt who know other shells.
@Suite("Habits at the prompt")
struct PromptHabitTests {
  @Test func theFirstLineSaysWhereTheSessionIsKept() throws {
    let shell = try Shell()
    let terminal = try Terminal(shell.launch(["--no-init"]), columns: 200)
    try terminal.waitForCursorLine("stsh>")
    #expect(terminal.text.hasPrefix("stsh 0.1.0; kept in ~/.local/state/stsh/sessions; help explains, Ctrl-D leaves\n"))
  }

  @Test func keptSessionsAreListedAndOpenedAgain() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch tasks.add milk")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    let list = try shell.run("-c", "sessions").output
    #expect(list.contains("in order  1        tasks.add title=\"milk\""))
    #expect(try shell.run("--session", "1", "-c", "show tasks.summary").output == "\"0 of 1 done\"\n")
    #expect(try shell.run("--session", "7", "-c", "echo x").errors.contains("there is no kept session 7"))
    #expect(try shell.run("--recover=1", "-c", "echo x").errors.contains("error[nothing-to-recover]"))
  }

  @Test func upFindsLinesThatBeginAsTyped() throws {
    let terminal = try Shell().prompt()
    try terminal.enter("echo one")
    try terminal.enter("show counter.value")
    terminal.type("ec\u{1B}[A\r")
    try terminal.wait(for: "the line again") { $0.lines.count { $0 == "one" } == 2 }
  }

  @Test func linesTypedAheadOfAQuestionWait() throws {
    let terminal = try Shell().prompt()
    terminal.type("plugin load pomodoro\recho \"Ahead of it\"\r")
    try terminal.wait(for: "the question again") { screen in
      screen.lines.count { $0.hasPrefix("Allow? [y]es") } == 2
    }
    terminal.type("q\r")
    try terminal.wait(for: "the question once more") { screen in
      screen.lines.count { $0.hasPrefix("Allow? [y]es") } == 3
    }
    terminal.type("n\r")
    try terminal.waitForLine("Ahead of it")
  }

  @Test func aRefusedDoorLeavesNoLock() throws {
    let shell = try Shell()
    try shell.folder.write("plain", "")
    #expect(try shell.run("--listen", "./plain", "-c", "echo x").status != 0)
    #expect(!names(inFolder: shell.folder.path).contains("plain.lock"))
  }

  @Test func aPluginIsLoadedByItsName() throws {
    let shell = try Shell()
    #expect(try shell.run("-p", "ledger", "-c", "describe ledger > /dev/null").status == 0)
    let list = try shell.run("-c", "plugin list --available").output
    #expect(list.contains("ledger ") && list.contains("pomodoro "))
  }
}
