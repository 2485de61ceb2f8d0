import Testing

@testable import StoreShell

/// `undo` and `redo`: new actions that bring back everything that a point held.
@Suite struct UndoTests {
  private static let greeter = """
    return plugin {
      state = { field("n", int { min = 0 }) },
      actions = { { name = "go" }, { name = "tick", quiet = true } },
      reducers = { tick = function(s) s.n = s.n + 1 end },
      middleware = {
        { name = "m", on = { "go" }, after = function(_, ctx) for i = 1, 2 do ctx:dispatch("greeter.tick") end end },
        { name = "clock", supervise = function(state)
          if state.greeter.n == 4 then return { beat = function(task) while true do task:sleep(1) end end } end
        end },
      },
      projections = { { name = "double", type = int(), fn = function(state) return state.greeter.n * 2 end } },
    }
    """

  private func shell() throws -> (Shell, String) {
    let shell = try Shell { $0.grants = ["greeter"] }
    let folder = try shell.plugin(
      "greeter", Self.greeter, permissions: "[\"dispatch:greeter.tick\",\"timers\"]")
    return (shell, folder)
  }

  @Test func consequencesGoAlong() throws {
    let (shell, folder) = try shell()
    _ = try shell.type("plugin load \(folder)", "dispatch counter.increment", "dispatch greeter.go")
    #expect(
      try shell.type("undo").output
        == "#6 shell.restore to=2  (takes back #3 greeter.go and 2 later actions)\n  greeter.n  2 -> 0\n")
    #expect(
      try shell.type("undo").output
        == "#7 shell.restore to=1  (takes back #2 counter.increment)\n  counter.value  1 -> 0\n")
    #expect(
      try shell.type("redo").output
        == "#8 shell.restore to=2  (brings back #2 counter.increment)\n  counter.value  0 -> 1\n")
    #expect(
      try shell.type("redo").output == "#9 shell.restore to=5  (brings back #3 greeter.go)\n  greeter.n  0 -> 2\n")
    #expect(try shell.type("redo").errors == "error[nothing-to-redo]: there is nothing to redo\n")
    #expect(
      try shell.type("undo 9").errors == "error[nothing-to-undo]: only 3 of your statements can be taken back\n")
  }

  /// A refused action changed nothing that goes with the last one.
  @Test func aRefusedActionIsNotCounted() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "bad" } },
        reducers = { bad = function() error("no") end } }
      """)
    _ = try shell.type("plugin load \(folder)", "dispatch counter.increment", "dispatch p.bad")
    #expect(
      try shell.type("undo").output
        == "#4 shell.restore to=1  (takes back #2 counter.increment)\n  counter.value  1 -> 0\n")
  }

  /// What a plugin's command dispatched is taken back as a whole, and nothing that was done before it.
  @Test func theRunOfACommandIsOneStep() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go" } },
        reducers = { go = function(s) s.n = s.n + 1 end },
        commands = { { name = "twice", run = function(_, cmd) cmd:dispatch("go") cmd:wait(1) cmd:dispatch("go") end } } }
      """)
    _ = try shell.type("plugin load \(folder)", "dispatch counter.increment", "p twice", "p twice")
    #expect(
      try shell.type("undo").output
        == "#7 shell.restore to=4  (takes back p twice: #5-#6)\n  p.n  4 -> 2\n")
    #expect(try shell.type("redo").output == "#8 shell.restore to=6  (brings back p twice: #5-#6)\n  p.n  2 -> 4\n")
    #expect(try shell.type("undo", "undo").output.hasSuffix("(takes back p twice: #3-#4)\n  p.n  2 -> 0\n"))
    #expect(try shell.type("why p.n").output.hasPrefix("#10 shell.restore to=2  <- repl:8\n"))
    #expect(try shell.type("why #3").output.hasPrefix("#3 p.go  <- plugin:p/twice <- repl:3\n"))
    // After it nothing is left to redo, as after any other action.
    _ = try shell.type("p twice")
    #expect(try shell.type("redo").errors == "error[nothing-to-redo]: there is nothing to redo\n")
    #expect(try shell.type("show p.n").output == "2\n")
  }

  @Test func aPluginIsUnloadedAndBroughtBack() throws {
    let (shell, folder) = try shell()
    _ = try shell.type(
      "dispatch counter.increment", "plugin load \(folder)", "dispatch greeter.go", "dispatch greeter.go",
      "watch greeter.n")
    #expect(try shell.type("effects").output.contains("greeter/clock/beat"))
    let undone = try shell.type("undo --to 1", "describe greeter")
    #expect(
      undone.output
        == "#9 shell.restore to=1\n")
    #expect(undone.errors.contains("error[unknown-module]"))
    #expect(try shell.type("dispatch greeter.go").errors.contains("unknown action 'greeter.go'"))
    #expect(try shell.type("effects").output == "(no effects)\n")
    #expect(try shell.type("middleware").output.split(separator: "\n").count == 2)
    // Back with its state, its projection, its middlewares and its tasks.
    #expect(try shell.type("redo").output.hasPrefix("#10 shell.restore to=8  (brings back 3 statements, #2-#8: "))
    #expect(try shell.type("show greeter.double").output == "8\n")
    #expect(try shell.type("effects").output.contains("greeter/clock/beat"))
    let again = try shell.type("dispatch greeter.go", "show greeter.n")
    #expect(again.output == "#11 greeter.go  (changed nothing)\n  #12-13 greeter.tick x2 <- plugin:greeter/m\n6\n")
    #expect(try shell.type("effects").output == "(no effects)\n")
  }

  @Test func unloadingIsTakenBack() throws {
    let (shell, folder) = try shell()
    _ = try shell.type("plugin load \(folder)", "dispatch greeter.go", "plugin unload greeter")
    #expect(try shell.type("show greeter.n").errors.contains("unknown-path"))
    #expect(
      try shell.type("undo").output
        == "#6 shell.restore to=4  (takes back #5 shell.unloadPlugin)\n")
    #expect(
      try shell.type("dispatch greeter.tick", "show greeter.n").output == "#7 greeter.tick\n  greeter.n  2 -> 3\n3\n")
    #expect(try shell.type("plugin list").output.contains("greeter"))
  }

  @Test func gatesAndSettingsAreRestoredToo() throws {
    let shell = try Shell()
    let settings = ["emit", "journal.limit", "plugin.purity", "runaway"].map {
      "show shell.settings[name=\($0)].value --as raw"
    }
    _ = try shell.type(
      "middleware on logger", "set emit never", "set runaway 5", "set plugin.purity always", "set journal.limit 70")
    #expect(
      try shell.type("undo --to 0", "show shell.middleware[1].gate --as raw").output == "#6 shell.restore to=0\noff\n")
    #expect(
      try settings.map { try shell.type($0).output }.joined()
        == "whenDifferent\n100000, 64MiB\nsampled\n1000\n")
    let redo = try shell.type("redo", "show shell.middleware[1].gate --as raw").output
    #expect(
      redo.hasPrefix("#7 shell.restore to=5  (brings back 5 statements, #1-#5: shell.setGate, ")
        && redo.hasSuffix(")\non\n"))
    #expect(
      try settings.map { try shell.type($0).output }.joined()
        == "never\n70, 64MiB\nalways\n5\n")
    // The gate stands open in fact.
    #expect(try shell.type("dispatch counter.increment --quiet").errors.contains("[logger]"))
    _ = try shell.type("undo --to 0", "watch counter.value")
    #expect(try shell.type("dispatch counter.increment --quiet").errors.hasPrefix("[watch 1]"))
  }

  @Test func watchersAreTold() throws {
    let shell = try Shell()
    _ = try shell.type("watch counter.value", "dispatch counter.increment", "dispatch counter.increment")
    #expect(try shell.type("undo 2").errors == "[watch 1] counter.value  2 -> 0  (#3 shell.restore)\n")
  }

  @Test func whatIsUndoneIsToldInJSON() throws {
    let shell = try Shell {
      $0.isJSON = true
      $0.who = "ann"
    }
    let outcome = shell.run("dispatch counter.increment", "undo")
    #expect(
      outcome.output.contains(
        #"{"ok":true,"line":2,"data":{"id":2,"action":"shell.restore","args":{"to":0},"who":"ann","changes":[{"op":"#
          + #""replace","path":"counter.value","from":1,"to":0}],"takesBack":[{"id":1,"action":"counter.increment","#
          + #""args":{},"who":"ann"}]}}"#))
  }

  @Test func whatIsNotKeptCannotBeReturnedTo() throws {
    let shell = try Shell()
    _ = try shell.type("set journal.limit 1", "lua for i = 1, 600 do dispatch('counter.increment') end")
    let oldest = shell.session.store.live.oldest
    #expect(oldest > 300)
    #expect(
      try shell.type("undo --to 3").errors
        == "error[not-kept]: #3 is no longer kept: the history goes back to #\(oldest)\n  undo --to 3\n            ^\n"
        + "  hint: set journal.limit says how much is kept; --store FILE keeps all of it\n")
    #expect(try shell.type("goto 3").errors.hasPrefix("error[not-kept]: "))
    #expect(
      try shell.type("undo 600").errors
        == "error[not-kept]: one statement dispatched #2-#601, and the history goes back to #\(oldest) only: it cannot be taken back as a whole\n  hint: `undo --to \(oldest)` takes back what is kept of it; set journal.limit says how much is kept; --store FILE keeps all of it\n"
    )
    #expect(try shell.type("log --all").errors == "note: the history goes back to #\(oldest + 1)\n")
    #expect(try shell.type("undo --to \(oldest)", "show counter.value").output.hasSuffix("\n\(oldest - 1)\n"))
  }

  @Test func whatATaskOrAScriptDidIsFound() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "dispatch counter.increment", "lua dispatch('counter.increment')", "undo", "show counter.value")
    #expect(
      outcome.output.hasSuffix("#3 shell.restore to=1  (takes back #2 counter.increment)\n  counter.value  2 -> 1\n1\n")
    )
  }
}
