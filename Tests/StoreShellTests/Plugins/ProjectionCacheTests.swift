import Testing

@testable import StoreShell

/// Projections of plugins run again only when a slice has changed that they read.
@Suite struct ProjectionCacheTests {
  private func shell(json: Bool = false) throws -> Shell {
    let shell = try Shell {
      $0.grants = ["p", "q"]
      $0.isJSON = json
    }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("n", int()), field("uses", bool()) },
        actions = { { name = "put", args = { field("n", int()) } }, { name = "use" }, { name = "fail" } },
        reducers = { put = function(s, a) s.n = a.n end, use = function(s) s.uses = true end,
          fail = function(s) s.n = 100 error("no") end },
        projections = {
          { name = "mine", type = int(), fn = function(state) return state.p.n * 2 end },
          { name = "sum", type = int(), fn = function(state)
              if not state.p.uses then return state.p.n end
              return state.p.n + state.counter.value
            end },
          { name = "bad", type = int(), fn = function(state) return state.p.n > 5 and "x" or 1 end },
        },
      }
      """, permissions: #"["read:counter"]"#)
    _ = try shell.type("plugin load \(folder)")
    return shell
  }

  private func uses(_ shell: Shell, _ name: String) throws -> String {
    try shell.type("show shell.projections[name=\"p.\(name)\"] --json").output
  }

  @Test func whatDidNotChangeIsNotComputedAgain() throws {
    let shell = try shell()
    #expect(
      try shell.type("show p.mine", "show p.mine", "dispatch counter.increment --quiet", "show p.mine").output
        == "0\n0\n0\n")
    #expect(try uses(shell, "mine") == #"{"name":"p.mine","runs":1,"hits":2,"reads":["p"]}"# + "\n")
    #expect(try shell.type("dispatch p.put n=4 --quiet", "show p.mine", "show p.mine").output == "8\n8\n")
    #expect(try uses(shell, "mine") == #"{"name":"p.mine","runs":2,"hits":3,"reads":["p"]}"# + "\n")
    // What changed nothing, or failed, has changed nothing.
    #expect(try shell.type("dispatch p.put n=4 --quiet", "dispatch p.fail", "show p.mine").output == "8\n")
    #expect(try uses(shell, "mine").contains(#""runs":2,"hits":4"#))
  }

  @Test func whatItReadsMayChangeFromRunToRun() throws {
    let shell = try shell()
    _ = try shell.type("show p.sum", "dispatch counter.increment by=3", "show p.sum")
    #expect(try uses(shell, "sum").contains(#""runs":1,"hits":1,"reads":["p"]"#))
    #expect(try shell.type("dispatch p.use --quiet", "show p.sum").output == "3\n")
    #expect(try shell.type("dispatch counter.increment by=2 --quiet", "show p.sum", "show p.sum").output == "5\n5\n")
    #expect(try uses(shell, "sum").contains(#""runs":3,"hits":2,"reads":["p","counter"]"#))
  }

  @Test func aWatchAndTheSessionEachKeepIt() throws {
    let shell = try shell()
    _ = try shell.type("watch p.mine")
    let told = try shell.type(
      "dispatch p.put n=1 --quiet", "dispatch counter.increment --quiet", "= project(\"p.mine\")")
    #expect(told.errors == "[watch 1] p.mine  0 -> 2  (#2 p.put)\n")
    #expect(told.output == "2\n")
    // Twice with the store, for the watch, and once for the session alone (R34).
    #expect(try uses(shell, "mine").contains(#""runs":3,"#))
  }

  @Test func errorsAreNotKept() throws {
    let shell = try shell()
    #expect(try shell.type("show p.bad").output == "1\n")
    for _ in 1...2 { #expect(try shell.type("dispatch p.put n=6 --quiet", "show p.bad").status == 1) }
    #expect(try shell.type("dispatch p.put n=5 --quiet", "show p.bad").output == "1\n")
  }

  @Test func aWatchSaysOnceThatAProjectionFails() throws {
    let shell = try shell()
    _ = try shell.type("watch p.bad")
    for (value, told) in [(6, true), (7, false), (5, false), (6, true)] {
      let outcome = try shell.type("dispatch p.put n=\(value) --quiet")
      #expect(outcome.errors.hasPrefix("[watch 1] error[plugin-runtime]: p: projection 'p.bad': ") == told)
      #expect(outcome.errors.count { $0 == "\n" } == (told ? 1 : 0))
    }
  }

  @Test func aWatchSaysThatAProjectionHasGone() throws {
    func lua(_ name: String) -> String {
      "return plugin { projections = { { name = '\(name)', fn = function(s) return s.counter.value end } } }"
    }
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", lua("n"), permissions: #"["read:counter"]"#)
    _ = try shell.type("plugin load \(folder)", "watch p.n")
    #expect(try shell.type("plugin unload p").errors == "[watch 1] p.n  - 0  (#2 shell.unloadPlugin)\n")
    #expect(try shell.type("dispatch counter.increment").errors == "")
    #expect(try shell.type("plugin load \(folder)").errors == "[watch 1] p.n  + 1  (#4 shell.loadPlugin)\n")
    try shell.write("p/init.lua", lua("m"))
    #expect(try shell.type("plugin reload p").errors == "[watch 1] p.n  - 1  (#5 shell.reloadPlugin)\n")
  }

  @Test func aWatchSaysSoAsAnEvent() throws {
    let outcome = try shell(json: true).type("watch p.bad", "dispatch p.put n=6")
    let start = #"{"event":"watch","id":1,"path":"p.bad","error":{"code":"plugin-runtime","message":"p: "#
    #expect(outcome.output.contains(start))
  }

  @Test func anotherPluginThatComesAndGoesIsNoticed() throws {
    let shell = try Shell { $0.grants = ["p", "q"] }
    let reader = try shell.plugin(
      "p",
      """
      return plugin { projections = { { name = "n", fn = function(state)
        local ok, q = pcall(function() return state.q.n end) return ok and q or -1 end } } }
      """, permissions: #"["read:q"]"#)
    let other = try shell.plugin("q", "return plugin { state = { field(\"n\", int { default = 4 }) } }")
    #expect(try shell.type("plugin load \(reader)", "show p.n").output.hasSuffix("-1\n"))
    #expect(try shell.type("plugin load \(other)", "show p.n").output.hasSuffix("4\n"))
    #expect(try shell.type("plugin unload q", "show p.n").output.hasSuffix("-1\n"))
    try shell.write("q/init.lua", "return plugin { state = { field(\"n\", int { default = 5 }) } }")
    #expect(try shell.type("plugin load \(other)", "show p.n").output.hasSuffix("5\n"))
    try shell.write("q/init.lua", "return plugin { state = { field(\"n\", int { default = 6 }) } }")
    #expect(try shell.type("plugin reload q --reset", "show p.n").output.hasSuffix("6\n"))
  }
}
