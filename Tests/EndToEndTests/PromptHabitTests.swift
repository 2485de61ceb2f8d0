import Glibc
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

  /// `--recover=N` opens the session that `sessions` lists as N, if it ended unexpectedly.
  @Test func aSessionIsRecoveredByItsNumber() throws {
    let shell = try Shell()
    for title in ["milk", "tea"] {
      let terminal = try shell.prompt()
      try terminal.enter("dispatch tasks.add \(title)")
      terminal.signal(SIGKILL)
      _ = try terminal.waitForEnd()
    }
    let last = try shell.prompt()
    try last.enter("dispatch tasks.add bread")
    last.type("\u{4}")
    #expect(try last.waitForEnd() == 0)
    let rows = try shell.run("-c", "sessions").output.split(separator: "\n").dropFirst()
    #expect(rows.map { $0.contains("in order") } == [true, false, false])
    #expect(rows.map { $0.split(separator: "=").last.map(String.init) } == ["\"bread\"", "\"tea\"", "\"milk\""])
    func titles(_ number: Int) throws -> String {
      try shell.run("--recover=\(number)", "--read-only", "-c", "show tasks.items[*].title --as json").output
    }
    #expect(try titles(2) == "[\"tea\"]\n")
    #expect(try titles(3) == "[\"milk\"]\n")
    for number in [1, 4] {
      let refused = try shell.run("--recover=\(number)", "-c", "echo x")
      #expect(refused.status == 2 && refused.errors.contains("hint: the command sessions lists them"))
    }
  }

  /// The hint behind what is typed is the newest line that went on from there and did not fail, also of earlier sessions.
  @Test func aLineThatFailedIsNotOfferedInALaterSession() throws {
    let shell = try Shell()
    let first = try shell.prompt()
    try first.enter("show counter.value")
    try first.enter("show counter.valeu")
    first.type("\u{4}")
    #expect(try first.waitForEnd() == 0)
    let second = try shell.prompt()
    second.type("show counter.v")
    try second.waitForPicture(["stsh> <34>show<> counter.v<2>alue<>"])
  }

  /// `! LINE` at an attached prompt runs here, and what it may not do there is no matter of the store's.
  @Test func anAttachedPromptRunsLinesByTheUsersShell() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt("--attach", server.path)
    try terminal.enter("! echo here > written; echo done-$((40 + 2))")
    #expect(terminal.screen.lines.contains("done-42"))
    #expect(contents(ofFile: shell.folder.path + "/written") == "here\n")
    try terminal.enter("! exit 3")
    #expect(terminal.screen.lines.contains { $0.contains("error[program-failed]: exit 3 ended with status 3") })
    try terminal.enter("dispatch counter.increment --quiet")
    try terminal.enter("! !!")
    #expect(try shell.run("--attach", server.path, "-c", "show counter.value").output == "1\n")
    let refused = try shell.prompt("--attach", server.path, "--no-exec")
    try refused.enter("! echo no > refused")
    #expect(refused.screen.lines.contains { $0.contains("programs may not be run here (--no-exec)") })
    #expect(contents(ofFile: shell.folder.path + "/refused") == nil)
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
