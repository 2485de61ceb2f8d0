import Testing

@testable import StoreShell

/// Tasks that wait for actions which come in a burst.
@Suite struct WaitForTests {
  /// A session with a plugin `p`, in which `go` starts a task and `burst` causes the named actions, in order.
  private func shell(_ task: String) throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("got", list(text())) },
        actions = {
          { name = "go" }, { name = "stop" }, { name = "burst", args = { field("names", list(text())) } },
          { name = "a", args = { field("i", int()) } }, { name = "b", args = { field("i", int()) } },
          { name = "got", args = { field("what", text()) } },
        },
        reducers = { got = function(s, x) s.got[#s.got + 1] = x.what end },
        middleware = { { name = "m", on = { "go", "burst", "stop" }, after = function(action, ctx)
          if action.name == "p.burst" then
            for i, name in ipairs(action.args.names) do ctx:dispatch(name, name ~= "stop" and { i = i } or nil) end
          elseif action.name == "p.stop" then
            ctx:task("t", function() end)
          else
            ctx:task("t", function(task) \(task) end)
          end
        end } },
      }
      """, permissions: #"["timers"]"#)
    #expect(try shell.type("plugin load \(folder)", "dispatch p.go --quiet").status == 0)
    return shell
  }

  private func got(_ shell: Shell, _ lines: String...) throws -> String {
    for line in lines { #expect(try shell.type(line).errors == "") }
    return try shell.type("show p.got --json").output
  }

  /// Which of several kinds a task waits for next does not lose what came of the other in between.
  @Test func actionsOfSeveralKindsComeInTheirOrder() throws {
    let shell = try shell(
      """
      while true do
        local a = task:wait_for("a") task:dispatch("got", { what = "a" .. a.i })
        local b = task:wait_for("b") task:dispatch("got", { what = "b" .. b.i })
      end
      """)
    #expect(
      try got(shell, "dispatch p.burst names=[a,b,a,b] --quiet", "wait 1s") == #"["a1","b2","a3","b4"]"# + "\n")
    // Behind what it has waited for, nothing of before counts.
    #expect(
      try got(shell, "dispatch p.burst names=[b,a] --quiet", "wait 1s", "dispatch p.burst names=[b] --quiet", "wait 1s")
        == #"["a1","b2","a3","b4","a2","b1"]"# + "\n")
  }

  /// What passes while it sleeps is not waited for.
  @Test func aTaskThatSleepsMissesWhatPasses() throws {
    let shell = try shell(
      """
      while true do
        local a = task:wait_for("a") task:dispatch("got", { what = "a" .. a.i })
        task:sleep(5)
      end
      """)
    #expect(try got(shell, "dispatch p.burst names=[a,a,a] --quiet", "wait 6s") == #"["a1"]"# + "\n")
    #expect(try got(shell, "dispatch p.burst names=[b,a] --quiet", "wait 1s") == #"["a1","a2"]"# + "\n")
  }

  /// An action that comes in time ends a wait with a limit, and so do those behind it.
  @Test func aLimitCountsFromEachWait() throws {
    let shell = try shell(
      """
      for i = 1, 4 do
        local a = task:wait_for("a", 10)
        task:dispatch("got", { what = a and "a" .. a.i or "none" })
      end
      """)
    #expect(
      try got(shell, "wait 9s", "dispatch p.burst names=[a,a] --quiet", "wait 30s")
        == #"["a1","a2","none","none"]"# + "\n")
    #expect(try shell.type("effects").output == "(no effects)\n")
  }

  /// A task that is replaced while an action wakes it goes on with nothing, and nothing stays behind for others.
  @Test func aTaskThatIsReplacedWhileItWakesGetsNoMore() throws {
    let shell = try shell(
      """
      while true do local a = task:wait_for("a") task:dispatch("got", { what = "a" .. a.i }) end
      """)
    #expect(try got(shell, "dispatch p.burst names=[a,stop,a] --quiet", "wait 1s") == "[]\n")
    #expect(
      try got(shell, "dispatch p.go --quiet", "dispatch p.burst names=[a,a] --quiet", "wait 1s")
        == #"["a1","a2"]"# + "\n")
  }
}
