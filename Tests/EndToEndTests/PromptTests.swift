import Glibc
import TerminalSupport
import Testing

@Suite("The prompt")
struct PromptTests {
  @Test func ctrlCDropsAHalfTypedLine() throws {
    let terminal = try Shell().prompt()
    terminal.type("dispatch tasks.ad")
    try terminal.waitForCursorLine("stsh> dispatch tasks.ad")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("show counter.value")
    #expect(
      terminal.screen.lines == ["stsh> dispatch tasks.ad^C", "stsh> show counter.value", "0", "stsh>"])
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test func ctrlCOnAnEmptyLineSaysHowToLeave() throws {
    let terminal = try Shell().prompt()
    terminal.type("\u{3}")
    try terminal.waitForLine("(Ctrl-D or quit leaves)")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("echo still here")
    #expect(terminal.screen.lines.suffix(2) == ["still here", "stsh>"])
  }

  @Test func ctrlCDropsAnOpenContinuation() throws {
    let terminal = try Shell().prompt()
    terminal.type("dispatch tasks.add title=\"oops\r")
    try terminal.waitForCursorLine("  \">")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("show tasks.items --json")
    #expect(terminal.screen.lines.suffix(2) == ["[]", "stsh>"])
  }

  @Test func tabCompletesVerbsActionsAndPaths() throws {
    let terminal = try Shell().prompt()
    terminal.type("dis\t")
    try terminal.waitForCursorLine("stsh> dispatch")
    terminal.type("counter.i\t")
    try terminal.wait(for: "a complete action and a space") {
      $0.cursorLine == "stsh> dispatch counter.increment" && $0.column == 33
    }
    terminal.type("\t")
    try terminal.waitForLine("counter.increment by:Int?")
    try terminal.waitForCursorLine("stsh> dispatch counter.increment")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    terminal.type("show tasks.it\t")
    try terminal.waitForCursorLine("stsh> show tasks.items")
  }

  @Test func whatACommandPrintsBeforeItWaitsIsSeen() throws {
    let shell = try Shell()
    try BrokenPlugin.write(
      "slow",
      """
      return plugin { commands = { { name = "go", run = function(_, cmd)
        cmd:print("begun")
        cmd:wait(3600)
      end } } }
      """, to: shell)
    let terminal = try shell.prompt()
    try terminal.enter("plugin load bad/slow")
    terminal.type("slow go\r")
    try terminal.waitForLine("begun")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
  }

  @Test func tabCompletesArguments() throws {
    let terminal = try Shell().prompt()
    terminal.type("dispatch tasks.add t\t")
    try terminal.waitForCursorLine("stsh> dispatch tasks.add title=")
  }

  @Test(arguments: [("echo \"a", "  \">"), ("echo $(1 +", "  (>"), ("= (1 +", "lua>")])
  func aContinuationSaysWhatIsOpen(line: String, prompt: String) throws {
    let terminal = try Shell().prompt()
    terminal.type(line + "\r")
    try terminal.waitForCursorLine(prompt)
  }

  @Test func anErrorDoesNotRepeatTheLineWhereItHasNoCaret() throws {
    let terminal = try Shell().prompt()
    try terminal.enter("assert state.counter.value == 8 -- counter should be 8")
    #expect(
      terminal.screen.lines.dropFirst() == [
        "error[assert-failed]: counter should be 8", "  left   state.counter.value = 0", "  right  8 = 8", "stsh>",
      ])
  }

  @Test func theHistoryIsKeptForTheNextSession() throws {
    let shell = try Shell()
    let first = try shell.prompt()
    try first.enter("dispatch counter.increment")
    first.type("\u{4}")
    #expect(try first.waitForEnd() == 0)
    let file = shell.folder.path + "/home/.local/state/stsh/history"
    #expect(contents(ofFile: file)?.contains("\ndispatch counter.increment\n") == true)

    let second = try shell.prompt()
    second.type("\u{10}")
    try second.waitForCursorLine("stsh> dispatch counter.increment")
  }

  /// Only root can become a user of whom the system knows nothing.
  @Test(.enabled(if: getuid() == 0)) func withoutAHomeFolderWhatHappensIsKeptInMemory() throws {
    var launch = Launch(program: "/usr/bin/setpriv")
    launch.arguments = ["--reuid=54321", "--regid=54321", "--clear-groups", try Launch.path(of: "stsh")]
    launch.environment = ["PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8", "INPUTRC": "/dev/null"]
    launch.folder = "/"
    let terminal = try Terminal(launch, columns: 200)
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("dispatch counter.increment")
    try terminal.enter("source ~/none")
    try terminal.enter("plugin grant pomodoro")
    try terminal.enter("history")
    #expect(
      terminal.text == """
        note: there is no home folder, so history, grants and journal are kept in memory only; \
        set HOME or XDG_STATE_HOME
        stsh 0.1.0; kept in memory only; help explains, Ctrl-D leaves
        stsh> dispatch counter.increment
        #1 counter.increment
          counter.value  0 -> 1
        stsh> source ~/none
        error[no-such-file]: ~/none: No such file or directory
          source ~/none
                 ^~~~~~
          hint: there is no home folder: set HOME
        stsh> plugin grant pomodoro
        granted to pomodoro: read:tasks, dispatch:tasks.complete, timers
        stsh> history
        dispatch counter.increment
        source ~/none
        plugin grant pomodoro
        history
        stsh>\(" ")
        """)
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test(arguments: [("clear", "Ctrl-L clears the screen"), ("exit", "quit leaves")])
  func aCommandOfAnotherShellHasAHint(line: String, hint: String) throws {
    let terminal = try Shell().prompt()
    try terminal.enter(line)
    #expect(terminal.screen.lines.suffix(2) == ["  hint: \(hint)", "stsh>"])
  }

  @Test func quitLeavesWithItsStatus() throws {
    let terminal = try Shell().prompt()
    terminal.type("quit 4\r")
    #expect(try terminal.waitForEnd() == 4)
    #expect(terminal.isInUsualMode)
  }

  @Test func aFailedCommandDoesNotChangeTheStatusOfTheSession() throws {
    let terminal = try Shell().prompt()
    try terminal.enter("dispatch counter.incremnt")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test func aScriptMayEndAtAPrompt() throws {
    let shell = try Shell()
    try shell.folder.write("start.stsh", "dispatch counter.increment\n")
    let terminal = try shell.prompt("-i", "start.stsh")
    try terminal.enter("show counter.value")
    #expect(
      terminal.screen.lines == [
        "#1 counter.increment", "  counter.value  0 -> 1", "stsh> show counter.value", "1", "stsh>",
      ])
  }
}
