import Testing

@testable import StoreShell

/// R20 with thunks of plugins, and the command that runs them.
@Suite struct ThunkTests {
  private static let asked = #"["read:counter", "dispatch:counter.increment", "dispatch:counter.decrement"]"#

  /// A session with a plugin `p` whose thunks are given.
  private func shell(_ thunks: String, rest: String = "", permissions: String = asked) throws -> Shell {
    let shell = try Shell { $0.grants = ["p", "q"] }
    let folder = try shell.plugin("p", "return plugin { thunks = {\n\(thunks)\n}, \(rest) }", permissions: permissions)
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return shell
  }

  private static let update = """
    update = function(args, t)
      local goal = args.goal or 3
      while t:get().counter.value < goal do t:dispatch_wait("counter.increment") end
      while t:get().counter.value > goal do t:dispatch_wait("counter.decrement", { by = 1 }) end
    end,
    """

  @Test func aThunkWaitsForWhatItDispatches() throws {
    let shell = try shell(Self.update)
    let updated = try shell.type("thunk p.update")
    #expect(
      updated.output.hasPrefix("#2 thunk:p.update\n  #3 counter.increment <- ") && updated.errors == "", "\(updated)")
    #expect(try shell.type("thunk update goal=1 --quiet", "show counter.value") == .init(output: "1\n"))
    #expect(
      try shell.type("log --all").output.split(separator: "\n").dropFirst(2).map {
        $0.split(separator: "  ").map { $0.trimmed }.joined(separator: "|")
      } == [
        "#2|0.0s|repl:2|thunk:p.update|-",
        "#3|0.0s|plugin:p/thunk|counter.increment|counter.value",
        "#4|0.0s|plugin:p/thunk|counter.increment|counter.value",
        "#5|0.0s|plugin:p/thunk|counter.increment|counter.value", "#6|0.0s|repl:3|thunk:p.update goal=1|-",
        "#7|0.0s|plugin:p/thunk|counter.decrement by=1|counter.value",
        "#8|0.0s|plugin:p/thunk|counter.decrement by=1|counter.value",
      ])
    #expect(
      try shell.type("show shell.log[n=5].source --json").output.contains(
        #""kind":"effect","plugin":"p","unit":"thunk","cause":2}"#))
  }

  @Test(arguments: ["p.update", "update"])
  func aThunkOfAPluginThatIsOff(name: String) throws {
    let shell = try shell(Self.update)
    _ = try shell.type("plugin disable p")
    let errors = try shell.type("thunk \(name)").errors
    #expect(errors.hasPrefix("error[unknown-thunk]: there is no thunk '\(name)'\n"))
    #expect(errors.contains("hint: p is off; plugin enable p\n"))
  }

  @Test func declaredArgumentsAreChecked() throws {
    let shell = try shell(
      """
      add = { doc = "Adds.", args = { field("by", int { min = 1 }), field("times", int { default = 1 }) },
        run = function(a, t) for _ = 1, a.times do t:dispatch("counter.increment", { by = a.by }) end end },
      """)
    let added = try shell.type("thunk add 4 times=2", "show counter.value").output
    #expect(
      added.hasPrefix("#2 thunk:p.add by=4 times=2\n  #3 ") && added.hasSuffix("\n    counter.value  4 -> 8\n8\n"),
      "\(added)")
    #expect(try shell.type("thunk add").errors.hasPrefix("error[missing-argument]: thunk p.add needs 'by' (Int)\n"))
    #expect(try shell.type("thunk add by=0").errors.hasPrefix("error[out-of-range]: 'by' must be >= 1, got 0"))
    #expect(try shell.type("thunk add by=1 tmes=2").errors.contains("hint: did you mean 'times'?"))
    #expect(
      try shell.type("thunk").output == "name   arguments           summary\np.add  by:Int times:Int=1  Adds.\n")
  }

  @Test func whatCannotBeRun() throws {
    let shell = try shell(Self.update)
    #expect(try shell.type("thunk updte").errors.hasSuffix("^~~~~\n  hint: did you mean 'update'?\n"))
    #expect(try shell.type("thunk p.update 5").errors.contains("thunk p.update takes arguments by name, each once"))
    let other = try shell.plugin("q", "return plugin { thunks = { update = function() end } }")
    _ = try shell.type("plugin load \(other)")
    #expect(try shell.type("thunk update").errors.contains("hint: write one of p.update, q.update"))
    #expect(try shell.type("thunk q.update").status == 0)
    #expect(try shell.type("plugin disable q", "thunk q.update").errors.contains("there is no thunk 'q.update'"))
  }

  @Test func aThunkIsToldWhyAnActionWasNotCommitted() throws {
    let shell = try shell(
      """
      try = function(_, t)
        local ok, why = t:dispatch_wait("fail")
        t:dispatch("note", { text = tostring(ok) .. " " .. tostring(why) })
        ok, why = t:dispatch_wait("gone")
        t:dispatch("note", { text = tostring(ok) .. " " .. tostring(why) })
        ok, why = t:dispatch_wait("note", { text = "fine" })
        t:dispatch("note", { text = tostring(ok) .. " " .. tostring(why) })
      end
      """,
      rest: """
        interceptors = { function(_, _, next) return function(action)
          if action.name ~= "p.gone" then next(action) end end end },
        state = { field("notes", list(text())) },
        actions = { { name = "fail" }, { name = "gone" }, { name = "note", args = { field("text", text()) } } },
        reducers = { fail = function() error("no", 0) end, gone = function() end,
          note = function(s, a) s.notes[#s.notes + 1] = a.text end },
        """, permissions: #"["intercept"]"#)
    // The error reaches who dispatched it, the thunk (R7): the statement has done what it should.
    let tried = try shell.type("thunk try")
    #expect(tried.output.hasPrefix("#2 thunk:p.try\n  #3 p.fail <- ") && tried.status == 0, "\(tried)")
    #expect(tried.errors == "note: p.gone was dropped by p.interceptor1\n")
    #expect(
      try shell.type("show p.notes --json").output
        == #"["false p: reducer 'p.fail': no","false dropped by p.interceptor1","fine","true nil"]"# + "\n")
    #expect(try shell.type("log").output.contains("failed: p: reducer 'p.fail': no"))
  }

  @Test func whatAThunkDoesNotWaitForFailsItsStatement() throws {
    let shell = try shell(
      """
      emit = function(_, t) t:dispatch("fail") end,
      pass = function(_, t) assert(t:dispatch_wait("fail")) end,
      """,
      rest: """
        actions = { { name = "fail" } }, reducers = { fail = function() error("no", 0) end },
        """)
    let emitted = try shell.type("thunk emit")
    #expect(emitted.errors == "error[plugin-runtime]: p: reducer 'p.fail': no\n")
    #expect(emitted.status == 1)
    let passed = try shell.type("thunk pass")
    #expect(passed.errors.contains("error[plugin-task]: p: thunk 'p/thunk/pass#4' failed: "))
    #expect(passed.errors.contains("init.lua:3: p: reducer 'p.fail': no\n  task started by #4 thunk:p.pass (repl:3)"))
    #expect(passed.status == 1)
  }

  @Test func aThunkThatFailsEndsAndSaysWhoStartedIt() throws {
    let shell = try shell(
      """
      early = function() error("at once") end,
      late = function(_, t) t:dispatch_wait("counter.increment") error("later") end,
      denied = function(_, t) t:dispatch("tasks.add", { title = "x" }) end,
      spin = function(_, t) t:dispatch("counter.increment") while true do end end,
      lost = function() coroutine.yield(1) end,
      """)
    let early = try shell.type("thunk early")
    #expect(early.status == 1)
    #expect(early.errors.contains("error[plugin-task]: p: thunk 'p/thunk/early#2' failed: "))
    #expect(early.errors.contains("init.lua:2: at once"))
    #expect(early.errors.contains("task started by #2 thunk:p.early (repl:2)"))
    #expect(try shell.type("thunk late").errors.contains("later"))
    #expect(
      try shell.type("thunk denied").errors.contains(
        "failed: may not dispatch 'tasks.add'\n  task started by #5 thunk:p.denied (repl:4)\n  hint: add \"dispatch:tasks.add\""
      ))
    #expect(try shell.type("plugin enable p", "thunk spin").errors.contains("used more than 200_000 VM instructions"))
    #expect(try shell.type("thunk lost").errors.contains("it paused by itself; wait with t:dispatch_wait(action)"))
    #expect(try shell.type("show counter.value", "effects").output == "2\n(no effects)\n")
  }

  @Test func aThunkThatNeverEndsIsStoppedByTheRunawayGuard() throws {
    let shell = try shell("loop = function(_, t) while true do t:dispatch_wait(\"counter.increment\") end end")
    let outcome = try shell.type("thunk loop")
    #expect(outcome.errors.contains("error[runaway]"), "\(outcome.errors)")
    #expect(try shell.type("effects", "show counter.value").output == "(no effects)\n1000\n")
  }

  @Test func definitionsThatAreNone() throws {
    func refusal(_ thunks: String) throws -> String {
      let shell = try Shell()
      return try shell.type("plugin load \(try shell.plugin("p", "return plugin { thunks = \(thunks) }"))").errors
    }
    #expect(try refusal("{ function() end }").contains("p: the keys of thunks must be names, got number 1"))
    #expect(
      try refusal("{ a = 7 }").contains("p: thunk 'a' must be function(args, t) or a table with run, got number 7"))
    #expect(try refusal("{ a = { args = {} } }").contains("p: thunk 'a' needs run = function(args, t) … end"))
    #expect(try refusal("{ a = { runs = 1 } }").contains("hint: did you mean 'run'?"))
  }

  @Test func tabKnowsThunks() throws {
    let shell = try shell(
      "add = { args = { field(\"by\", int()), field(\"big\", bool()) }, run = function() end }, rest = function() end")
    func complete(_ line: String) -> LineCompletion {
      Completer(shell.session).complete(line: line, cursor: line.utf8.count, openLines: [])
    }
    #expect(complete("thunk p").candidates.map(\.text) == ["p"])
    #expect(complete("thunk p.").candidates.map(\.text) == ["p.add", "p.rest"])
    #expect(complete("thunk p.add ").note == "p.add by:Int big:Bool")
    #expect(complete("thunk p.add b").candidates.map(\.text) == ["by=", "big="])
    #expect(complete("thunk add big=").candidates.map(\.text) == ["big=true", "big=false"])
  }
}

extension Substring {
  fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }

  /// A loop over what is refused says so once.
  @Test func whatIsRefusedManyTimesIsToldOnce() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "take" } }, reducers = { take = function() refuse("sold out") end },
        thunks = { many = function(_, t) for _ = 1, 50 do t:dispatch("take") end end } }
      """)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("thunk p.many").errors == "error[refused]: p: sold out\n  and 49 more times\n")
  }
}
