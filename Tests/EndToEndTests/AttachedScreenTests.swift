import TerminalSupport
import Testing

/// What an attached prompt draws of a store that is elsewhere.
@Suite("The screen of an attached prompt")
struct AttachedScreenTests {
  @Test(arguments: [60, 200]) func aResultIsDrawnInItsPlaceUntilAKey(columns: Int) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt(["--attach", server.path], environment: [:], columns: columns)
    terminal.clearScreen()
    terminal.type("show counter --every 100ms\r")
    try terminal.wait(for: "a value") { $0.lines.contains { $0.hasPrefix("value  0") } }
    #expect(try shell.run("--attach", server.path, "-c", "dispatch counter.increment by=7 --quiet").status == 0)
    try terminal.wait(for: "the value that another made") { $0.lines.contains { $0.hasPrefix("value  7") } }
    // It stands there once, with the time and the way to leave it below.
    #expect(terminal.screen.lines.count { $0.hasPrefix("value  ") } == 1)
    #expect(terminal.screen.picture.contains { $0.contains(/^<2>\d\d:\d\d:\d\d  any key leaves<>$/) })
    terminal.type("x")
    try terminal.waitForCursorLine("stsh>")
    // The key was no part of the next line.
    try terminal.enter("echo done")
    #expect(terminal.screen.lines.suffix(2) == ["done", "stsh>"])
    terminal.type("show counter --every 100ms\r")
    try terminal.wait(for: "a value") { $0.lines.count { $0.hasPrefix("value  7") } == 2 }
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("= 41 + 1")
    #expect(terminal.screen.lines.suffix(2) == ["42", "stsh>"])
  }

  @Test func theLogIsFollowedUntilAKey() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt("--attach", server.path)
    try terminal.enter("dispatch counter.increment --quiet")
    terminal.type("log --follow\r")
    try terminal.wait(for: "the head of the log") { $0.lines.contains { $0.hasPrefix("n ") } }
    #expect(try shell.run("--attach", server.path, "-c", "dispatch tasks.add milk --quiet").status == 0)
    try terminal.wait(for: "another's action") { $0.lines.contains { $0.contains("tasks.add title=\"milk\"") } }
    terminal.type("q")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("echo done")
    #expect(terminal.screen.lines.suffix(2) == ["done", "stsh>"])
  }

  @Test func valuesStayAboveTheLine() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt("--attach", server.path)
    terminal.type("pin counter.value $(#state.tasks.items)\r")
    try terminal.wait(for: "the pinned values") { screen in
      screen.lines.contains("counter.value  0") && screen.lines.contains("$(#state.tasks.items)  0")
    }
    terminal.type("dispatch tasks.add title=\"Buy")
    try terminal.wait(for: "the line") { $0.lines.last?.hasSuffix("\"Buy") == true }
    for count in 1...3 {
      #expect(
        try shell.run(
          "--attach", server.path, "-c", "dispatch counter.increment --quiet", "-c", "dispatch tasks.add x --quiet"
        ).status == 0)
      // The line that is typed stays whole below them.
      try terminal.wait(for: "what another made") { screen in
        screen.lines.suffix(3).prefix(2) == ["counter.value  \(count)", "$(#state.tasks.items)  \(count)"]
          && screen.lines.last == "stsh> dispatch tasks.add title=\"Buy"
      }
    }
    terminal.type(" milk\"\r")
    try terminal.wait(for: "the own task") { $0.lines.contains("$(#state.tasks.items)  4") }
    terminal.type("pin --remove all\r")
    try terminal.wait(for: "a line without them") { screen in
      screen.lines.last == "stsh>" && !screen.lines.suffix(3).contains { $0.hasPrefix("counter.value  ") }
    }
    try terminal.enter("pin")
    #expect(terminal.screen.lines.suffix(2) == ["(no pins)", "stsh>"])
  }

  /// A script before an attached prompt is a dashboard, as here; so are commands.
  @Test(arguments: [["-i", "dashboard.stsh"], ["-i", "-c", "pin counter.value $(#state.tasks.items)"]])
  func aScriptBeforeThePromptPinsValues(_ arguments: [String]) throws {
    let shell = try Shell()
    try shell.folder.write("dashboard.stsh", "pin counter.value $(#state.tasks.items)\necho pinned\n")
    let server = try Server(shell)
    let terminal = try shell.prompt(["--attach", server.path] + arguments, environment: [:])
    try terminal.wait(for: "the pins") {
      $0.lines.suffix(3) == ["counter.value  0", "$(#state.tasks.items)  0", "stsh>"]
    }
    #expect(try shell.run("--attach", server.path, "-c", "dispatch tasks.add milk --quiet").status == 0)
    try terminal.wait(for: "the value that another made") {
      $0.lines.suffix(3) == ["counter.value  0", "$(#state.tasks.items)  1", "stsh>"]
    }
  }

  @Test func withoutAScreenNothingIsDrawn() throws {
    let shell = try Shell()
    let server = try Server(shell)
    for line in ["pin counter.value", "show counter --every 1s"] {
      let done = try shell.run("--attach", server.path, "-c", line)
      #expect(done.status != 0 && done.errors.contains("not-allowed"), "\(done)")
    }
  }
}
