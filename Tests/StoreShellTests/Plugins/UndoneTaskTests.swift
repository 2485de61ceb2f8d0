import Testing

@testable import StoreShell

/// `undo` takes back an action and all that it caused.
@Suite struct UndoneTaskTests {
  @Test func oneShotsEndWithTheActionThatStartedThem() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("ticks", int()) },
        actions = { { name = "put", args = { field("n", int()) } }, { name = "tick" } },
        reducers = { tick = function(s) s.ticks = s.ticks + 1 end },
        middleware = { { name = "m", on = { "put" }, after = function(action, ctx)
          ctx:task("k" .. action.args.n, function(task) task:sleep(2) task:dispatch("tick") end)
        end } },
      }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)", "dispatch p.put 1", "dispatch p.put 2")
    #expect(try shell.type("undo", "effects").output.hasSuffix("id      wakes\np/m/k1  in 2.0s\n"))
    _ = try shell.type("wait 3s")
    #expect(try shell.type("show p.ticks").output == "1\n")
    _ = try shell.type("dispatch p.put 3")
    #expect(try shell.type("undo --to 1", "effects").output.hasSuffix("(no effects)\n"))
    _ = try shell.type("wait 3s")
    #expect(try shell.type("show p.ticks").output == "0\n")
  }

  /// A unit that comes back has effects of its own: those that it had ended with it.
  @Test(arguments: [["plugin unload p", "undo"], ["undo --to 0", "redo"]])
  func aMiddlewareThatAnUndoBroughtBackStartsTasks(wayBack: [String]) throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("ticks", int()) },
        actions = { { name = "put" }, { name = "tick" } },
        reducers = { tick = function(s) s.ticks = s.ticks + 1 end },
        middleware = { { name = "m", on = { "put" }, after = function(action, ctx)
          ctx:task("k", function(task) task:sleep(2) task:dispatch("tick") end)
        end } },
      }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)", "dispatch p.put", "wait 3s")
    for statement in wayBack { _ = try shell.type(statement) }
    #expect(try shell.type("dispatch p.put", "effects").output.hasSuffix("id     wakes\np/m/k  in 2.0s\n"))
    _ = try shell.type("wait 3s")
    #expect(try shell.type("show p.ticks").output == "2\n")
  }
}
