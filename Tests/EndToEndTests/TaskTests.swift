import TerminalSupport
import Testing

@Suite("Tasks of plugins")
struct TaskTests {
  /// Writes a plugin whose one middleware runs a task from the action `go` on.
  private func write(_ name: String, _ body: String, permissions: String = #""timers""#, to shell: Shell) throws {
    try BrokenPlugin.write(
      name,
      """
      return plugin {
        state = { field("on", bool()) }, actions = { { name = "go" } },
        reducers = { go = function(s) s.on = true end },
        middleware = { { name = "m", supervise = function(state)
          if state.\(name).on then return { x = function(task) \(body) end } end
        end } },
      }
      """, to: shell,
      manifest: #"{ "name": "\#(name)", "version": "0.1.0", "api": 1, "permissions": [\#(permissions)] }"#)
  }

  private static let ticker =
    "while true do task:sleep(0.05) task:dispatch('counter.increment') end"
  private static let ticking = #""timers", "dispatch:counter.increment""#

  /// The last row but one of the specification's table of failures.
  @Test func aTaskWithoutPermission() throws {
    let shell = try Shell()
    try write("pushy", "task:sleep(0.5) task:dispatch('tasks.remove', { id = 1 })", to: shell)
    let outcome = try shell.run(
      "--clock", "virtual", "--grant", "pushy", input: "plugin load bad/pushy\ndispatch pushy.go\nwait 1s\necho no\n")
    #expect(
      outcome
        == .init(
          output: """
            #1 shell.loadPlugin name="pushy" version="0.1.0"
              1 action, 1 middleware
            #2 pushy.go
              pushy.on  false -> true

            """,
          errors: """
            stdin:3:1: error[plugin-task]: pushy: task 'pushy/m/x' failed: may not dispatch 'tasks.remove'
              wait 1s
              task started by #2 pushy.go (stdin:2)
              hint: add "dispatch:tasks.remove" to permissions in plugin.json

            """, status: 1))
  }

  @Test func tasksRunOnTheRealClock() throws {
    let shell = try Shell()
    try write("ticker", Self.ticker, permissions: Self.ticking, to: shell)
    let outcome = try shell.run(
      "--grant", "ticker", "--quiet", "-c", "plugin load bad/ticker", "-c", "dispatch ticker.go", "-c",
      "wait until state.counter.value >= 3 --timeout 5min", "-c", "wait 1ms", "-c", "echo done")
    #expect(outcome == .init(output: "done\n"))
  }

  @Test func aWaitOfASecondOnTheRealClockTakesOne() throws {
    let shell = try Shell()
    let start = ContinuousClock.now
    #expect(try shell.run("-c", "wait 300ms").status == 0)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(try shell.run("-c", "wait until false --timeout 10ms").status == 5)
  }

  /// Acceptance scenario 9, with a faster clock.
  @Test func ticksAppearAboveTheLineThatIsTyped() throws {
    let shell = try Shell()
    try write("ticker", Self.ticker, permissions: Self.ticking, to: shell)
    let terminal = try shell.prompt("--grant", "ticker")
    try terminal.enter("plugin load bad/ticker")
    try terminal.enter("watch counter.value")
    terminal.type("dispatch ticker.go\r")
    terminal.type("show tas")
    for n in 1...3 {
      try terminal.waitForLine("[watch 1] counter.value  \(n - 1) -> \(n)  (#\(n + 2) counter.increment)")
    }
    try terminal.wait(for: "the line that is typed") { $0.cursorLine == "stsh> show tas" && $0.column == 14 }
    terminal.type("ks\r")
    try terminal.waitForLine("nextId  1")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test func aFailureWhileALineIsTypedIsReportedAboveIt() throws {
    let shell = try Shell()
    try write("pushy", "task:sleep(0.05) task:dispatch('tasks.remove', { id = 1 })", to: shell)
    let terminal = try shell.prompt("--grant", "pushy")
    try terminal.enter("plugin load bad/pushy")
    terminal.type("dispatch pushy.go\rshow tas")
    try terminal.waitForLine("  task started by #2 pushy.go (repl:2)")
    try terminal.waitForCursorLine("stsh> show tas")
  }

  @Test func ctrlCEndsAWait() throws {
    let shell = try Shell()
    try write("ticker", Self.ticker, permissions: Self.ticking, to: shell)
    let terminal = try shell.prompt("--grant", "ticker")
    try terminal.enter("plugin load bad/ticker")
    terminal.type("dispatch ticker.go\rwatch counter.value\rwait 1h\r")
    // A tick that is seen without a prompt below it: the wait is on.
    try terminal.wait(for: "a tick during the wait") {
      $0.cursorLine == "" && $0.lines.dropLast().last?.hasPrefix("[watch 1] ") == true
    }
    terminal.type("\u{3}")
    try terminal.waitForLine("error[interrupted]: stopped by Ctrl-C")
    try terminal.waitForCursorLine("stsh>")
    terminal.type("quit\r")
    #expect(try terminal.waitForEnd() == 0)
  }
}
