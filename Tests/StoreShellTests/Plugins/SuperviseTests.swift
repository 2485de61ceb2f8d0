import Testing

@testable import StoreShell

/// What a middleware says of its tasks holds for as long as nothing has changed that it read.
@Suite struct SuperviseTests {
  /// A session with a plugin `p`, whose command `p asked` tells how often `supervise` ran since it was asked last.
  private func shell(_ condition: String) throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      local asked = 0
      return plugin {
        state = { field("on", bool()), field("n", int()) },
        actions = { { name = "go" }, { name = "halt" }, { name = "put", args = { field("n", int()) } } },
        reducers = {
          go = function(s) s.on = true end,
          halt = function(s) s.on = false end,
          put = function(s, a) s.n = a.n end,
        },
        middleware = { { name = "m", supervise = function(state)
          asked = asked + 1
          if \(condition) then
            local steps = 0
            return { t = function(task) while true do
              task:sleep(1)
              steps = steps + 1
              task:dispatch("put", { n = steps })
            end end }
          end
        end } },
        commands = { { name = "asked", run = function(_, cmd)
          cmd:print(asked)
          asked = 0
        end } },
      }
      """, permissions: #"["timers", "read:counter"]"#)
    _ = try shell.type("plugin load \(folder)", "p asked")
    return shell
  }

  private func asked(_ shell: Shell) throws -> String { try shell.type("p asked").output }

  @Test func isAskedAgainOnceSomethingChangedThatItRead() throws {
    let shell = try shell("state.p.on")
    _ = try shell.type("dispatch counter.increment", "dispatch counter.increment", "dispatch tasks.add title=a")
    #expect(try asked(shell) == "0\n")
    _ = try shell.type("dispatch p.go")
    #expect(try asked(shell) == "1\n")
    _ = try shell.type("dispatch counter.increment", "wait 500ms")
    #expect(try asked(shell) == "0\n")
    // The module that is read counts, not the field.
    _ = try shell.type("dispatch p.put n=7")
    #expect(try asked(shell) == "1\n")
    #expect(try shell.type("dispatch p.halt --quiet", "effects").output == "(no effects)\n")
    // Whatever changes the state.
    #expect(try shell.type("undo", "effects --as raw").output.contains("\np/m/t\tin 1.0s\t#"))
    #expect(try asked(shell) == "2\n")
  }

  @Test func isAskedAgainForEachModuleThatItReads() throws {
    let shell = try shell("state.p.on and state.counter.value < 2")
    _ = try shell.type("dispatch counter.increment")
    #expect(try asked(shell) == "0\n")
    _ = try shell.type("dispatch p.go")
    #expect(try shell.type("effects --as raw").output.hasPrefix("p/m/t\tin 1.0s\t#"))
    #expect(try asked(shell) == "1\n")
    #expect(try shell.type("dispatch counter.increment --quiet", "effects").output == "(no effects)\n")
    #expect(try asked(shell) == "1\n")
  }

  @Test func isAskedAgainAfterAFailure() throws {
    let shell = try shell(#"state.p.n == 5 and error("no")"#)
    #expect(try shell.type("dispatch p.put n=5").errors.contains("middleware 'm' (supervise): "))
    #expect(try shell.type("dispatch counter.increment").errors.contains("middleware 'm' (supervise): "))
    #expect(try asked(shell) == "2\n")
  }

  /// A task that starts again runs a function that has not run before.
  @Test func isAskedAgainOnceItsGateOpens() throws {
    let shell = try shell("state.p.on")
    _ = try shell.type("dispatch p.go", "wait 2500ms")
    #expect(try shell.type("show p.n").output == "2\n")
    #expect(try shell.type("middleware off p.m", "effects").output.hasSuffix("(no effects)\n"))
    _ = try shell.type("middleware on p.m", "wait 1500ms")
    #expect(try shell.type("show p.n").output == "1\n")
  }

  @Test func whichTasksAreWantedIsAskedOnceForEachState() throws {
    let shell = try Shell { $0.grants = ["dep"] }
    let base = try shell.plugin("base", "return plugin { state = { field(\"n\", int { default = 5 }) } }")
    let dep = try shell.plugin(
      "dep",
      """
      return plugin { middleware = { { name = "m", supervise = function(state)
        log.info("asked", pcall(function() return state.base.n end))
        if state.base.n > 0 then return { t = function(task) task:sleep(1) end } end
      end } } }
      """, permissions: #"["read:base", "timers"]"#)
    _ = shell.run("plugin load \(base)", "plugin load \(dep)")
    let unloaded = shell.run("plugin unload base")
    #expect(unloaded.errors.components(separatedBy: "[dep] asked").count == 2)
    #expect(unloaded.errors.components(separatedBy: "error[").count == 2)
    #expect(shell.run("plugin load \(base)").errors == "[dep] asked true 5\n")
  }
}
