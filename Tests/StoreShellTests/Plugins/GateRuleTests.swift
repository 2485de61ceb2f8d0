import Testing

@testable import StoreShell

/// Gates that actions or the state move (R21), of Lua middlewares and, at the prompt, of any.
@Suite struct GateRuleTests {
  /// A session with a plugin `p` whose middleware `m` has a gate, and counts the actions `x` that it has seen.
  private func shell(_ gate: String, _ more: String = "") throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.code(gate, more), permissions: #"["timers","read:counter"]"#)
    let loaded = try shell.type("plugin load \(folder)")
    guard loaded.errors == "" else { throw PluginFault(text: loaded.errors) }
    return shell
  }

  private struct PluginFault: Error {
    let text: String
  }

  private static func code(_ gate: String, _ more: String = "") -> String {
    """
    return plugin {
      state = { field("open", bool()), field("mode", enum { "loud", "quiet" }), field("seen", int()), field("n", int()) },
      actions = { { name = "x" }, { name = "saw" }, { name = "start" }, { name = "stop" }, { name = "tick" },
        { name = "set", args = { field("open", bool()) } },
        { name = "level", args = { field("to", enum { "loud", "quiet", "same" }), field("why", optional(text())) } },
        { name = "fail", args = { field("open", bool()) } } },
      reducers = {
        saw = function(s) s.seen = s.seen + 1 end,
        tick = function(s) s.n = s.n + 1 end,
        set = function(s, a) s.open = a.open end,
        fail = function(s) s.nothing = 1 end,
      },
      middleware = { { name = "m", on = { "x" }, gate = \(gate),
        after = function(_, ctx) ctx:dispatch("saw") end, \(more) } },
    }
    """
  }

  /// How many of the actions `x` the middleware saw, of one behind each command.
  private func seen(_ shell: Shell, behind commands: String...) throws -> [Int] {
    try commands.map { command in
      _ = try shell.type(command)
      let before = try #require(Int(try shell.type("show p.seen --as raw").output.dropLast()))
      _ = try shell.type("dispatch p.x --quiet")
      return try #require(Int(try shell.type("show p.seen --as raw").output.dropLast())) - before
    }
  }

  @Test func anArgumentMovesIt() throws {
    let shell = try shell(#"{ control = "set", start = "off" }"#)
    #expect(
      try seen(shell, behind: "echo", "dispatch p.set true", "dispatch p.set false", "dispatch p.set true") == [
        0, 1, 0, 1,
      ])
    #expect(try shell.type("show shell.middleware[name=p.m].held --as raw").output == "2\n")
  }

  @Test func valuesThatAreNeitherLeaveItAsItIs() throws {
    let shell = try shell(#"{ control = "level", arg = "to", on = "loud", off = "quiet" }"#)
    #expect(
      try seen(
        shell, behind: "dispatch p.level same", "dispatch p.level quiet", "dispatch p.level same",
        "dispatch p.level loud")
        == [1, 0, 0, 1])
  }

  @Test func twoActionsMoveIt() throws {
    let shell = try shell(#"{ on = "start", off = "stop" }"#)
    #expect(try seen(shell, behind: "dispatch p.stop", "dispatch p.stop", "dispatch p.start") == [0, 0, 1])
    #expect(try shell.type("dispatch p.stop --quiet", "middleware").output.contains("off by action"))
  }

  /// A control action is forwarded whatever the gate, where the middleware wants to hear of it; it sees the gate moved.
  @Test func controlActionsAreAlwaysForwarded() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      Self.code(#"{ on = "start", off = "stop" }"#).replacing(#"on = { "x" }"#, with: #"on = { "x", "start", "stop" }"#)
    )
    _ = try shell.type("plugin load \(folder)")
    // What it emits behind a gate that the action has shut is dropped.
    _ = try shell.type("dispatch p.stop --quiet", "dispatch p.x --quiet", "dispatch p.start --quiet")
    #expect(try shell.type("show p.seen", "show shell.middleware[name=p.m].dropped").output == "1\n1\n")
    #expect(try shell.type("show shell.middleware[name=p.m].seen").output == "2\n")
  }

  /// A rule that is read back compares what it did before.
  @Test func aRuleOfAnyTypeIsReadBack() throws {
    let code = """
      return plugin {
        state = { field("d", decimal { scale = 2 }), field("r", record("R", { field("b", int()), field("a", int()) })) },
        actions = { { name = "set", args = { field("to", decimal { scale = 2 }) } } },
        reducers = { set = function(s, a) s.d = a.to end },
        middleware = { { name = "m", on = { "set" }, after = function() end } },
      }
      """
    let shell = try Shell { $0.grants = ["dc"] }
    let (folder, path) = (try shell.plugin("dc", code), "\(shell.folder)/a.db")
    #expect(shell.openStore(path) == .init())
    let rules = [
      ("--at dc.d --is 1.50", "on"), ("--at dc.r --is { b = 0, a = 0 }", "on"),
      ("--control dc.set --on 1.00 --off 1.50", "off by action"),
    ]
    for (index, (rule, position)) in rules.enumerated() {
      if shell.session.store.plugin(named: "dc") == nil { _ = try shell.type("plugin load \(folder)") }
      let given = try shell.type(
        "middleware gate dc.m \(rule)", "dispatch dc.set 1.00 --quiet", "dispatch dc.set 1.50 --quiet", "middleware")
      #expect(given.output.contains(position), "\(given)")
      let reader = try Shell { $0.grants = ["dc"] }
      #expect(reader.openStore(try shell.killedCopy(of: path, as: "\(index).db")).status == 0)
      let read = try reader.type("middleware")
      #expect(read.output.contains(position), "\(read)")
      let next = try reader.type("dispatch dc.set 1.00 --quiet", "dispatch dc.set 1.50 --quiet", "middleware")
      #expect(next.output.contains(position), "\(next)")
    }
  }

  @Test func theStateMovesIt() throws {
    let shell = try shell(#"{ at = "counter.step", is = 5 }"#)
    #expect(try seen(shell, behind: "echo", "dispatch counter.setStep 5", "dispatch counter.setStep 4") == [0, 1, 0])
    #expect(try shell.type("middleware").output.contains("off by state"))
    #expect(try shell.type("undo 2 --quiet", "dispatch p.x --quiet", "show p.seen").output == "2\n")
  }

  /// Its tasks run while both gates stand open.
  @Test func tasksFollowIt() throws {
    let task =
      "supervise = function() return { t = function(task) while true do task:sleep(1) task:dispatch('tick') end end } end"
    for (rule, shut, open) in [
      (#"{ at = "p.open" }"#, "dispatch p.set false", "dispatch p.set true"),
      (#"{ control = "set", start = "off" }"#, "dispatch p.set false", "dispatch p.set true"),
    ] {
      let shell = try shell(rule, task)
      #expect(try shell.type("effects", "wait 3s", "show p.n").output == "(no effects)\n0\n")
      #expect(try shell.type("\(open) --quiet", "wait 3s", "show p.n").output == "3\n")
      #expect(try shell.type("\(shut) --quiet", "wait 3s", "show p.n").output == "3\n")
      #expect(try shell.type("\(open) --quiet", "middleware off p.m", "wait 3s", "show p.n").output.hasSuffix("3\n"))
      #expect(try shell.type("middleware on p.m", "wait 2s", "show p.n").output.hasSuffix("\n5\n"))
    }
  }

  /// The position is state: it comes back with it, and with the store.
  @Test func thePositionIsTakenBackKeptAndReplayed() throws {
    let shell = try shell(#"{ on = "start", off = "stop" }"#)
    #expect(try seen(shell, behind: "dispatch p.stop", "undo 2", "undo --to 4") == [0, 1, 0])
    let recording = "\(shell.folder)/run.jsonl"
    #expect(try shell.type("export journal \(recording)", "replay \(recording) --verify").status == 0)
    let writer = try Shell { $0.grants = ["p"] }
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(shell.folder)/p", "dispatch p.stop --quiet").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try Shell { $0.grants = ["p"] }
    #expect(reader.openStore(store) == .init())
    #expect(try seen(reader, behind: "echo", "dispatch p.start") == [0, 1])
  }

  /// The units of a plugin that is loaded anew stand as the state says.
  @Test(arguments: [(#""off""#, "start"), (#""on""#, "stop")])
  func aReloadKeepsWhereItStands(start: String, action: String) throws {
    let task =
      "supervise = function() return { t = function(task) while true do task:sleep(1) task:dispatch('tick') end end } end"
    let shell = try shell("{ on = \"start\", off = \"stop\", start = \(start) }", task)
    let isOpen = action == "start"
    _ = try shell.type("dispatch p.\(action) --quiet", "plugin reload p")
    #expect(try seen(shell, behind: "echo") == [isOpen ? 1 : 0])
    #expect(try shell.type("wait 2s", "show p.n").output == (isOpen ? "2\n" : "0\n"))
    #expect(try shell.type("middleware --as raw").output.contains("p.m\t\(isOpen ? "on" : "off by action")"))
  }

  /// The gate has its rule, and one place in listings, whatever brought the plugin: a replay, a reload behind it, the store's
  /// file.
  @Test func theRuleOutlivesAReplay() throws {
    let shell = try shell(#"{ on = "start", off = "stop" }"#)
    let recording = "\(shell.folder)/run.jsonl"
    _ = try shell.type("dispatch p.stop --quiet", "middleware off p.m --quiet", "middleware on p.m --quiet")
    #expect(try shell.type("export journal \(recording)", "replay \(recording)", "plugin reload p").status == 0)
    #expect(try shell.type("middleware --as raw").output.contains("p.m\toff by action"))
    #expect(try seen(shell, behind: "echo", "dispatch p.start") == [0, 1])
    #expect(try shell.type("show shell.middleware[*].name").output.split(separator: "p.m").count == 2)
  }

  /// What somebody has set stays where the plugin's code is exchanged; what the plugin declares follows its code.
  @Test func aRuleThatWasGivenOutlivesAReload() throws {
    let shell = try shell(#"{ on = "start", off = "stop" }"#)
    _ = try shell.type("middleware gate p.m --at counter.step --is 5", "plugin reload p")
    #expect(try shell.type("middleware --as raw").output.contains("p.m\toff by state"))
    #expect(try seen(shell, behind: "dispatch counter.setStep 5", "dispatch p.stop") == [1, 1])
    _ = try shell.type("middleware gate p.m --none", "plugin reload p")
    #expect(try seen(shell, behind: "dispatch p.stop", "dispatch counter.setStep 1") == [1, 1])
    let writer = try Shell { $0.grants = ["p"] }
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(shell.folder)/p", "middleware gate p.m --none").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try Shell { $0.grants = ["p"] }
    #expect(reader.openStore(store) == .init())
    _ = try reader.type("plugin reload p")
    #expect(try seen(reader, behind: "dispatch p.stop") == [1])
    _ = try reader.type("plugin unload p", "plugin load \(shell.folder)/p")
    #expect(try seen(reader, behind: "dispatch p.stop", "dispatch p.start") == [0, 1])
  }

  /// Actions that come before those are done that keep the gate's position.
  @Test func aBurstLeavesItWhereTheLastOneMovedIt() throws {
    let burst = { (first: String, second: String) in
      """
      { name = "b", on = { "tick" }, after = function(_, ctx) ctx:dispatch("\(first)") ctx:dispatch("\(second)") end },
      { name = "m",
      """
    }
    for (first, second, isOpen) in [("start", "stop", false), ("stop", "start", true)] {
      let shell = try Shell { $0.grants = ["p"] }
      let code = Self.code(#"{ on = "start", off = "stop" }"#).replacing(
        #"{ name = "m","#, with: burst(first, second))
      _ = try shell.plugin("p", code, permissions: #"["timers","read:counter"]"#)
      _ = try shell.type("plugin load \(shell.folder)/p")
      for before in ["start", "stop"] {
        #expect(try seen(shell, behind: "echo").count == 1)
        _ = try shell.type("dispatch p.\(before) --quiet", "dispatch p.tick --quiet")
        #expect(try seen(shell, behind: "echo") == [isOpen ? 1 : 0], "\(first) \(second) after \(before)")
        #expect(try shell.type("middleware --as raw").output.contains("p.m\t\(isOpen ? "on" : "off by action")"))
      }
    }
  }

  /// What keeps the position belongs to the action that moved the gate.
  @Test func thePositionGoesWithItsAction() throws {
    let shell = try shell(#"{ on = "start", off = "stop" }"#)
    _ = try shell.type("dispatch p.stop --quiet", "dispatch p.x --quiet")
    #expect(try shell.type("undo --to 2").output.hasPrefix("#5 shell.restore to=3"))
    #expect(try seen(shell, behind: "echo", "dispatch p.start") == [0, 1])
    let other = try self.shell(#"{ on = "start", off = "stop" }"#)
    _ = try other.type("dispatch p.stop --quiet", "skip 2")
    #expect(try other.type("middleware --as raw").output.contains("p.m\ton"))
  }

  /// A middleware that is new in the code with which a store is opened has the gate that it declares.
  @Test func aNewMiddlewareHasItsOwnGate() throws {
    let writer = try Shell { $0.grants = ["p"] }
    let folder = try writer.plugin("p", Self.code(#""on""#), permissions: #"["timers","read:counter"]"#)
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    _ = try writer.plugin(
      "p",
      Self.code(#"{ on = "start", off = "stop", start = "off" }"#).replacing(#"name = "m""#, with: #"name = "new""#),
      permissions: #"["timers","read:counter"]"#)
    let reader = try Shell { $0.grants = ["p"] }
    _ = reader.openStore(store)
    #expect(try seen(reader, behind: "echo", "dispatch p.start") == [0, 1])
  }

  @Test func underUseTheRuleHasTheFullName() throws {
    let shell = try Shell()
    let line = "middleware gate logger --control setStep --on 5 --off 2"
    #expect(try shell.type("use counter", line).output.contains(#"control = ["counter.setStep"]"#))
    _ = try shell.type("dispatch setStep 2 --quiet")
    #expect(try shell.type("middleware --as raw").output.contains("logger\toff"))
  }

  /// What an action does that fails is undone, and the gate stays where it was.
  @Test func anActionThatFailsMovesNothing() throws {
    let shell = try shell(#"{ control = "fail" }"#)
    #expect(try seen(shell, behind: "dispatch p.fail false") == [1])
  }

  @Test(arguments: [
    (#""ajar""#, "gate must be \"on\", \"off\" or a rule, got string \"ajar\""),
    (#"{ at = "p.nothing" }"#, "'p' has no field 'nothing'"),
    (#"{ at = "tasks.items" }"#, "needs to read 'tasks'"),
    (#"{ at = "p.mode", is = "shrill" }"#, "gate: is: "),
    (#"{ at = "p.open", on = 1 }"#, "on cannot be combined with at"),
    (#"{ control = "level" }"#, "'p.level' has 2 arguments: arg = NAME says which one moves the gate"),
    (#"{ control = "x" }"#, "'p.x' has 0 arguments"),
    (#"{ control = "level", arg = "too" }"#, "'p.level' has no argument 'too'"),
    (#"{ control = "set", on = 3 }"#, "gate: on: "),
    (#"{ on = "start" }"#, "off must be the name of an action, got nil"),
    (#"{ on = "strat", off = "stop" }"#, "for unknown action 'p.strat'"),
    (#"{ control = "set", is = true }"#, "is needs at"),
    (#"{ contrl = "set" }"#, "contrl"),
    (#"{ control = "set", on = true, off = true }"#, "on and off must differ"),
    (#"{ on = "start", off = "start" }"#, "on and off must differ"),
  ])
  func aRuleThatMeansNothingIsRefused(rule: String, message: String) throws {
    let fault = #expect(throws: PluginFault.self) { try shell(rule) }
    #expect(fault?.text.contains(message) == true, "\(fault?.text ?? "")")
  }

  // MARK: At the prompt

  @Test func theStateMovesTheGateOfASwiftMiddleware() throws {
    let shell = try Shell()
    #expect(
      try shell.type("middleware on logger", "middleware gate logger --at counter.step --is 5").output
        == """
        #1 shell.setGate name="logger" open=true
        #2 shell.setRule name="logger" rule={ at = "counter.step", is = 5 }

        """)
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
    #expect(try shell.type("middleware --as raw").output.contains("logger\toff by state"))
    // The state before decides: what opens it is not told.
    #expect(try shell.type("dispatch counter.setStep 5 --quiet").errors == "")
    #expect(try shell.type("dispatch counter.increment --quiet").errors.contains("[logger]"))
    #expect(
      try shell.type("middleware gate logger --none", "dispatch counter.setStep 1 --quiet").errors.contains("[logger]"))
    #expect(try shell.type("dispatch counter.increment --quiet").errors.contains("[logger]"))
  }

  @Test func actionsMoveIt() throws {
    let shell = try Shell()
    _ = try shell.type("middleware on logger", "middleware gate logger --control counter.setStep --on 2 --off 1")
    #expect(try shell.type("dispatch counter.setStep 1 --quiet").errors.contains("[logger]"))
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
    #expect(try shell.type("dispatch counter.setStep 2 --quiet").errors.contains("[logger]"))
    #expect(try shell.type("dispatch counter.increment --quiet").errors.contains("[logger]"))
    _ = try shell.type(
      "middleware gate logger --on tasks.add --off tasks.remove", "dispatch tasks.add a --quiet",
      "dispatch tasks.remove 1 --quiet")
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
    // A script says it again.
    let script = "\(shell.folder)/again.stsh"
    #expect(try shell.type("export journal \(script) --as stsh").status == 0)
    let again = try Shell()
    #expect(again.run("source \(script)", "dispatch counter.increment --quiet").errors.hasSuffix(""))
    #expect(again.run("middleware --as raw").output.contains("logger\toff by action"))
    let recording = "\(shell.folder)/run.jsonl"
    #expect(try shell.type("export journal \(recording)", "replay \(recording) --verify").status == 0)
  }

  @Test(arguments: [
    ("middleware gate logger", "needs --at PATH"),
    ("middleware gate logger --at counter.nothing", "unknown-path"),
    ("middleware gate logger --at counter.step --is five", "type-mismatch"),
    ("middleware gate logger --control counter.nothing", "unknown-action"),
    ("middleware gate logger --control counter.reset", "counter.reset has 0 arguments"),
    ("middleware gate logger --control counter.setStep --arg by", "no argument 'by'"),
    ("middleware on logger --at counter.step", "unknown-flag"),
    ("middleware gate logger --at counter.step", "'counter.step' is Int, so it needs --is VALUE"),
    ("middleware gate logger --at tasks.summary --is a", "'tasks.summary' is not in the state"),
    ("middleware gate logger --at shell.middleware --is a", "not in the state"),
    ("middleware gate logger --control counter.setStep", "'to' of counter.setStep is Int, so it needs --on VALUE"),
    ("middleware gate logger --control counter.setStep --on 2", "so it needs --off VALUE"),
    ("middleware gate logger --control counter.setStep --on 2 --off 2", "--on and --off must differ"),
    ("middleware gate logger --on tasks.add --off tasks.add", "--on and --off must differ"),
    ("middleware gate logger --on tasks.add", "needs --off ACTION"),
    ("middleware gate logger --at counter.step --is 5 --control tasks.add", "--control and --at cannot be combined"),
    ("middleware gate logger --none --at counter.step", "--at and --none cannot be combined"),
    ("middleware gate logger --on tasks.add --off tasks.remove --is 5", "--is and --on cannot be combined"),
    ("middleware gate loger --none", "did you mean 'logger'?"),
  ])
  func whatMeansNothingIsRefused(line: String, message: String) throws {
    let outcome = try Shell().type(line)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.errors.contains("^"), "\(outcome.errors)")
  }
}
