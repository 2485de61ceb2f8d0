import Testing

@testable import StoreShell

/// Waiting beside tasks of plugins, on a virtual clock.
@Suite struct TaskWaitTests {
  @Test func waitingForACondition() throws {
    let shell = try TaskTests().shell(TaskTests.clock)
    _ = try shell.type("dispatch p.go")
    #expect(try shell.type("wait until state.p.ticks == 3", "show p.ticks").output == "3\n")
    #expect(shell.session.store.live.clock.now == .seconds(3))
    #expect(try shell.type("wait until state.p.ticks == 3") == .init())
    #expect(try shell.type("wait until state.p.ticks == 6 --timeout 3s") == .init())
    let late = try shell.type("wait until state.p.ticks == 10 --timeout 3s")
    #expect(late == .init(errors: "error[timed-out]: state.p.ticks == 10 was still false after 3.0s\n", status: 5))
    #expect(try shell.type("show p.ticks").output == "9\n")
    #expect(try shell.type("wait until state.p.tocks").errors.hasPrefix("error[lua-error]: "))
  }

  @Test func waitingUntilNothingRuns() throws {
    let shell = try TaskTests().shell(TaskTests.clock)
    #expect(try shell.type("wait idle") == .init())
    _ = try shell.type("dispatch p.go")
    #expect(
      try shell.type("wait idle --timeout 90s")
        == .init(
          errors: "error[timed-out]: 1 task still running after 90.0s\n  p/clock/ticks\n", status: 5))
    #expect(try shell.type("show p.ticks").output == "90\n")
  }

  @Test func waitingForWhatNeverComes() throws {
    let shell = try TaskTests().shell(
      """
      { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
        task:wait_for("halt")
      end } end end },
      """)
    _ = try shell.type("dispatch p.go")
    let outcome = try shell.type("wait idle")
    #expect(outcome.errors == "error[timed-out]: 1 task still running, and nothing waits for the clock\n  p/m/x\n")
    #expect(outcome.status == 5)
    #expect(try shell.type("dispatch p.halt --quiet", "wait idle") == .init())
  }

  @Test func waitingBesideATaskThatNeverEnds() throws {
    let shell = try TaskTests().shell(TaskTests.clock)
    _ = try shell.type("dispatch p.go")
    let endless =
      "after 20000 moves of the virtual clock\n  p/clock/ticks\n  hint: --timeout DURATION says how long to wait\n"
    #expect(
      try shell.type("wait idle") == .init(errors: "error[timed-out]: 1 task still running \(endless)", status: 5))
    #expect(
      try shell.type("wait until state.p.ticks < 0")
        == .init(errors: "error[timed-out]: state.p.ticks < 0 was still false \(endless)", status: 5))
    // With a limit that is waited for, however often the clock moves.
    #expect(try shell.type("wait 30000s") == .init())
  }

  @Test func manyTasksThatEndAreWaitedFor() throws {
    let shell = try TaskTests().shell(
      """
      { name = "m", on = { "go", "tick" }, after = function(action, ctx)
        local n = ctx.state.p.ticks
        if n < 25000 then ctx:task("t" .. n % 5000, function(task) task:sleep(0.001) task:dispatch("tick") end) end
      end },
      """)
    #expect(try shell.type("dispatch p.go --quiet", "wait idle", "show p.ticks").output.hasSuffix("25000\n"))
  }

  @Test func waitsNeitherJumpTooFarNorTooShort() throws {
    let shell = try TaskTests().shell(TaskTests.clock)
    _ = try shell.type("dispatch p.go")
    #expect(try shell.type("wait 999ms", "show p.ticks", "wait 1ms", "show p.ticks").output == "0\n1\n")
    #expect(try shell.type("wait 0s", "show p.ticks").output == "1\n")
    #expect(shell.session.store.live.clock.now == .seconds(1))
  }
}
