import Glibc
import TerminalSupport
import Testing

/// Prompts whose store goes away and comes back.
@Suite("A connection that comes back")
struct ReconnectionTests {
  private static let gone = "variables, settings, use and the look at the past are as in a new conversation"

  @Test func watchesAndPinsAreAsTheyWere() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    for line in [
      "let n = 4", "watch counter.step", "watch counter.value --max 900/s", "watch stop 1",
      "watch tasks.items where done --all", "watch $(state.counter.value * 2)",
      "pin counter.value $(#state.tasks.items)",
      "dispatch counter.increment by=$n --quiet",
    ] { try terminal.enter(line) }
    terminal.type("dispatch tasks.add \"Buy")
    try terminal.wait(for: "the line") { $0.cursorLine.hasSuffix("\"Buy") }
    #expect(try server.end(by: SIGKILL) == 137)
    // The line that is typed stays.
    try terminal.waitForCursorLine("stsh (lost)> dispatch tasks.add \"Buy")
    #expect(terminal.screen.lines.contains("note: the connection is tried again for 60s; Ctrl-D leaves"))
    terminal.clearScreen()
    terminal.type("\r")
    try terminal.wait(for: "a refusal") { $0.lines.contains("error[connection-lost]: \(server.path) is not back yet") }
    terminal.type(" milk\"")
    let again = try Server(shell, "--store", "kept.db")
    try terminal.waitForCursorLine("stsh> dispatch tasks.add \"Buy milk\"")
    let back = terminal.screen.lines.drop { $0 != "note: \(server.path) is back; \(Self.gone)" }
    #expect(
      back.dropFirst().prefix(3) == [
        "watch 2: counter.value = 4", "watch 3: tasks.items = []", "watch 4: $(state.counter.value * 2) = 8",
      ], "\(terminal.screen.lines)")
    try terminal.wait(for: "the pins") { screen in
      screen.lines.suffix(3).prefix(2) == ["counter.value  4", "$(#state.tasks.items)  0"]
    }
    terminal.type("\r")
    try terminal.wait(for: "the task") { $0.lines.contains("$(#state.tasks.items)  1") && $0.cursorLine == "stsh>" }
    #expect(
      try shell.run(
        "--attach", server.path, "-c", "dispatch counter.increment --quiet", "-c", "dispatch tasks.complete 1"
      )
      .status == 0)
    try terminal.wait(for: "what others did") { screen in
      ["[watch 2] counter.value  4 -> 5", "[watch 3] tasks.items", "[watch 4] $(state.counter.value * 2)  8 -> 10"]
        .allSatisfy { start in screen.lines.contains { $0.hasPrefix(start) } }
    }
    terminal.type("echo $n\r")
    try terminal.wait(for: "a refusal") { $0.lines.contains { $0.hasPrefix("error[unknown-variable]") } }
    #expect(again.process != server.process)
  }

  /// The file that the prompt starts with sets the new conversation up, too, and begins no watch a second time.
  @Test func whatThePromptStartsWithIsThereAgain() throws {
    let shell = try Shell()
    try shell.folder.write(
      "home/.config/stsh/init.stsh", "alias up = dispatch counter.increment\nwatch counter.value\n")
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    for line in ["up --quiet", "watch counter.step"] { try terminal.enter(line) }
    #expect(try server.end(by: SIGKILL) == 137)
    try terminal.waitForCursorLine("stsh (lost)>")
    let again = try Server(shell, "--store", "kept.db")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("up --quiet")
    try terminal.enter("dispatch counter.setStep 2 --quiet")
    try terminal.enter("watch")
    let told = terminal.screen.lines.filter { $0.hasPrefix("[watch ") }
    #expect(
      told == [
        "[watch 1] counter.value  0 -> 1  (#1 counter.increment)",
        "[watch 1] counter.value  1 -> 2  (#2 counter.increment)",
        "[watch 2] counter.step  1 -> 2  (#3 counter.setStep)",
      ], "\(terminal.screen.lines)")
    #expect(again.process != server.process)
  }

  /// A server that was opened again may run newer code of a plugin, which no action says: each who comes is told, until one does.
  @Test func whoComesIsToldOfCodeThatHasChanged() throws {
    let shell = try Shell()
    func code(_ step: Int) throws {
      try shell.folder.write("v/plugin.json", #"{"name":"v","version":"0.1.0","api":1,"permissions":[]}"#)
      try shell.folder.write(
        "v/init.lua",
        "return plugin { state = { field('n', int()) }, actions = { { name = 'add' } }, "
          + "reducers = { add = function(s) s.n = s.n + \(step) end } }\n")
    }
    try code(1)
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt(["--attach", server.path], environment: [:], columns: 200)
    for line in ["plugin load ./v", "dispatch v.add --quiet"] { try terminal.enter(line) }
    #expect(try server.end(by: SIGKILL) == 137)
    try terminal.waitForCursorLine("stsh (lost)>")
    try code(10)
    let again = try Server(shell, "--store", "kept.db")
    let note = "note: the code of v has changed since #2, without an action; new actions run the new code"
    try terminal.wait(for: "the note") { $0.lines.contains(note) && $0.cursorLine == "stsh>" }
    let other = try shell.prompt(["--attach", again.path], environment: [:], columns: 200)
    try other.wait(for: "the note") { $0.lines.contains(note) && $0.cursorLine == "stsh>" }
    try other.enter("dispatch v.add --quiet")
    try other.enter("plugin reload v")
    try other.enter("show v.n")
    #expect(other.screen.lines.suffix(2) == ["11", "stsh>"])
    let last = try shell.prompt(["--attach", again.path], environment: [:], columns: 200)
    try last.enter("echo done")
    #expect(!last.screen.lines.contains(note), "\(last.screen.lines)")
    #expect(again.process != server.process)
  }

  /// What ran when the connection was lost is not sent again, and what was typed of it is not forgotten.
  @Test func nothingIsSentTwice() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    terminal.type("lua dispatch('counter.increment', { by = 3 }) command('wait 1h')\r")
    try server.waitUntilRuns("wait 1h", shell)
    _ = try server.end(by: SIGKILL)
    try terminal.waitForCursorLine("stsh (lost)>")
    #expect(
      terminal.screen.lines.contains { line in
        line.hasPrefix("  no answer came to: lua dispatch(") && line.hasSuffix("whether it ran is not known here")
      })
    let again = try Server(shell, "--store", "kept.db")
    try terminal.waitForCursorLine("stsh>")
    #expect(terminal.screen.lines.contains("note: \(server.path) is back, with 1 action more; \(Self.gone)"))
    try terminal.enter("show counter.value")
    #expect(terminal.screen.lines.suffix(2) == ["3", "stsh>"])
    _ = again
  }

  /// A run of `atomic` is over with its connection: nothing is dispatched outside of it before the person leaves it.
  @Test func aLostRunIsNamed() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    for line in ["dispatch counter.increment --quiet", "atomic begin", "dispatch counter.increment --quiet"] {
      try terminal.enter(line)
    }
    _ = try server.end(by: SIGKILL)
    try terminal.waitForCursorLine("stsh (lost)>")
    let again = try Server(shell, "--store", "kept.db")
    try terminal.waitForLine(
      "note: the run that began on line 2 is lost; log tells what of it was taken back, and atomic end leaves it")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("dispatch counter.increment")
    let refusal = "error[not-allowed]: the run was lost with the connection, and nothing is dispatched"
    #expect(terminal.screen.lines.contains(refusal), "\(terminal.screen.lines)")
    try terminal.enter("atomic end")
    #expect(terminal.screen.lines.contains("error[failed]: the run was lost with the connection"))
    try terminal.enter("dispatch counter.increment --quiet")
    try terminal.enter("show counter.value")
    #expect(terminal.screen.lines.suffix(2) == ["2", "stsh>"])
    _ = again
  }

  /// Whoever leaves by Ctrl-D in a run is told what becomes of it.
  @Test func whoLeavesInARunIsTold() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    for line in ["echo", "atomic begin", "dispatch counter.increment --quiet"] { try terminal.enter(line) }
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    for line in [
      "note: #2 takes back 1 action, since no atomic end came",
      "error[syntax]: a run began on line 2, and no line ends it",
    ] { #expect(terminal.screen.lines.contains(line), "\(terminal.screen.lines)") }
  }

  /// A statement whose first lines were given before the loss is given whole.
  @Test func anOpenStatementGoesOn() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", server.path)
    terminal.type("lua for i = 1, 2 do\r")
    try terminal.waitForCursorLine("lua>")
    _ = try server.end(by: SIGTERM)
    try terminal.waitForLine("note: the connection is tried again for 60s; Ctrl-D leaves")
    let again = try Server(shell, "--store", "kept.db")
    try terminal.wait(for: "the store") { $0.lines.contains("note: \(server.path) is back; \(Self.gone)") }
    terminal.type("print(40 + i)\r")
    try terminal.waitForCursorLine("lua>")
    terminal.type("end\r")
    try terminal.waitForCursorLine("stsh>")
    #expect(terminal.screen.lines.suffix(3) == ["41", "42", "stsh>"])
    _ = again
  }

  @Test(arguments: [true, false]) func anotherStoreEndsIt(isShorter: Bool) throws {
    let shell = try Shell()
    try #require(try shell.run("--store", "old.db", "-c", "dispatch counter.increment").status == 0)
    if isShorter { #expect(try shell.runInShell("cp old.db kept.db").status == 0) }
    let first = try Server(shell, "--store", "kept.db")
    let terminal = try shell.prompt("--attach", first.path)
    try terminal.enter("dispatch counter.increment --quiet")
    _ = try first.end(by: SIGKILL)
    if isShorter { #expect(try shell.runInShell("rm kept.db*; cp old.db kept.db").status == 0) }
    let again = try Server(shell, "--store", isShorter ? "kept.db" : "old.db")
    #expect(try terminal.waitForEnd() == 6)
    let reason =
      isShorter
      ? "the log of the store at \(first.path) ends at #1 now, and had come to #2"
      : "another store is at \(first.path) now"
    #expect(terminal.screen.lines.contains("error[connection-lost]: \(reason)"), "\(terminal.screen.lines)")
    _ = again
  }
}
