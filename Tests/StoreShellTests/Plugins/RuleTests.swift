import Testing

@testable import StoreShell

/// R24 and R25 with rules of plugins.
@Suite struct RuleTests {
  private static let asked =
    #"["read:counter", "read:tasks", "dispatch:counter.increment", "dispatch:counter.setStep", "dispatch:tasks.add"]"#

  private static let rest = """
    state = { field("phase", enum { "idle", "work" }), field("n", int()) },
    actions = { { name = "go" }, { name = "halt" }, { name = "put", args = { field("n", int()) } } },
    reducers = { go = function(s) s.phase = "work" end, halt = function(s) s.phase = "idle" end,
      put = function(s, a) s.n = a.n end },
    """

  /// A session with a plugin `p` with these rules.
  private func shell(_ rules: String, permissions: String = asked) throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", "return plugin {\n\(rules),\n\(Self.rest) }", permissions: permissions)
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return shell
  }

  /// The error with which a plugin with these rules is refused.
  private func refusal(_ rules: String, permissions: String = asked) throws -> String {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", "return plugin { \(rules), \(Self.rest) }", permissions: permissions)
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.status == 4)
    return outcome.errors.replacing(folder, with: "p")
  }

  // MARK: Bridges

  @Test func aBridgeCarriesWhatItsFunctionMakes() throws {
    let shell = try shell(
      """
      bridges = {
        { from = "put", to = "counter.increment",
          when = function(state) return state.p.n > 2 end,
          carry = function(args, state) if args.n < 9 then return { by = args.n + state.p.n } end end },
      }
      """)
    _ = try shell.type("dispatch p.put n=2", "dispatch p.put n=3", "dispatch p.put n=9")
    #expect(try shell.type("show counter.value").output == "6\n")
    let source = try shell.type("show shell.log[n=4].source --json").output
    #expect(source.contains(#""function":"dispatch","line":3,"info":"bridged from p.put by "#), "\(source)")
    #expect(source.contains(#"/p/init.lua:3","kind":"bridge","plugin":null,"unit":null,"cause":3}"#), "\(source)")
  }

  @Test func bridgesStandInAUnitWithAGate() throws {
    let shell = try shell(#"bridges = { { from = "go", to = "counter.increment" } }"#)
    #expect(try shell.type("plugin unload p --json", "show shell.middleware[*].name --json").status == 0)
    let again = try self.shell(#"bridges = { { from = "go", to = "counter.increment" } }"#)
    #expect(
      try again.type("middleware", "dispatch p.go --quiet", "middleware off p.bridge", "dispatch p.go --quiet").output
        == """
        order  name      gate  seen  tasks  origin
        1      logger    off   0     0      swift
        2      p.bridge  on    0     0      lua
        #4 shell.setGate name="p.bridge" open=false

        """)
    #expect(try again.type("show counter.value", "show shell.middleware[name=p.bridge].held").output == "1\n1\n")
  }

  @Test func bridgesThatCannotBe() throws {
    #expect(
      try refusal(#"bridges = { { from = "go", to = "tasks.remove" } }"#)
        == """
        error[plugin-schema]: p: bridge from 'go' to 'tasks.remove': may not dispatch 'tasks.remove'
          at p/init.lua:1
          hint: add "dispatch:tasks.remove" to permissions in plugin.json

        """)
    #expect(try refusal(#"bridges = { { from = "og", to = "go" } }"#).contains("p: bridge for unknown action 'p.og'"))
    #expect(try refusal(#"bridges = { { from = "go", to = "hlat" } }"#).contains("hint: did you mean 'p.halt'?"))
    #expect(
      try refusal(#"bridges = { { from = "tasks.add", to = "go" } }"#, permissions: "[]").contains(
        "p: bridge for 'tasks.add' needs to read 'tasks'\n  at p/init.lua:1\n  hint: add \"read:tasks\""))
    #expect(
      try refusal(#"bridges = { { from = "go", to = "counter.setStep" } }"#).contains(
        "'counter.setStep' needs 'to' (Int)\n  at p/init.lua:1\n  hint: make it with: carry = function(…) return { to = … } end"
      ))
    #expect(try refusal(#"bridges = { { from = "go" } }"#).contains("every entry needs from and to"))
    #expect(
      try refusal(#"bridges = { { from = "go", to = "halt", wen = 1 } }"#).contains("did you mean 'when'?"))
    #expect(try refusal(#"bridges = { { from = "go", to = "halt", when = 1 } }"#).contains("when must be a function"))
    #expect(
      try refusal(#"bridges = { { from = "go", to = "halt" } }, middleware = { { name = "bridge" } }"#).contains(
        "middleware 'bridge' has the name of the unit that its rules stand in"))
  }

  @Test func aRuleThatFailsFiresNothingAndTheOthersGoOn() throws {
    let shell = try shell(
      """
      bridges = {
        { from = "go", to = "put", carry = function() return { n = "x" } end },
        { from = "go", to = "put", carry = function() return { m = 1 } end },
        { from = "go", to = "halt", when = function(state) return state.p.x > 1 end },
        { from = "go", to = "halt", when = function() while true do end end },
        { from = "go", to = "counter.increment" },
      }
      """)
    let outcome = try shell.type("dispatch p.go")
    for message in [
      "bridge from 'p.go' to 'p.put' (carry): p.put: 'n' must be Int, got string \"x\"",
      "bridge from 'p.go' to 'p.put' (carry): p.put has no argument 'm'",
      "bridge from 'p.go' to 'p.halt' (when): ", "p has no field 'x'",
      "bridge from 'p.go' to 'p.halt' (when) used more than 200_000 VM instructions", "note: #2 p.go was applied",
    ] {
      #expect(outcome.errors.contains(message), "\(message)\n\(outcome.errors)")
    }
    #expect(try shell.type("show p.phase", "show counter.value").output == "\"work\"\n1\n")
  }

  // MARK: Transitions

  @Test func aTransitionFiresOnceWhenTheValueGoesFromTheOneToTheOther() throws {
    let shell = try shell(
      """
      transitions = {
        { at = "p.phase", from = "idle", to = "work", dispatch = "counter.increment" },
        { at = "counter.value", to = function(v) return v % 2 == 0 end, dispatch = "put",
          carry = function(before, after, state) return { n = before * 100 + after * 10 + state.counter.step } end },
      }
      """)
    _ = try shell.type("dispatch p.go", "dispatch p.go", "dispatch p.halt")
    #expect(try shell.type("show counter.value", "show p.n").output == "1\n0\n")
    _ = try shell.type("dispatch p.go")
    #expect(try shell.type("show counter.value", "show p.n").output == "2\n121\n")
    let source = try shell.type("show shell.log[n=3].source --json").output
    #expect(
      source.contains(
        #""function":"transitions","line":3,"info":null,"kind":"plugin","plugin":"p","unit":"transitions","cause":2}"#),
      "\(source)")
    #expect(try shell.type("show shell.middleware[name=p.transitions].origin --as raw").output == "lua\n")
  }

  @Test func aModuleThatComesOrGoesIsNoTransition() throws {
    let shell = try shell(
      """
      transitions = { { at = "p.n", dispatch = "counter.increment" }, { at = "tasks.items[id=1].done", dispatch = "go" } }
      """)
    #expect(try shell.type("show counter.value").output == "0\n")
    // An element that comes is one.
    #expect(try shell.type("dispatch p.put n=1 --quiet", "dispatch tasks.add x --quiet").errors == "")
    #expect(try shell.type("show counter.value", "show p.phase").output == "1\n\"work\"\n")
    _ = try shell.type("plugin unload p")
    #expect(try shell.type("show counter.value").output == "1\n")
  }

  @Test func aStateThatIsTakenOverIsNoTransition() throws {
    let shell = try shell(
      #"transitions = { { at = "counter.value", dispatch = "tasks.add", carry = function() return { title = "x" } end } }"#
    )
    _ = try shell.type("dispatch counter.increment --quiet", "undo", "redo")
    #expect(try shell.type("= #state.tasks.items").output == "1\n")
    // The plugin is gone then.
    #expect(try shell.type("undo --to 0").output.hasPrefix("#6 shell.restore to=0\n"))
    #expect(try shell.type("= #project('shell.log')").output == "6\n")
  }

  @Test func transitionsThatCannotBe() throws {
    #expect(
      try refusal(#"transitions = { { at = "p.phas", to = "work", dispatch = "go" } }"#).contains(
        "p: transition at 'p.phas': 'p' has no field 'phas'\n  at p/init.lua:1\n  hint: did you mean 'p.phase'?"))
    #expect(
      try refusal(#"transitions = { { at = "p.phase", to = "wrok", dispatch = "go" } }"#).contains(
        "p: transition at 'p.phase': to: "))
    #expect(
      try refusal(#"transitions = { { at = "tasks.itms", dispatch = "go" } }"#).contains("did you mean 'tasks.items'?"))
    #expect(try refusal(#"transitions = { { at = "tsks.items", dispatch = "go" } }"#).contains("did you mean 'tasks'?"))
    #expect(
      try refusal(#"transitions = { { at = "tasks.items", dispatch = "go" } }"#, permissions: "[]").contains(
        "hint: add \"read:tasks\" to permissions"))
    #expect(
      try refusal(#"transitions = { { at = "p.phase", dispatch = "tasks.remove" } }"#).contains(
        "may not dispatch 'tasks.remove'"))
    #expect(try refusal(#"transitions = { { at = "p.phase", dispatch = "put" } }"#).contains("'p.put' needs 'n' (Int)"))
    #expect(try refusal(#"transitions = { { at = "p..", dispatch = "go" } }"#).contains("this is no path"))
    #expect(try refusal(#"transitions = { { at = "p.phase.x", dispatch = "go" } }"#).contains("leads nowhere"))
  }

  @Test func auditAndCountsKnowRules() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { bridges = { { from = "tasks.add", to = "counter.increment" } },
        transitions = { { at = "counter.value", dispatch = "counter.setStep", carry = function() return { to = 1 } end } } }
      """, permissions: #"["read:tasks", "read:counter", "dispatch:counter.*", "timers"]"#)
    #expect(try shell.type("plugin load \(folder)").output.hasSuffix("\n  1 bridge, 1 transition\n"))
    _ = try shell.type("dispatch tasks.add x")
    #expect(
      try shell.type("plugin audit p").output == """
        plugin  permission          uses  required  needed
        p       read:tasks          0     true      read:tasks
        p       read:counter        0     true      read:counter
        p       dispatch:counter.*  2     true      dispatch:counter.increment, dispatch:counter.setStep
        p       timers              0     false     -
        p needed only "permissions": ["read:tasks", "read:counter", "dispatch:counter.increment", "dispatch:counter.setStep"]

        """)
  }

  /// What the state was, and what a reload makes of it, is nothing that the rules of one version understand.
  @Test func theRulesOfAnEarlierVersionAreNotAskedAboutTheNewState() throws {
    let shell = try Shell()
    func write(_ rest: String, _ version: String) throws {
      try shell.write("p/plugin.json", #"{"name":"p","version":"\#(version)","api":1}"#)
      try shell.write(
        "p/init.lua",
        "return plugin { state = { field('n', int()) }, actions = { { name = 'add' } }, "
          + "reducers = { add = function(s) s.n = s.n + 1 end }, \(rest) }")
    }
    try write("transitions = { { at = 'p.n', to = function(n) return n > 99 end, dispatch = 'add' } }", "1")
    _ = try shell.type("plugin load \(shell.folder)/p", "dispatch p.add --quiet")
    try write("migrate = function(old) return { n = old.n + 1000 } end", "2")
    let outcome = try shell.type("plugin reload p")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(try shell.type("show p.n").output == "1001\n")
    #expect(shell.session.store.live.recent().last?.action == "shell.reloadPlugin")
  }
}
