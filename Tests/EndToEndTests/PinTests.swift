import TerminalSupport
import Testing

/// `pin` on a terminal: values that stay above the line while somebody types and actions arrive.
@Suite("Pinned values")
struct PinTests {
  @Test(arguments: [60, 200])
  func theyAreDrawnInTheirPlaceWhileSomebodyTypes(columns: Int) throws {
    let shell = try Shell()
    // Ten thousand actions a second, or as many as there is time for.
    try BrokenPlugin.write(
      "tick",
      """
      return plugin { state = { field("n", int()), field("total", decimal { scale = 2 }) },
        actions = { { name = "go", quiet = true } },
        reducers = { go = function(s) s.n, s.total = s.n + 1, s.total + decimal("0.05") end },
        middleware = { { name = "m", supervise = function()
          return { t = function(task)
            while true do
              task:sleep(0.01)
              for _ = 1, 100 do task:dispatch("go") end
            end
          end }
        end } } }
      """, to: shell,
      manifest: #"""
        { "name": "tick", "version": "0.1.0", "api": 1, "permissions": ["timers"], "limits": { "actions": 20000 } }
        """#)
    let terminal = try shell.prompt("--grant", "tick", columns: columns)
    let started = ContinuousClock.now
    try terminal.enter("plugin load bad/tick")
    terminal.type("pin tick.n tick.total $(#state.tasks.items)\r")
    func pinned(_ screen: TerminalScreen) -> Int? {
      screen.lines.last { $0.hasPrefix("tick.n  ") }.flatMap { Int($0.dropFirst("tick.n  ".count)) }
    }
    try terminal.wait(for: "a pinned value") { pinned($0) ?? 0 > 0 }
    try terminal.waitForCursorLine("stsh>")
    for word in ["dispatch", " tasks.add", " title=\"Buy", " milk\""] {
      let before = pinned(terminal.screen) ?? 0
      terminal.type(word)
      // The line is whole, and the values go on above it.
      try terminal.wait(for: "a value that was drawn again") {
        (pinned($0) ?? 0) > before && $0.lines.last?.hasSuffix(word) ?? false
      }
      #expect(terminal.screen.lines.count { $0.hasPrefix("tick.n  ") } == 1)
    }
    let line = "stsh> dispatch tasks.add title=\"Buy milk\""
    try terminal.wait(for: "the line") { $0.lines.last == line }
    let place = terminal.screen.lines.count
    #expect(terminal.screen.lines[place - 4].hasPrefix("tick.n  "))
    #expect(terminal.screen.lines[place - 3].hasPrefix("tick.total  "))
    #expect(terminal.screen.lines[place - 2] == "$(#state.tasks.items)  0")
    terminal.type("\r")
    try terminal.wait(for: "the task") { $0.lines.contains("$(#state.tasks.items)  1") }
    #expect(terminal.screen.lines.contains(line))
    // Ten times a second at most, and once more for each line.
    let text = String(decoding: terminal.output, as: UTF8.self)
    let drawn = text.split(separator: "tick.total  ").count - 1
    let seconds = Double((ContinuousClock.now - started).components.seconds) + 1
    #expect(Double(drawn) <= 10 * seconds + 4, "\(drawn) in \(seconds) s")
    #expect(drawn >= 4)
    terminal.type("pin --remove all\r")
    try terminal.wait(for: "a line without them") { screen in
      screen.lines.last == "stsh>" && !screen.lines.contains { $0.hasPrefix("tick.total  ") }
    }
    try terminal.enter("pin")
    #expect(terminal.screen.lines.suffix(2) == ["(no pins)", "stsh>"])
  }

  /// Behind Ctrl-Z and `fg` they are drawn anew below, and nothing of what others wrote is erased.
  @Test func theyAreDrawnAnewBehindAStop() throws {
    let shell = try Shell()
    var launch = shell.launch(["--norc", "--noediting"])
    launch.program = "/bin/bash"
    launch.environment["PS1"] = "sh> "
    launch.environment["TERM"] = "xterm"
    let terminal = try Terminal(launch, columns: 100)
    try terminal.waitForCursorLine("sh>")
    let program = try Launch.folderOfThisProgram() + "/stsh"
    terminal.type("\(program) --no-init\r")
    try terminal.waitForCursorLine("stsh>")
    terminal.type("pin counter.value counter.step\r")
    try terminal.wait(for: "the pins") { $0.lines.suffix(3) == ["counter.value  0", "counter.step  1", "stsh>"] }
    terminal.type("\u{1A}")
    try terminal.waitForCursorLine("sh>")
    terminal.type("echo of others 1; echo of others 2\r")
    try terminal.wait(for: "the lines of others") { $0.lines.suffix(3) == ["of others 1", "of others 2", "sh>"] }
    terminal.type("fg\r")
    try terminal.wait(for: "the pins again") { $0.lines.suffix(3) == ["counter.value  0", "counter.step  1", "stsh>"] }
    #expect(terminal.screen.lines.contains("of others 1") && terminal.screen.lines.contains("of others 2"))
    terminal.type("dispatch counter.increment --quiet\r")
    try terminal.wait(for: "the new value") { $0.lines.suffix(3) == ["counter.value  1", "counter.step  1", "stsh>"] }
    let lines = terminal.screen.lines
    #expect(lines.contains("of others 1") && lines.contains("of others 2"))
  }

  /// A script that makes them is a dashboard where a prompt follows it.
  @Test func aScriptBeforeThePromptMakesThem() throws {
    let shell = try Shell()
    try shell.folder.write("dashboard.stsh", "pin counter.value $(#state.tasks.items)\n")
    let terminal = try shell.prompt("-i", "dashboard.stsh")
    try terminal.wait(for: "the pins") {
      $0.lines.suffix(3) == ["counter.value  0", "$(#state.tasks.items)  0", "stsh>"]
    }
    terminal.type("dispatch tasks.add milk --quiet\r")
    try terminal.wait(for: "the new value") {
      $0.lines.suffix(3) == ["counter.value  0", "$(#state.tasks.items)  1", "stsh>"]
    }
  }

  @Test func theyAreForThePrompt() throws {
    let outcome = try Shell().run("-c", "pin", "-c", "pin counter.value")
    #expect(outcome.output == "(no pins)\n")
    #expect(outcome.errors.contains("error[not-allowed]: pin needs a prompt: it keeps values above the line"))
  }

  /// More than a third of the screen is cut.
  @Test func theyTakeAThirdOfTheScreen() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("lua for i = 1, 40 do dispatch('tasks.add', { title = 't' .. i }) end")
    terminal.clearScreen()
    terminal.type("pin tasks.items\r")
    try terminal.wait(for: "the rest in words") {
      $0.lines.contains { $0.hasPrefix("… ") && $0.hasSuffix("more lines") }
    }
    let lines = terminal.screen.lines
    let first = try #require(lines.lastIndex(of: "tasks.items"))
    #expect(lines.count - 1 - first == TerminalScreen.height / 3)
  }
}
