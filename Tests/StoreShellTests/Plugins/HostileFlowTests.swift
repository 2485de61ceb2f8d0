import PluginSupport
import Testing

@testable import StorePlugins
@testable import StoreShell

/// Attacks by way of the store rather than of Lua: storms of actions and tasks, and what comes back to itself. Each ends in an
/// error that names the plugin's place or its limit, its memory stays under the limit, and the shell answers the next command.
@Suite("Hostile plugins and the store") struct HostileFlowTests {
  struct Attack: Sendable, CustomTestStringConvertible {
    let name: String
    /// The entries of the definition beside state, actions and reducers.
    let lua: String
    /// What sets it off; the last line fails.
    let lines: [String]
    /// What the last line is answered with.
    let errors: [String]

    var testDescription: String { name }

    init(_ name: String, _ lua: String, _ lines: [String] = ["dispatch p.go"], _ errors: String...) {
      self.name = name
      self.lua = lua
      self.lines = lines
      self.errors = errors
    }
  }

  private static func after(_ body: String) -> String {
    "middleware = { { name = 'm', on = { 'go', 'tick' }, after = function(action, ctx) \(body) end } }"
  }

  private static func interceptor(_ body: String) -> String {
    """
    interceptors = { function(dispatch, get, next) return function(action)
      if action.name == 'p.go' then \(body) end
      next(action)
    end end }
    """
  }

  private static let runaway = "error[runaway]: more than 1000 actions caused by one dispatch; stopped before p."
  private static let instructions = "used more than 200_000 VM instructions"
  private static let tooMany = "dispatched more than 1_000 actions and was stopped"

  static let attacks: [Attack] = [
    // Storms of actions.
    Attack(
      "after dispatches without end", after("while true do ctx:dispatch('tick') end"), ["dispatch p.go"],
      runaway, "p: middleware 'm' (after) \(tooMany)"),
    Attack(
      "after dispatches without end and holds what is refused",
      after("while true do pcall(ctx.dispatch, ctx, 'tick') end"), ["dispatch p.go"],
      // Of instructions or, on a busy machine, of time.
      runaway, "error[plugin-budget]: p: middleware 'm' (after) "),
    Attack("every action causes two", after("ctx:dispatch('go') ctx:dispatch('go')"), ["dispatch p.go"], runaway),
    Attack(
      "after dispatches the largest of actions",
      after("for i = 1, 1e9 do ctx:dispatch('say', { text = ('x'):rep(1000000) .. i }) end"), ["dispatch p.go"],
      "error[plugin-budget]: p: middleware 'm' (after) used more than 200_000 VM instructions"),
    Attack(
      "a bridge to its own beginning", "bridges = { { from = 'go', to = 'tick' }, { from = 'tick', to = 'go' } }",
      ["dispatch p.go"], runaway),
    Attack(
      "a transition that causes itself", "transitions = { { at = 'p.n', dispatch = 'go' } }", ["dispatch p.go"], runaway
    ),
    // More in one call than one dispatch may cause: otherwise each of a thousand calls would do so in vain.
    Attack(
      "after dispatches thousands", after("for i = 1, 5000 do ctx:dispatch('go') end"), ["dispatch p.go"],
      "p: middleware 'm' (after) \(tooMany)",
      "note: p is off after 3 failures in a row"),
    Attack(
      "after dispatches thousands and holds every refusal",
      after("for i = 1, 5000 do pcall(ctx.dispatch, ctx, 'go') end"), ["dispatch p.go"],
      "p: middleware 'm' (after) \(tooMany)",
      "note: p is off after 3 failures in a row"),
    Attack(
      "an interceptor dispatches thousands",
      interceptor("for i = 1, 5000 do dispatch('p.go') end return next(action)"), ["dispatch p.go"],
      "p: interceptor 'interceptor1' \(tooMany)",
      "note: p is off after 3 failures in a row"),
    // Tasks without end.
    Attack(
      "a task starts the next",
      after("ctx:task('t' .. action.id, function(task) task:dispatch('go') task:sleep(1000) end)"), ["dispatch p.go"],
      "error[plugin-budget]: p: more than 4 tasks"),
    Attack(
      "a task takes its own place", after("ctx:task('t', function(task) task:dispatch('go') task:sleep(1) end)"),
      ["dispatch p.go"], runaway),
    Attack(
      "after starts tasks without end",
      // Which of its limits it meets first, of instructions or of time, depends on the machine.
      after("for i = 1, 1e9 do ctx:task('t' .. i, function(task) task:sleep(1) end) end"), ["dispatch p.go"],
      "p: middleware 'm' (after) ", "error[plugin-budget]: p: more than 4 tasks"),
    Attack(
      "other tasks are wanted after every action",
      """
      middleware = { { name = 'm', supervise = function(state)
        local tasks = {}
        if state.p.n == 0 then return tasks end
        for i = 1, 5 do tasks['t' .. state.p.n * 5 + i] = function(task) task:dispatch('go') task:sleep(1) end end
        return tasks
      end } }
      """, ["dispatch p.go"], "error[plugin-budget]: p: more than 4 tasks"),
    Attack(
      "a task dispatches in its time",
      after("ctx:task('t', function(t) while true do t:dispatch('other') end end)"),
      ["dispatch p.go"], "error[plugin-budget]: p: more than 10_000 actions a second"),
    // Waiting for what fails.
    Attack(
      "a task waits for what there is not", after("ctx:task('t', function(task) task:wait_for('nope') end)"),
      ["dispatch p.go"], "task 'p/m/t' failed: ", "unknown action 'nope'"),
    Attack(
      "a task waits for a function that fails",
      after("ctx:task('t', function(task) task:wait_for(function() error('x') end) end)"), ["dispatch p.go"],
      "task:wait_for needs the name of an action, got a function"),
    Attack(
      "a task holds every refusal",
      after("ctx:task('t', function(t) while true do pcall(t.wait_for, t, 'nope') end end)"),
      ["dispatch p.go"],
      "error[plugin-task]: p: task 'p/m/t' failed: "),
    Attack(
      "a task waits until no number of seconds has passed",
      after("ctx:task('t', function(task) task:wait_for('tick', 0/0) end)"), ["dispatch p.go"],
      "task:wait_for needs a number of seconds, got number "),
    // Thunks that never return.
    Attack(
      "a thunk counts for ever", "thunks = { t = function() while true do end end }", ["thunk p.t"],
      "error[plugin-task]: p: thunk 'p/thunk/t#2' failed: \(instructions)"),
    Attack(
      "a thunk waits for one action after the other",
      "thunks = { t = function(_, t) while true do t:dispatch_wait('go') end end }", ["thunk p.t"], runaway),
    Attack(
      "a thunk holds every refusal",
      "thunks = { t = function(_, t) while true do pcall(t.dispatch_wait, t, 'nope') end end }", ["thunk p.t"],
      "error[plugin-task]: p: thunk 'p/thunk/t#2' failed: "),
    Attack(
      "a thunk dispatches without end", "thunks = { t = function(_, t) while true do t:dispatch('go') end end }",
      ["thunk p.t"], runaway, "error[plugin-budget]: p: more than 10_000 actions a second"),
    Attack(
      "a thunk pauses for nobody", "thunks = { t = function() while true do coroutine.yield() end end }", ["thunk p.t"],
      "it paused by itself"),
    Attack(
      "a thunk calls itself", "thunks = { t = function(_, t) t:dispatch_wait('thunk:p.t') end }", ["thunk p.t"],
      "unknown action 'thunk:p.t'"),
    // Interceptors to which an action comes back.
    Attack(
      "an interceptor dispatches what it drops", interceptor("dispatch('p.go') return"), ["dispatch p.go"], runaway),
    Attack(
      "an interceptor has the next one pass on what comes back to it",
      interceptor("next('p.tick') dispatch('p.go') return"), ["dispatch p.go"], runaway),
    Attack(
      "an interceptor dispatches without end", interceptor("while true do dispatch('p.tick') end"), ["dispatch p.go"],
      "p: interceptor 'interceptor1' \(tooMany)"),
    Attack(
      "an interceptor passes on without end", interceptor("while true do next(action) end"), ["dispatch p.go"],
      "p: interceptor 'interceptor1': ", "calls next out of turn"),
    // Commands that come back to themselves.
    // Which limit they meet first, of instructions or of time, depends on the machine.
    Attack(
      "a command dispatches without end",
      "commands = { { name = 'c', run = function(_, cmd) while true do cmd:dispatch('go') end end } }", ["p c"],
      "error[plugin-budget]: p: command 'p c' "),
    Attack(
      "a command leaves itself behind",
      "commands = { { name = 'c', run = function(_, cmd) again = cmd cmd:dispatch('go') end } }", ["p c"],
      "plugins may not create globals ('again')"),
    Attack(
      "a command asks for a projection that asks for itself",
      """
      projections = { { name = 'a', fn = function(state) return state.p.a end } },
      commands = { { name = 'c', run = function(_, cmd) return cmd:project('p.a') end } }
      """, ["p c"], "p: projection 'p.a': ", "p has no field 'a'"),
    Attack(
      "a command prints without end",
      "commands = { { name = 'c', run = function(_, cmd) while true do cmd:print('x') end end } }", ["p c"],
      "error[plugin-budget]: p: command 'p c' "),
    // Projections that dispatch by what others gave them.
    Attack(
      "a projection dispatches with what a middleware left",
      """
      middleware = { { name = 'm', on = { 'go' }, after = function(_, ctx) kept.send = ctx end } },
      projections = { { name = 'a', fn = function() kept.send:dispatch('tick') return 1 end } }
      """, ["dispatch p.go", "show p.a"], "p: projection 'p.a': ", "attempt to index a nil value (field 'send')"),
    Attack(
      "a projection starts a task",
      """
      middleware = { { name = 'm', on = { 'go' }, after = function(_, ctx) kept.send = ctx end } },
      projections = { { name = 'a', fn = function() kept.send:task('t', function() end) return 1 end } }
      """, ["dispatch p.go", "show p.a"], "p: projection 'p.a': ", "attempt to index a nil value (field 'send')"),
  ]

  @Test(arguments: attacks)
  func anAttackEndsInAnError(attack: Attack) throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      local kept = {}
      return plugin {
        state = { field("n", int()) },
        actions = { { name = "go" }, { name = "tick" }, { name = "other" },
          { name = "say", args = { field("text", text()) } } },
        reducers = { go = function(s) s.n = s.n + 1 end },
        \(attack.lua)
      }
      """, permissions: #"["timers", "intercept"]"#)
    #expect(try shell.type("plugin load \(folder)").status == 0)
    let plugin = try #require(shell.session.store.plugin(named: "p"))
    for line in attack.lines.dropLast() { #expect(try shell.type(line).status == 0) }
    let outcome = try shell.type(try #require(attack.lines.last))
    #expect(outcome.status == 1)
    for error in attack.errors { #expect(outcome.errors.contains(error), "\(outcome.errors.prefix(600))") }
    #expect(plugin.machine.lua.memoryInUse < 6 << 20)
    #expect(try shell.type("dispatch counter.increment", "show counter.value").output.hasSuffix("\n1\n"))
  }

  @Test func aStormThatTakesAwayTheActionThatStopsItIsStoppedAllTheSame() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } }, reducers = { go = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", after = function(_, ctx) while true do ctx:dispatch("go") end end } },
      }
      """)
    _ = shell.run("plugin load \(folder)", "set runaway 50")
    let storm = shell.run("dispatch p.go")
    #expect(storm.errors.components(separatedBy: Self.tooMany).count == 4, "at the third it falls silent")
    #expect(storm.errors.components(separatedBy: "note: p is off").count == 2)
    #expect(shell.run("log 1").output.contains("shell.faultPlugin name=\"p\""))
    #expect(shell.run("plugin list --as csv").output.contains("faulted"))
    #expect(shell.run("plugin enable p").errors == "")
    #expect(shell.run("dispatch p.go").errors.contains(Self.tooMany), "it is given another chance")
  }

  /// Where a plugin may write log lines, and what has it do so.
  static let talkers: [(lua: String, line: String)] = [
    ("middleware = { { name = 'm', before = function() flood() end } }", "dispatch p.go"),
    ("middleware = { { name = 'm', after = function() flood() end } }", "dispatch p.go"),
    ("middleware = { { name = 'm', supervise = function() flood() end } }", "dispatch p.go"),
    ("middleware = { { name = 'm', after = function(_, ctx) ctx:task('t', flood) end } }", "dispatch p.go"),
    ("interceptors = { function(_, _, next) return function(action) flood() next(action) end end }", "dispatch p.go"),
    ("thunks = { t = function() flood() end }", "thunk p.t"),
    ("commands = { { name = 'c', run = function() flood() end } }", "p c"),
    ("bridges = { { from = 'go', to = 'other', when = function() flood() end } }", "dispatch p.go"),
    ("transitions = { { at = 'p.n', dispatch = 'other', to = function() flood() end } }", "dispatch p.go"),
    ("on_unload = function() flood() end", "plugin unload p"),
  ]

  @Test(arguments: talkers)
  func aFloodOfLogLinesIsBoundedEverywhere(lua: String, line: String) throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      local function flood() while true do log.info("flood") end end
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" }, { name = "other" } },
        reducers = { go = function(s) s.n = s.n + 1 end },
        \(lua)
      }
      """, permissions: #"["timers", "intercept"]"#)
    let loading = try shell.type("plugin load \(folder)")
    let outcome = try shell.type(line)
    let errors = loading.errors + outcome.errors
    #expect(errors.contains(Self.instructions), "\(errors.suffix(300))")
    #expect(errors.split(separator: "\n").count { $0 == "[p] flood" } <= 200)
    #expect(try shell.type("dispatch counter.increment", "show counter.value").output.hasSuffix("\n1\n"))
  }
}
