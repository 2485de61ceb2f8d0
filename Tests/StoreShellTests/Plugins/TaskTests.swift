import Testing

@testable import StoreShell

/// Tasks of plugins in a session, on a virtual clock.
@Suite struct TaskTests {
  /// A session with a plugin `p`, whose one middleware is given.
  func shell(
    _ middleware: String, permissions: String = #"["timers"]"#, json: Bool = false
  ) throws -> Shell {
    let shell = try Shell {
      $0.grants = ["p", "pomodoro"]
      $0.isJSON = json
    }
    let folder = try shell.plugin(
      "p",
      """
      local function ticking(task) while true do task:sleep(1) task:dispatch("tick") end end
      return plugin {
        state = { field("on", bool()), field("ticks", int()), field("n", int()) },
        actions = { { name = "go" }, { name = "halt" }, { name = "tick", quiet = true },
          { name = "put", args = { field("n", int()) } } },
        reducers = {
          go = function(s) s.on = true end,
          halt = function(s) s.on = false end,
          tick = function(s) s.ticks = s.ticks + 1 end,
          put = function(s, a) s.n = a.n end,
        },
        middleware = { \(middleware) },
      }
      """, permissions: permissions)
    _ = try shell.type("plugin load \(folder)")
    return shell
  }

  /// A middleware whose task runs while the state says `on`.
  static let clock = """
    { name = "clock", supervise = function(state) if state.p.on then return { ticks = ticking } end end },
    """

  private static let none = "(no effects)\n"

  @Test func tasksFollowTheState() throws {
    let shell = try shell(Self.clock)
    #expect(try shell.type("effects", "wait 10s", "show p.ticks").output == Self.none + "0\n")
    #expect(try shell.type("dispatch p.go --quiet", "wait 2500ms", "show p.ticks").output == "2\n")
    #expect(try shell.type("effects").output == "id             wakes\np/clock/ticks  in 0.5s\n")
    // What the state still wants is left alone.
    #expect(
      try shell.type("dispatch p.put n=3 --quiet", "dispatch p.go --quiet", "effects --as raw").output
        == "p/clock/ticks\tin 0.5s\t#2\t2.5s\n")
    #expect(
      try shell.type("dispatch p.halt --quiet", "effects", "wait 10s", "show p.ticks").output == Self.none + "2\n")
    // It starts anew, from the beginning.
    #expect(try shell.type("dispatch p.go --quiet", "effects --as raw").output.hasPrefix("p/clock/ticks\tin 1.0s\t#"))
    let listed = try shell.type("show shell.effects --json").output
    #expect(listed.hasPrefix(#"[{"id":"p/clock/ticks","wakes":"in 1.0s","startedBy":""#), "\(listed)")
  }

  /// Acceptance scenario 15.
  @Test func aShutGateStopsTheClock() throws {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    let outcome = try shell.type(
      "plugin load pomodoro", "dispatch pomodoro.start minutes=1 --quiet", "middleware off pomodoro.clock", "effects",
      "wait 10s", "show pomodoro.left", "middleware on pomodoro.clock", "wait 10s", "show pomodoro.left")
    #expect(
      outcome
        == .init(
          output: """
            #1 shell.loadPlugin name="pomodoro" version="0.1.0"
              3 actions, 2 middleware, 1 command
            #3 shell.setGate name="pomodoro.clock" open=false  (1 task cancelled)
            (no effects)
            60
            #4 shell.setGate name="pomodoro.clock" open=true
            50

            """))
    let gates = shell.session.store.live.recent().filter { $0.action == "shell.setGate" }
    #expect(gates.map(\.number) == [3, 4])
    #expect(gates.map(\.time) == [.zero, .seconds(10)])
  }

  @Test func gatesSwitchesAndUnloadingStopTasks() throws {
    for (command, again) in [
      ("middleware off p.clock", "middleware on p.clock"), ("plugin disable p", "plugin enable p"),
      ("effects cancel all", "dispatch p.put n=1"), ("effects cancel p/clock/ticks", "dispatch p.put n=1"),
    ] {
      let shell = try shell(Self.clock)
      _ = try shell.type("dispatch p.go", "wait 1s", command)
      #expect(try shell.type("effects", "wait 10s", "show p.ticks").output == Self.none + "1\n", "\(command)")
      _ = try shell.type(again)
      // What was cancelled by hand stays so until the state no longer wanted it.
      let restarts = !command.hasPrefix("effects")
      #expect(try shell.type("wait 2s", "show p.ticks").output == (restarts ? "3\n" : "1\n"), "\(again)")
    }
    let shell = try shell(Self.clock)
    _ = try shell.type("dispatch p.go", "wait 1s", "plugin unload p")
    #expect(try shell.type("effects", "wait 10s").output == Self.none)
    #expect(try shell.type("= #state.tasks.items").status == 0)
  }

  @Test func theListingOfMiddlewaresCountsTasks() throws {
    let shell = try shell(
      """
      { name = "two", supervise = function(state) if state.p.on then return { a = ticking, b = ticking } end end },
      """)
    #expect(try shell.type("show shell.middleware[2].tasks").output == "0\n")
    _ = try shell.type("dispatch p.go")
    #expect(try shell.type("show shell.middleware[2].tasks").output == "2\n")
    #expect(try shell.type("middleware off p.two").output.contains("open=false  (2 tasks cancelled)\n"))
  }

  @Test func theSourceOfWhatATaskDispatches() throws {
    let shell = try shell(Self.clock)
    _ = try shell.type("dispatch p.go", "wait 1s")
    let entry = try #require(shell.session.store.live.recent().last)
    #expect(entry.action == "p.tick")
    #expect(entry.source.short == "plugin:p/clock")
    #expect(entry.source.kind == .effect)
    #expect(entry.source.cause == 2)
    #expect(entry.source.function == "ticking")
    #expect(entry.source.line == 1)
  }

  @Test func oneShots() throws {
    let shell = try shell(
      """
      { name = "m", on = { "put" }, after = function(action, ctx)
        local n = action.args.n
        ctx:task(n > 9 and "other" or "later", function(task) task:sleep(5) task:dispatch("tick") end)
      end },
      """)
    _ = try shell.type("dispatch p.put n=1", "wait 3s")
    #expect(try shell.type("effects --as raw").output.hasPrefix("p/m/later\tin 2.0s\t#"))
    // The same key replaces, another does not.
    _ = try shell.type("dispatch p.put n=2", "dispatch p.put n=10")
    #expect(try shell.type("effects --as raw").output == "p/m/later\tin 5.0s\t#3\t0.0s\np/m/other\tin 5.0s\t#4\t0.0s\n")
    #expect(try shell.type("wait idle", "show p.ticks").output == "2\n")
    #expect(try shell.type("dispatch p.put n=2 --quiet", "middleware off p.m", "effects").output.hasSuffix(Self.none))
  }

  @Test func oneShotsOutsideOfAfter() throws {
    let shell = try shell(
      """
      { name = "m", on = { "put" }, before = function(_, ctx) ctx:task("x", function() end) end },
      """)
    #expect(try shell.type("dispatch p.put n=1").errors.contains("ctx:task is only possible in after"))
  }

  @Test func aTaskThatWaitsForAnAction() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
        local a = task:wait_for("put", 10)
        task:dispatch("put", { n = a and a.n * 2 or -1 })
      end } end end },
      """)
    _ = try shell.type("dispatch p.go", "wait 9s", "dispatch p.tick")
    #expect(try shell.type("effects --as raw").output.hasPrefix("p/m/x\tin 1.0s\t#"))
    #expect(try shell.type("dispatch p.put n=4", "show p.n").output.hasSuffix("\n8\n"))
    #expect(try shell.type("effects").output == Self.none)
    // Without one it goes on when its time is over.
    _ = try shell.type("dispatch p.halt", "dispatch p.go", "wait 9s")
    #expect(try shell.type("show p.n", "wait 1s", "show p.n").output == "8\n-1\n")
    // A cancelled one hears nothing.
    _ = try shell.type("dispatch p.halt", "dispatch p.go", "dispatch p.halt", "dispatch p.put n=3")
    #expect(try shell.type("wait 20s", "show p.n").output == "3\n")
  }

  // MARK: Faults

  private static let pushy = """
    { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
      task:sleep(1) task:dispatch("tasks.remove", { id = 1 })
    end } end end },
    """

  @Test func aTaskThatFailedIsAnErrorOfTheNextCommand() throws {
    let shell = try shell(Self.pushy)
    let outcome = try shell.type("dispatch p.go --quiet", "wait 500ms")
    #expect(outcome == .init())
    #expect(
      try shell.type("wait 1s")
        == .init(
          errors: """
            error[plugin-task]: p: task 'p/m/x' failed: may not dispatch 'tasks.remove'
              task started by #2 p.go (repl:2)
              hint: add "dispatch:tasks.remove" to permissions in plugin.json

            """, status: 1))
    #expect(try shell.type("effects").output == Self.none)
    // It is not started again while the state goes on wanting it.
    #expect(try shell.type("dispatch p.put n=1 --quiet", "wait 10s") == .init())
  }

  @Test func withJSONThereIsOneObject() throws {
    let shell = try shell(Self.pushy, json: true)
    let outcome = shell.run("dispatch p.go", "wait 1s")
    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.last?.hasPrefix(#"{"ok":false,"file":"-c","line":2,"error":{"code":"plugin-task","message":"#) == true)
    #expect(outcome.status == 1)
  }

  @Test func aFailureInWhatATaskDispatchesFailsTheCommand() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
        task:sleep(1) task:dispatch("put", { n = "x" })
      end } end end },
      """)
    let outcome = try shell.type("dispatch p.go --quiet", "wait 2s")
    #expect(outcome.errors.contains("p: task 'p/m/x' failed: "))
    #expect(outcome.errors.contains("'n' must be Int, got string \"x\""))
    #expect(outcome.status == 1)
  }

  @Test func moreTasksThanAllowed() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state) if state.p.on then
        return { a = ticking, b = ticking, c = ticking, d = ticking, e = ticking }
      end end },
      """)
    let outcome = try shell.type("dispatch p.go")
    #expect(outcome.output == "#2 p.go\n  p.on  false -> true\n")
    #expect(outcome.errors.hasPrefix("error[plugin-budget]: p: more than 4 tasks\n"))
    #expect(outcome.errors.hasSuffix("note: #2 p.go was applied\n"))
    #expect(try shell.type("wait 1s", "show p.ticks").output == "4\n")
  }

  /// What the state still wants begins when there is room again.
  @Test func tasksWithoutRoomBeginLater() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state)
        local tasks = {}
        for i = state.p.ticks + 1, state.p.on and 7 or 0 do
          tasks["t" .. i] = function(task) task:sleep(i) task:dispatch("tick") end
        end
        return tasks
      end },
      """)
    let outcome = try shell.type("dispatch p.go --quiet")
    #expect(
      outcome.errors == """
        error[plugin-budget]: p: more than 4 tasks
          task started by #2 p.go (repl:2)
          hint: limits.tasks in plugin.json says how many, up to the setting plugin.ceiling.tasks
        note: #2 p.go was applied

        """)
    #expect(try shell.type("effects --as raw").output.split(separator: "\n").count == 4)
    // Of those that wait nothing more is said.
    #expect(try shell.type("wait 2s").errors == "")
    #expect(try shell.type("effects --as csv").output.contains("p/m/t6"))
    #expect(try shell.type("wait 20s", "show p.ticks").output == "7\n")
  }

  /// What holds of a thousand tasks is said once.
  @Test func manyMoreTasksThanAllowed() throws {
    let shell = try shell(
      """
      { name = "m", on = { "go" }, after = function(_, ctx)
        for i = 1, 1000 do ctx:task("t" .. i, function(task) task:sleep(1) end) end
      end },
      """)
    let outcome = try shell.type("dispatch p.go --quiet")
    #expect(
      outcome.errors == """
        error[plugin-budget]: p: more than 4 tasks
          task started by #2 p.go (repl:2)
          hint: limits.tasks in plugin.json says how many, up to the setting plugin.ceiling.tasks
        note: #2 p.go was applied

        """)
    #expect(try shell.type("effects --as raw").output.split(separator: "\n").count == 4)
  }

  @Test func whatAFailingSuperviseSaidBeforeStillHolds() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state)
        if state.p.n == 5 then error("no") end
        if state.p.on then return { ticks = ticking } end
      end },
      """)
    _ = try shell.type("dispatch p.go", "wait 500ms")
    let outcome = try shell.type("dispatch p.put n=5 --quiet")
    #expect(outcome.errors.hasPrefix("error[plugin-runtime]: p: middleware 'm' (supervise): "))
    #expect(try shell.type("effects --as raw").output.hasPrefix("p/m/ticks\tin 0.5s\t#"))
    #expect(try shell.type("dispatch p.put n=1 --quiet", "effects --as raw").output.hasPrefix("p/m/ticks\tin 0.5s\t#"))
  }

  /// R29.
  @Test func threeFailingTasksStopThePlugin() throws {
    let shell = try shell(
      """
      { name = "m", on = { "put" }, after = function(_, ctx)
        ctx:task("x", function(task) task:sleep(1) error("no") end)
      end },
      """)
    for n in 1...3 {
      let outcome = try shell.type("dispatch p.put n=\(n) --quiet", "wait 1s")
      #expect(outcome.errors.contains("error[plugin-task]: p: task 'p/m/x' failed: "))
      #expect(outcome.errors.contains("note: p is off after 3 failures in a row") == (n == 3))
    }
    #expect(try shell.type("show shell.plugins[1].state --as raw").output == "faulted\n")
  }

  @Test func aRunawayTaskIsStopped() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
        for _ = 1, 2000 do task:dispatch("tick") end
      end } end end },
      """)
    let outcome = try shell.type("dispatch p.go")
    #expect(outcome.errors.hasPrefix("error[runaway]: "))
    #expect(outcome.status == 1)
  }

  @Test func aTaskThatNeverSleepsLongLetsTheShellGoOn() throws {
    let shell = try shell(
      """
      { name = "m", supervise = function(state) if state.p.on then return { x = function(task)
        while true do task:sleep(0) end
      end } end end },
      """)
    #expect(
      try shell.type("dispatch p.go --quiet", "wait 1s", "effects --as raw").output.hasPrefix("p/m/x\tin 0.0s\t#"))
  }

  @Test func aSessionThatEndsCancelsItsTasks() throws {
    weak var session: Session?
    do {
      let shell = try shell(Self.clock)
      session = shell.session
      _ = try shell.type("dispatch p.go", "wait 1s")
    }
    #expect(session == nil)
  }
}
