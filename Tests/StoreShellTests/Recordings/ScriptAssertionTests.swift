import Testing

@testable import StoreShell

/// A script of what happened asserts what came of it.
@Suite struct ScriptAssertionTests {
  private static let quota = """
    return plugin {
      state = { field("n", int()), field("m", int()), field("names", list(text())) },
      actions = { { name = "add", args = { field("by", int()) } }, { name = "noop" } },
      reducers = {
        add = function(s, a) if a.by > 5 then refuse("too much") end s.n = s.n + a.by end,
        noop = function(s) end,
      },
    }
    """

  private static let register = """
    return plugin {
      state = { field("names", map(int())) },
      actions = { { name = "put", args = { field("k", text()) } }, { name = "noop" } },
      reducers = { put = function(s, a) s.names[a.k] = 1 end, noop = function(s) end },
    }
    """

  @Test(arguments: [
    ("s.names[a.k] = 1", "s.names[a.k] = 1 s.names.more = 2"),
    ("noop = function(s) end", "noop = function(s) s.names.more = 2 end"),
  ])
  func aScriptTellsHowManyAMapHolds(old: String, new: String) throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("register", Self.register)
    _ = shell.run(
      "plugin load \(folder)", "dispatch register.put x", "dispatch register.noop",
      "export journal \(folder)/r.stsh --as stsh")
    #expect(
      shell.contents("register/r.stsh") == """
        # run with: stsh --grant register FILE
        plugin load "\(folder)"
        lua \(StateAssertions.countFunction)
        assert count(state.register.names) == 0
        dispatch register.put k="x"
        assert count(state.register.names) == 1
        assert state.register.names.x == 1
        dispatch register.noop
        assert count(state.register.names) == 1

        """)
    func status() throws -> Int32 {
      let other = try Shell { $0.isQuiet = true }
      return other.outcome { other.session.run(file: "\(folder)/r.stsh", arguments: []) }.status
    }
    #expect(try status() == 0)
    _ = try shell.plugin("register", Self.register.replacing(old, with: new))
    #expect(try status() == 3)
  }

  /// The texts of the state stand in Lua, where no dollar may name a variable.
  @Test func aTextWithDollarsIsAsserted() throws {
    let shell = try Shell { $0.isQuiet = true }
    let text = "is it $ok, $1, ${err} or $$_?"
    #expect(shell.run("dispatch tasks.add '\(text)'", "export journal \(shell.folder)/a.stsh").status == 0)
    let script = try #require(shell.contents("a.stsh"))
    #expect(script.contains("assert "))
    let again = try Shell { $0.isQuiet = true }
    #expect(try again.run(script: script).status == 0)
    #expect(again.run("show tasks.items[1].title --as raw").output == "\(text)\n")
  }

  /// Its sides are those that were compared, however it ends.
  @Test func anAssertEvaluatesItsSidesOnce() throws {
    let shell = try Shell { $0.isQuiet = true }
    let add = "lua function add() dispatch('counter.increment') return state.counter.value end"
    #expect(shell.run(add).status == 0)
    let outcome = shell.run("assert add() == 7")
    #expect(outcome.status == 3 && outcome.errors.contains("left   add() = 1\n  right  7 = 7\n"), "\(outcome)")
    #expect(shell.run("assert 2 == add()").errors == "")
    #expect(shell.run("assert add() + 1 > add() * 1").errors.contains("left   add() + 1 = 4\n  right  add() * 1 = 4"))
    #expect(shell.run("show counter.value").output == "4\n")
    #expect(shell.run("assert print == 1").errors.contains("left   print = no value"))
    #expect(shell.run("assert (state.counter.value) == 4, 5").status != 0)
  }

  @Test func aScriptTellsWhatFailedAndWhatChangedNothing() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("quota", Self.quota)
    _ = shell.run("plugin load \(folder)", "dispatch quota.add 2", "dispatch quota.noop")
    _ = shell.run(
      "try dispatch quota.add 9", "plugin unload quota", "undo", "export journal \(folder)/q.stsh --as stsh")
    #expect(
      shell.contents("quota/q.stsh") == """
        # run with: stsh --grant quota FILE
        plugin load "\(folder)"
        assert state.quota.n == 0
        assert state.quota.m == 0
        assert #state.quota.names == 0
        dispatch quota.add by=2
        assert state.quota.n == 2
        dispatch quota.noop
        assert state.quota.n == 2
        assert state.quota.m == 0
        assert #state.quota.names == 0
        try dispatch quota.add by=9
        assert not ok
        assert err.code == "refused"
        assert state.quota.n == 2
        assert state.quota.m == 0
        assert #state.quota.names == 0
        plugin unload quota
        undo --to 4
        assert state.quota.n == 2
        assert state.quota.m == 0
        assert #state.quota.names == 0

        """)
    func outcome(_ old: String, _ new: String) throws -> String {
      _ = try shell.plugin("quota", Self.quota.replacing(old, with: new))
      let other = try Shell { $0.isQuiet = true }
      return other.outcome { other.session.run(file: "\(folder)/q.stsh", arguments: []) }.errors
    }
    let unchanged = try outcome("", "")
    #expect(unchanged.hasPrefix("\(folder)/q.stsh:12:"), "\(unchanged)")
    #expect(!unchanged.contains("assert"))
    #expect(try outcome("a.by > 5", "a.by > 50").contains("q.stsh:13:1: error[assert-failed]"))
    #expect(
      try outcome("noop = function(s)", "noop = function(s) s.m = 5").contains("q.stsh:10:1: error[assert-failed]"))
    #expect(
      try outcome("field(\"m\", int())", "field(\"m\", int { default = 1 })").contains(
        "q.stsh:4:1: error[assert-failed]"))
  }
}
