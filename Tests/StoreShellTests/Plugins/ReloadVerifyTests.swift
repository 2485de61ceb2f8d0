import Testing

@testable import StoreShell

/// `plugin reload --verify N`: the last actions through both versions first.
@Suite struct ReloadVerifyTests {
  private let shell: Shell

  init() throws {
    shell = try Shell { $0.grants = ["p", "q", "pomodoro"] }
  }

  private func write(add: String = "s.n = s.n + a.by", state: String = "field(\"n\", int())", _ rest: String = "")
    throws
  {
    try shell.write(
      "p/plugin.json",
      #"{"name":"p","version":"1.0.0","api":1,"permissions":["reduce:counter","read:counter","timers"]}"#)
    try shell.write(
      "p/init.lua",
      """
      return plugin {
        state = { \(state) },
        actions = { { name = "add", args = { field("by", int { default = 1 }) } }, { name = "echo" } },
        reducers = { add = function(s, a, meta) \(add) end },
        middleware = { { name = "m", on = { "echo" }, after = function(_, ctx) ctx:dispatch("add", { by = 5 }) end } },
        \(rest)
      }
      """)
  }

  private func load() throws {
    _ = try shell.type(
      "plugin load \(shell.folder)/p", "dispatch p.add by=2", "dispatch counter.increment", "dispatch p.echo",
      "dispatch tasks.add milk")
  }

  private func verify(_ count: Int) throws -> Shell.Outcome { try shell.type("plugin reload p --verify \(count)") }

  @Test func versionsThatAgree() throws {
    try write()
    try load()
    try write(add: "local by = a.by; s.n = s.n + by")
    #expect(
      try verify(100)
        == .init(output: "#7 shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n  state kept\n  5 actions verified\n"))
    // An earlier version whose state had the same type bounds nothing, nor does a reload of the same code.
    _ = try shell.type("dispatch p.add")
    #expect(try verify(100).output.hasSuffix("\n  6 actions verified\n"))
    _ = try shell.type("dispatch p.add")
    #expect(try verify(100).output.hasSuffix("\n  7 actions verified\n"))
    #expect(try verify(3).output.hasSuffix("\n  1 action verified\n"))
  }

  @Test func othersGoOnMeanwhile() throws {
    try write()
    try load()
    let live = shell.session.store.live
    var (checks, held) = (0, 0)
    shell.session.interrupts.isRequested = {
      checks += 1
      if live.store.isMine { held += 1 }
      return false
    }
    #expect(try verify(100).status == 0)
    #expect(checks >= 5)
    #expect(held == 0, "of \(checks)")
  }

  @Test func theFirstDivergence() throws {
    try write()
    try load()
    try write(add: "s.n = s.n + math.min(a.by, 4)")
    let outcome = try verify(100)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        error[replay-diverged]: p: state after #5 p.add differs from that of the previous version
          #5 p.add by=5  <- plugin:p/m
          caused by #4 p.echo  <- repl:4
          p.n  7 -> 6
          hint: the previous version is still active

        """)
    #expect(outcome.status == 1)
    #expect(try shell.type("dispatch p.add by=9").output == "#7 p.add by=9\n  p.n  7 -> 16\n")
    #expect(try shell.type("plugin list --as raw").output.contains("\treload failed\t"))
    // The last actions only: the one that differs is the fourth from the end now.
    #expect(try shell.type("dispatch p.add", "dispatch counter.reset").status == 0)
    #expect(try verify(2).status == 0)
  }

  @Test func oneVersionFails() throws {
    try write()
    try load()
    try write(add: "error('no')")
    #expect(
      try verify(100).errors.contains(
        """
          #2 p.add by=2  <- repl:2
          the edited version failed: p: reducer 'p.add': \(shell.folder)/p/init.lua:4: no

        """))
    try write(add: "if a.by > 100 then error('no') end s.n = s.n + a.by")
    #expect(try verify(100).status == 0)
    _ = try shell.type("dispatch p.add by=101")
    try write()
    #expect(try verify(100).errors.contains("the previous version failed: p: reducer 'p.add'"))
    // A failure is no strike against the plugin that runs.
    for _ in 1...4 { _ = try verify(100) }
    #expect(try shell.type("dispatch p.add by=1").output.contains("p.n  7 -> 8\n"))
  }

  @Test func anActionThatIsGoneOrTakesOtherArguments() throws {
    try write()
    try load()
    let text = try #require(shell.contents("p/init.lua"))
    try shell.write("p/init.lua", text.replacing("int { default = 1 }", with: "int { max = 4 }"))
    #expect(try verify(100).errors.contains("the edited version failed: 'by' must be <= 4, got 5\n"))
    try shell.write(
      "p/init.lua",
      text.replacing("{ name = \"echo\" }", with: "").replacing("on = { \"echo\" }", with: "on = { \"add\" }"))
    #expect(try verify(100).errors.contains("the edited version failed: there is no action 'p.echo'\n"))
  }

  @Test func anotherSchema() throws {
    try write()
    try load()
    let double = "s.twice = s.twice + 2 * a.by"
    let migrate = "migrate = function(old) log.info('moved') return { twice = old.n * 2 } end"
    try write(add: double, state: "field(\"twice\", int())", migrate)
    let outcome = try verify(100)
    #expect(outcome.output.hasSuffix("\n  state migrated\n  5 actions verified\n"))
    // For the present state; the others are none of anybody's business.
    #expect(outcome.errors.ranges(of: "moved").count == 1, "\(outcome)")
    #expect(try shell.type("show p --json").output == "{\"twice\":14}\n")
    try write()
    #expect(
      try verify(100).errors.hasPrefix(
        "error[plugin-schema]: p: the running state no longer fits: p has no field 'twice'"))
  }

  @Test func anotherSchemaThatDiverges() throws {
    try write()
    try load()
    try write(
      add: "s.twice = s.twice + 3 * a.by", state: "field(\"twice\", int())",
      "migrate = function(old) return { twice = old.n * 2 } end")
    #expect(try verify(100).errors.contains("  p.twice  4 -> 6\n"))
  }

  @Test func liftedReducers() throws {
    let lifted = "lifted = { { at = \"counter\", on = \"counter.increment\", reduce = function(s) s.step = N end } }"
    try write(lifted.replacing("N", with: "1"))
    try load()
    try write(lifted.replacing("N", with: "s.value + 4"))
    #expect(
      try verify(100).errors.contains("  #3 counter.increment  <- repl:3\n  counter.step  1 -> 5\n"))
  }

  @Test func whatAnActionWasKnownBy() throws {
    try write(add: "s.n = s.n + meta.id * 100 + math.floor(meta.at)")
    try load()
    _ = try shell.type("wait 3s", "dispatch p.add")
    #expect(try verify(100).status == 0)
  }

  /// Back to where the state got the type that it has, by whatever way: earlier states are none that the versions know.
  @Test func asFarBackAsTheStateHasItsType() throws {
    try write()
    try load()
    let other = "field(\"n\", int()), field(\"twice\", int { default = 1 })"
    try write(state: other)
    _ = try shell.type("plugin reload p", "dispatch p.add")
    #expect(try verify(100).output.hasSuffix("\n  1 action verified\n"))
    // One that comes back by an undo of the reload knows only what happens from there.
    _ = try shell.type("undo --to 6", "dispatch p.add by=3", "dispatch p.add by=4")
    try write()
    #expect(try verify(100).output.hasSuffix("\n  2 actions verified\n"))
    try write(add: "s.n = s.n + math.min(a.by, 3)")
    #expect(try verify(100).errors.contains("p.add by=4  <- "))
    // One that was away begins anew.
    _ = try shell.type("plugin unload p", "plugin load \(shell.folder)/p", "dispatch p.add by=1")
    #expect(try verify(100).output.hasSuffix("\n  1 action verified\n"))
  }

  /// What sessions before did counts, whatever code ran then, as long as the state had the type.
  @Test func actionsOfEarlierSessions() throws {
    let file = "\(shell.folder)/s.store"
    #expect(shell.openStore(file) == .init())
    try write(state: "field(\"n\", int()), field(\"gone\", int())")
    try load()
    try write()
    _ = try shell.type("plugin reload p --reset", "dispatch p.add by=9")
    try write(add: "s.n = s.n + 1 * a.by")
    #expect(try shell.type("plugin reload p", "dispatch p.add by=1").status == 0)
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let next = try Shell { $0.grants = ["p"] }
    #expect(next.openStore(file) == .init())
    try write(add: "s.n = s.n + math.min(a.by, 8)")
    #expect(try next.type("plugin reload p --verify 100").errors.contains("#8 p.add by=9  <- "))
    try write(add: "local by = a.by; s.n = s.n + by")
    #expect(try next.type("plugin reload p --verify 100").output.hasSuffix("\n  2 actions verified\n"))
  }

  @Test func otherPluginsCameAndWentMeanwhile() throws {
    try write()
    _ = try shell.plugin(
      "q",
      """
      return plugin { state = { field("sum", int()) }, reducers = { ["p.add"] = function(s, a) s.sum = s.sum + a.by end } }
      """, permissions: #"["read:p"]"#)
    let other = try shell.plugin(
      "r",
      "return plugin { state = { field('x', int()) }, actions = { { name = 'go' } }, reducers = { go = function(s) s.x = 1 end } }"
    )
    try load()
    _ = try shell.type(
      "plugin load \(shell.folder)/q", "dispatch p.add", "plugin load \(other)", "dispatch r.go", "dispatch p.add by=3",
      "plugin unload r", "plugin reload q --reset", "dispatch p.add by=4", "plugin unload q", "dispatch p.add by=6")
    #expect(try shell.type("show p.n").output == "21\n")
    #expect(try verify(100).output.hasSuffix("\n  9 actions verified\n"))
    // Those that are compared are the last ones.
    _ = try shell.type("dispatch p.add by=7", "dispatch p.add by=8", "plugin load \(other)")
    try write(add: "s.n = a.by == 7 and 0 or s.n + a.by")
    #expect(try verify(100).errors.contains("p.add by=7  <- "))
    #expect(try verify(2).status == 0)
  }

  @Test func theShippedPluginWithItsClock() throws {
    let text = try #require(
      Shell.contents("\(Shell.package)/plugins/pomodoro/init.lua"))
    try shell.write("pomodoro/init.lua", text)
    try shell.write(
      "pomodoro/plugin.json", try #require(Shell.contents("\(Shell.package)/plugins/pomodoro/plugin.json")))
    _ = try shell.type(
      "plugin load \(shell.folder)/pomodoro", "dispatch tasks.add x", "dispatch pomodoro.start minutes=1 task=1",
      "wait 70s")
    try shell.write("pomodoro/init.lua", text.replacing("s.left - 1", with: "s.left - 2"))
    let outcome = try shell.type("plugin reload pomodoro --verify 100")
    #expect(
      outcome.errors == """
        error[replay-diverged]: pomodoro: state after #4 pomodoro.tick differs from that of the previous version
          #4 pomodoro.tick  <- plugin:pomodoro/clock
          caused by #3 pomodoro.start minutes=1 task=1  <- repl:3
          pomodoro.left  59 -> 58
          hint: the previous version is still active

        """)
    #expect(try shell.type("show pomodoro.phase").output == "\"rest\"\n")
    #expect(try shell.type("plugin reload pomodoro --verify 3").status == 1)
    #expect(
      try shell.type("plugin reload pomodoro --verify 1").output.hasSuffix("\n  state kept\n  1 action verified\n"))
  }
}
