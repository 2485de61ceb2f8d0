import TerminalSupport
import Testing

/// `show … --every` on a terminal.
@Suite("A result that is drawn again")
struct RedrawTests {
  @Test(arguments: [60, 200])
  func itIsDrawnInItsPlaceUntilAKey(columns: Int) throws {
    let shell = try Shell()
    try BrokenPlugin.write(
      "tick",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go", quiet = true } },
        reducers = { go = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", supervise = function()
          return { t = function(task) while true do task:sleep(0.05) task:dispatch("go") end end }
        end } } }
      """, to: shell, manifest: #"{ "name": "tick", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#)
    let terminal = try shell.prompt("--grant", "tick", columns: columns)
    try terminal.enter("plugin load bad/tick")
    terminal.clearScreen()
    terminal.type("show tick --every 100ms\r")
    try terminal.wait(for: "a value that was drawn again") { screen in
      screen.lines.contains { $0.hasPrefix("n  ") && (Int($0.dropFirst(3)) ?? 0) > 8 }
    }
    // It stands there once.
    #expect(terminal.screen.lines.count { $0.hasPrefix("n  ") } == 1)
    terminal.type("x")
    try terminal.waitForCursorLine("stsh>")
    // The key was no part of the next line.
    try terminal.enter("echo done")
    #expect(terminal.screen.lines.suffix(2) == ["done", "stsh>"])
    terminal.type("show tick --every 100ms\r")
    try terminal.wait(for: "a value") { $0.lines.count { $0.hasPrefix("n  ") } == 2 }
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
  }

  /// A program that is stopped leaves the terminal as it was, also to a shell that sets no modes of its own, and goes on behind that.
  @Test(arguments: ["/bin/bash", "/bin/dash"], ["show counter --every 100ms", "log --follow"])
  func itGoesOnBehindAStop(path: String, statement: String) throws {
    for isAttached in [false, true] { try goOnBehindAStop(path, statement, isAttached) }
  }

  private func goOnBehindAStop(_ path: String, _ statement: String, _ isAttached: Bool) throws {
    let shell = try Shell()
    let server = try isAttached ? Server(shell) : nil
    var launch = shell.launch(path.hasSuffix("bash") ? ["--norc", "--noediting"] : ["-i"])
    launch.program = path
    launch.environment["PS1"] = "sh> "
    launch.environment["TERM"] = "xterm"
    let terminal = try Terminal(launch, columns: 100)
    try terminal.waitForCursorLine("sh>")
    let program = try Launch.folderOfThisProgram() + "/stsh"
    terminal.type("\(program)\(server.map { " --attach \($0.path)" } ?? "")\r")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("dispatch counter.increment")
    func showsIt(_ screen: TerminalScreen) -> Bool {
      screen.lines.contains { $0.hasPrefix("value ") || $0.hasPrefix("#1") && $0.contains("counter.value") }
    }
    terminal.type("\(statement)\r")
    try terminal.wait(for: "the statement") { showsIt($0) && $0.cursorLine == "" }
    try terminal.waitForKeys(true)
    for _ in 1...2 {
      terminal.type("\u{1A}")
      try terminal.waitForCursorLine("sh>")
      #expect(terminal.isInUsualMode)
      terminal.clearScreen()
      terminal.type("fg\r")
      if statement.hasPrefix("show") { try terminal.wait(for: "a value below", until: showsIt) }
      try terminal.waitForKeys(true)
    }
    terminal.type("q")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("= 41 + 1")
    #expect(terminal.screen.lines.suffix(2) == ["42", "stsh>"])
  }
}
