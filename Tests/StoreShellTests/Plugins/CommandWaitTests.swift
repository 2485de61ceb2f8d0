import Testing

@testable import StoreShell

/// `cmd:wait` in commands of plugins, on a virtual clock.
@Suite struct CommandWaitTests {
  /// A session with a plugin `p`, whose action `tick` a task dispatches each second once `go` was dispatched.
  private func shell(_ commands: String, projections: String = "") throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      local function ticking(task) while true do task:sleep(1) task:dispatch("tick", { n = 7 }) end end
      return plugin {
        state = { field("on", bool()), field("ticks", int()) },
        actions = { { name = "go" }, { name = "halt" }, { name = "tick", args = { field("n", int()) } } },
        reducers = { go = function(s) s.on = true end, halt = function(s) s.on = false end,
          tick = function(s) s.ticks = s.ticks + 1 end },
        middleware = { { name = "m", supervise = function(state) if state.p.on then return { t = ticking } end end } },
        commands = { \(commands) },
        projections = { \(projections) },
      }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)")
    return shell
  }

  @Test func aCommandWaitsForAWhile() throws {
    let shell = try shell(
      """
      { name = "w", args = { field("s", number()) }, run = function(a, cmd)
        cmd:dispatch("go") cmd:print("before", cmd.state.p.ticks)
        cmd:wait(a.s)
        cmd:print("after", cmd.state.p.ticks)
        cmd:wait(1)
        cmd:dispatch("halt")
        return cmd.state.p.ticks
      end },
      """)
    #expect(try shell.type("p w 2.5") == .init(output: "before 0\nafter 2\n3\n"))
    #expect(try shell.type("show shell.log[-1].at").output == "3.5\n")
    #expect(try shell.type("p w -1").output == "before 3\nafter 3\n4\n")
  }

  @Test func aCommandWaitsForAnAction() throws {
    let shell = try shell(
      """
      { name = "w", run = function(_, cmd)
        cmd:dispatch("go")
        local name, args = cmd:wait("halt", "tick")
        cmd:print(name, args.n, cmd.state.p.ticks)
        cmd:print(cmd:wait("halt", 2.5) == nil, cmd.state.p.ticks)
        cmd:dispatch("halt")
        cmd:wait("tick")
      end },
      """)
    let outcome = try shell.type("p w")
    #expect(outcome.output == "p.tick 7 1\ntrue 3\n")
    #expect(outcome.status == 5)
    #expect(
      outcome.errors == "error[timed-out]: p.tick did not come, and nothing waits for the clock\n")
  }

  @Test func anActionThatCameBeforeDoesNotEndTheWait() throws {
    let shell = try shell(
      "{ name = \"w\", run = function(_, cmd) cmd:dispatch(\"tick\", { n = 1 }) return cmd:wait(\"tick\", 1) == nil end },"
    )
    #expect(try shell.type("p w").output == "true\n")
  }

  @Test func waitsThatCannotBe() throws {
    let shell = try shell(
      """
      { name = "none", run = function(_, cmd) cmd:wait() end },
      { name = "text", run = function(_, cmd) cmd:wait("tickk") end },
      { name = "table", run = function(_, cmd) cmd:wait({}) end },
      { name = "foreign", run = function(_, cmd) cmd:wait("tasks.add") end },
      { name = "lost", run = function() coroutine.yield(1) end },
      { name = "spin", run = function(_, cmd) cmd:wait(1) while true do end end },
      { name = "stale", run = function(_, cmd) local p = cmd.state.p cmd:wait(1) return p.ticks end },
      { name = "long", run = function(_, cmd) for _ = 1, 4 do for _ = 1, 15000 do end cmd:wait(1) end return "ok" end },
      """)
    #expect(try shell.type("p none").errors.contains("cmd:wait needs a number of seconds or the name of an action"))
    #expect(try shell.type("p text").errors.contains("unknown action 'tickk' (did you mean 'tick'?)"))
    #expect(
      try shell.type("p table").errors.contains("cmd:wait takes a number of seconds or names of actions, got a table"))
    #expect(try shell.type("p foreign").errors.contains("may not read 'tasks' (add \"read:tasks\""))
    #expect(try shell.type("p lost").errors.contains("it paused by itself; wait with cmd:wait(seconds)"))
    #expect(try shell.type("p spin").errors.contains("command 'p spin' used more than 200_000 VM instructions"))
    #expect(try shell.type("p stale").errors.contains("this part of the state was valid only during the call"))
    #expect(try shell.type("p long").output == "ok\n")
  }

  @Test func whatATaskDidWrongMeanwhileFailsTheCommand() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "go" } },
        middleware = { { name = "m", after = function(_, ctx)
          ctx:task("t", function(task) task:sleep(1) error("late", 0) end) end } },
        commands = { { name = "w", run = function(_, cmd) cmd:dispatch("go") cmd:wait(2) return "done" end } } }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)")
    let outcome = try shell.type("p w")
    #expect(outcome.output == "done\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("task 'p/m/t' failed: late"))
  }

  /// What a command gives back as it was projected is shown as the projection is.
  @Test func aProjectedValueKeepsItsType() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("items", list(record("Item", { field("title", text()), field("age", int()) }))) },
        actions = { { name = "add", args = { field("title", text()) } } },
        reducers = { add = function(s, a) s.items[#s.items + 1] = { title = a.title, age = 3 } end },
        projections = {
          { name = "all", type = list(record("Item", { field("title", text()), field("age", int()) })),
            fn = function(state) return state.p.items end },
        },
        commands = {
          { name = "list", run = function(_, cmd) return cmd:project("p.all") end },
          { name = "within", run = function(_, cmd) return { all = cmd:project("p.all") } end },
          { name = "changed", run = function(_, cmd)
              local all = cmd:project("p.all")
              all[1].age = 4
              return all
            end },
        },
      }
      """)
    let outcome = shell.run(
      "plugin load \(folder)", "p within --json", "p list", "dispatch p.add title=Tea --quiet", "p list", "p changed")
    #expect(outcome.errors == "")
    #expect(
      outcome.output.hasSuffix(
        """
          1 action, 3 commands
        {"all":[]}
        0 items
        title  age
        Tea    3
        age  title
        4    Tea

        """), "\(outcome.output)")
  }

  @Test func aProjectionThatIsNotThereIsNamed() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("count", int()) }, commands = {
        { name = "typo", run = function(_, cmd) return cmd:project("p.cuont") end },
        { name = "syntax", run = function(_, cmd) return cmd:project("p[") end } } }
      """)
    let outcome = try shell.type("plugin load \(folder)", "p typo", "p syntax")
    let place = "\(folder)/init.lua"
    #expect(
      outcome.errors.contains(
        "'p typo': \(place):2: 'p' has no field or projection 'cuont' (did you mean 'p.count'?)\n"),
      "\(outcome.errors)")
    #expect(!outcome.errors.contains("Error("))
  }

  /// What goes wrong beside an action that stands, in a middleware or a task, fails the command, which goes on.
  @Test func faultsBesideAnActionAreToldWhenTheCommandIsDone() throws {
    let shell = try Shell { $0.grants = ["p", "q"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } }, reducers = { go = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", on = { "go" }, after = function(_, ctx)
          ctx:task("t", function(task) task:wait_for("tasks.add") error("late") end)
          error("spy")
        end } },
        commands = { { name = "c", run = function(_, cmd)
          cmd:dispatch("go")
          cmd:dispatch("tasks.add", { title = "x" })
          return cmd.state.p.n
        end } },
      }
      """, permissions: #"["timers", "read:tasks", "dispatch:tasks.add"]"#)
    _ = try shell.type("plugin load \(folder)")
    let outcome = try shell.type("p c")
    #expect(outcome.output == "1\n")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        error[plugin-runtime]: p: middleware 'm' (after): \(folder)/init.lua:5: spy
        error[plugin-task]: p: task 'p/m/t' failed: \(folder)/init.lua:4: late
          task started by #2 p.go (plugin:p/c)

        """)
    let lua = try shell.type("lua dispatch('p.go') print(state.p.n)")
    #expect(lua.output == "2\n")
    #expect(lua.errors.contains("(after): \(folder)/init.lua:5: spy\n"))
    #expect(lua.status == 1)
  }

  @Test func aCommandThatWaitsForEverIsStopped() throws {
    let shell = try shell(#"{ name = "w", run = function(_, cmd) while true do cmd:wait(0) end end },"#)
    #expect(
      try shell.type("p w", "dispatch p.go --quiet")
        == .init(
          errors: "error[plugin-budget]: p: command 'p w' waited more than 100_000 times and was stopped\n"))
  }

  @Test func aTableWithoutEntriesIsAListUnlessItIsKnownToBeAMap() throws {
    let shell = try shell(
      """
      { name = "none", run = function() return {} end },
      { name = "some", run = function(_, cmd) return cmd:project("p.table") end },
      """, projections: #"{ name = "table", type = map(int()), fn = function() return {} end },"#)
    #expect(try shell.type("p none", "p none --json", "p some --json").output == "0 items\n[]\n{}\n")
  }
}
