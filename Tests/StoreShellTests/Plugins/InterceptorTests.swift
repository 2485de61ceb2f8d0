import Testing

@testable import StoreShell

/// R5 with interceptors of plugins.
@Suite struct InterceptorTests {
  private static let asked = #"["intercept", "read:counter", "dispatch:counter.increment"]"#

  /// A session with a plugin `guard` whose interceptors are given.
  private func shell(_ interceptors: String, rest: String = "", permissions: String = asked) throws -> Shell {
    let shell = try Shell { $0.grants = ["guard", "other"] }
    let folder = try shell.plugin("guard", Self.text(interceptors, rest: rest), permissions: permissions)
    #expect(try shell.type("plugin load \(folder)").status == 0)
    return shell
  }

  private static func text(_ interceptors: String, rest: String = "") -> String {
    "return plugin { interceptors = {\n\(interceptors)\n}, \(rest) }"
  }

  /// The error with which a plugin with these interceptors is refused.
  private func refusal(_ interceptors: String, permissions: String = asked) throws -> String {
    let shell = try Shell { $0.grants = ["guard"] }
    let folder = try shell.plugin("guard", Self.text(interceptors), permissions: permissions)
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.status == 4)
    #expect(outcome.output == "")
    #expect(
      try shell.type("describe", "dispatch counter.increment").output.hasSuffix(
        "#1 counter.increment\n  counter.value  0 -> 1\n"))
    return outcome.errors.replacing(folder, with: "guard")
  }

  private static let limit = """
    function(dispatch, get, next)
      return function(action)
        if action.name == "counter.increment" and get().counter.value >= 2 then return end
        next(action)
      end
    end
    """

  @Test func anInterceptorDropsAnAction() throws {
    let shell = try shell(Self.limit)
    let outcome = try shell.type(
      "dispatch counter.increment --quiet", "dispatch counter.increment by=2 --quiet", "dispatch counter.increment",
      "dispatch counter.decrement", "log 2")
    #expect(
      outcome.output == """
        #4 counter.increment  (dropped by guard.interceptor1)
        #5 counter.decrement
          counter.value  3 -> 2
        n   at    source  action             changed
        #4  0.0s  repl:4  counter.increment  dropped by guard.interceptor1
        #5  0.0s  repl:5  counter.decrement  counter.value

        """)
    #expect(outcome.errors == "")
  }

  /// `--json` tells what the text does: that an action was dropped, and that one was applied though something failed.
  @Test func asData() throws {
    let shell = try shell(
      Self.limit,
      rest: """
        middleware = { { name = "m", on = { "counter.reset" }, after = function() error("first") end },
          { name = "n", on = { "counter.reset" }, after = function() error("second") end } }
        """)
    shell.session.options.isJSON = true
    let dropped = shell.run("dispatch counter.increment", "dispatch counter.increment", "dispatch counter.increment")
    #expect(
      dropped.output.hasSuffix(
        #"{"ok":true,"line":3,"data":{"id":4,"action":"counter.increment","changes":[],"droppedBy":"guard.interceptor1"}}"#
          + "\n"))
    let failed = shell.run("dispatch counter.reset")
    #expect(failed.output.split(separator: "\n").count == 1)
    #expect(
      failed.output.contains(#"second","column":1,"details":["error[plugin-runtime]: guard: middleware 'm' (after): "#))
    #expect(
      failed.output.hasSuffix(
        #""data":{"id":5,"action":"counter.reset","changes":[{"op":"replace","path":"counter.value","from":2,"to":0}]}}"#
          + "\n"))
  }

  @Test func anInterceptorPassesOnAnotherAction() throws {
    let shell = try shell(
      """
      function(_, _, next)
        return function(action)
          if action.name ~= "counter.increment" then return next(action) end
          next { name = "counter.increment", args = { by = (action.args.by or 1) * 10 } }
        end
      end,
      function(_, _, next)
        return function(action)
          if action.name == "counter.reset" then next("counter.setStep", { to = 7 }) else next(action) end
        end
      end
      """)
    let outcome = try shell.type("dispatch counter.increment by=2", "dispatch counter.reset", "log 2")
    #expect(
      outcome.output
        == """
        #2 counter.increment by=20  (dispatched as counter.increment by=2)
          counter.value  0 -> 20
        #3 counter.setStep to=7  (dispatched as counter.reset)
          counter.step  1 -> 7
        n   at    source  action                                                   changed
        #2  0.0s  repl:2  counter.increment by=20 (was counter.increment by=2)  counter.value
        #3  0.0s  repl:3  counter.setStep to=7 (was counter.reset)              counter.step

        """.replacing("                 changed", with: "              changed"))
    shell.session.options.isJSON = true
    #expect(
      shell.run("dispatch counter.increment by=3").output.contains(
        #""action":"counter.increment","changes":[{"op":"replace","path":"counter.value","from":20,"to":50}],"#
          + #""dispatchedAs":"counter.increment by=3""#))
  }

  @Test func anInterceptorDispatchesAndSeesTheStateBeforeAndAfter() throws {
    let shell = try shell(
      """
      function(dispatch, get, next)
        return function(action)
          local before = get().counter.value
          next(action)
          if action.name == "counter.decrement" then
            dispatch("counter.increment", { by = before * 100 + get().counter.value })
          end
        end
      end
      """)
    let outcome = try shell.type("dispatch counter.increment by=5 --quiet", "dispatch counter.decrement", "log 1")
    #expect(outcome.output.contains("counter.increment by=504"), "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.contains("plugin:guard/interceptor1"))
    #expect(try shell.type("show shell.log[n=4].source.cause").output == "3\n")
  }

  @Test func theOuterOneIsListedFirstAndThePluginLoadedFirstIsOutermost() throws {
    let shell = try shell(
      """
      function(_, _, next) return function(action) next { name = "counter.setStep", args = { to = action.args.to * 10 + 1 } } end end,
      function(_, _, next) return function(action) next { name = "counter.setStep", args = { to = action.args.to * 10 + 2 } } end end
      """)
    let other = try shell.plugin(
      "other",
      """
      local function third(_, _, next)
        return function(action) next { name = "counter.setStep", args = { to = action.args.to * 10 + 3 } } end
      end
      return plugin { interceptors = { third } }
      """, permissions: #"["intercept"]"#)
    _ = try shell.type("plugin load \(other)")
    #expect(try shell.type("dispatch counter.setStep to=9").output.hasSuffix("counter.step  1 -> 9123\n"))
    #expect(
      try shell.type("plugin unload guard --json", "dispatch counter.setStep to=9").output.hasSuffix("9123 -> 93\n"))
    #expect(try shell.type("plugin disable other", "dispatch counter.setStep to=9").output.hasSuffix("93 -> 9\n"))
    #expect(try shell.type("plugin enable other", "dispatch counter.setStep to=9").output.hasSuffix("9 -> 93\n"))
  }

  @Test func theActionSaysWhereItComesFromAndEndsWithTheCall() throws {
    let shell = try shell(
      """
      function(dispatch, get, next)
        local kept
        return function(action)
          if kept then local ok, why = pcall(function() return kept.name end); if not ok then error(why, 0) end end
          kept = action
          if action.source.line ~= 2 or action.id ~= 2 or action.at ~= 0 then error("wrong") end
          next(action)
        end
      end
      """)
    #expect(try shell.type("dispatch counter.increment").errors == "")
    // One facade serves all calls, so that a kept one speaks of the present action.
    #expect(try shell.type("dispatch counter.increment").errors.contains("wrong"))
  }

  @Test func withoutThePermissionNothingIsLoaded() throws {
    #expect(
      try refusal(Self.limit, permissions: "[]")
        == """
        error[plugin-schema]: guard: interceptors may drop or replace any action, and it may not
          at guard/init.lua:1
          hint: add "intercept" to permissions in plugin.json

        """)
  }

  @Test func dispatchingWhileTheChainIsBuiltIsAnErrorThatNamesIt() throws {
    let error = try refusal(
      """
      function(dispatch, get, next)
        dispatch("counter.increment")
        return function(action) next(action) end
      end
      """)
    #expect(
      error
        == "error[plugin-load]: guard: interceptor 'interceptor1': guard/init.lua:3: dispatches while the chain is being built; dispatch in answer to an action\n"
    )
  }

  @Test func whatMakesNoInterceptorIsRefused() throws {
    #expect(try refusal("function() end").contains("interceptor 'interceptor1' made nil, not a function"))
    #expect(
      try refusal("7").contains("interceptors must be a list of function(dispatch, get, next) … end, got number 7"))
    #expect(try refusal("function() error('no') end").contains("interceptor 'interceptor1': guard/init.lua:2: no"))
    #expect(try refusal("function(_, _, next) next('counter.reset') end").contains("calls next out of turn"))
    #expect(try refusal("function() while true do end end").contains("used more than 200_000 VM instructions"))
  }

  @Test func whatFailsLetsTheActionPassAsItCame() throws {
    let shell = try shell(
      """
      function(_, _, next)
        return function(action)
          local by = action.args.by
          if by == 1 then error("before") end
          if by == 2 then next { name = "counter.increment", args = { by = "x" } } end
          if by == 3 then next { name = "counter.incremnt" } end
          if by == 4 then while true do end end
          if by == 5 then next(action); error("after") end
          if by == 6 then next(action); next(action) end
          next(action)
        end
      end
      """)
    func run(_ by: Int) throws -> Shell.Outcome {
      try shell.type(
        "dispatch counter.increment by=\(by)", "plugin enable guard --json", "dispatch counter.setStep to=1")
    }
    for (by, message) in [
      (1, "before"), (2, "counter.increment: 'by' must be Int, got string \"x\""),
      (3, "unknown action 'counter.incremnt'"),
      (4, "used more than 200_000 VM instructions"), (5, "after"), (6, "calls next out of turn"),
    ] {
      let outcome = try run(by)
      #expect(outcome.output.contains("counter.increment by=\(by)\n"), "\(outcome.output)")
      #expect(outcome.errors.hasPrefix("error[plugin-"), "\(outcome.errors)")
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
      #expect(outcome.errors.contains("counter.increment was applied\n"), "\(outcome.errors)")
    }
    #expect(try shell.type("show counter.value").output == "21\n")
  }

  @Test func threeFailuresInARowTakeItsInterceptorsOut() throws {
    let shell = try shell("function(_, _, next) return function(action) error('no') end end")
    for _ in 1...2 { #expect(try shell.type("dispatch counter.increment").status == 1) }
    #expect(
      try shell.type("dispatch counter.increment").errors.hasSuffix(
        "note: guard is off after 3 failures in a row; plugin enable guard\n"))
    #expect(try shell.type("dispatch counter.increment").status == 0)
    #expect(try shell.type("plugin enable guard", "dispatch counter.increment").status == 1)
    #expect(try shell.type("show counter.value").output == "5\n")
  }

  @Test func aReducerThatFailsInsideIsNotTheInterceptorsFault() throws {
    let shell = try shell(
      """
      function(_, _, next) return function(action) next(action) end end
      """,
      rest:
        "state = { field('n', int()) }, actions = { { name = 'spin' } }, reducers = { spin = function() while true do end end }"
    )
    let outcome = try shell.type("dispatch guard.spin")
    #expect(outcome.errors.contains("reducer 'guard.spin' used more than 200_000 VM instructions"))
    #expect(!outcome.errors.contains("interceptor"))
  }

  @Test func aReducerInsideReachesNothingButItsDraft() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let folder = try shell.plugin(
      "guard",
      """
      local kept = {}
      return plugin {
        state = { field("n", int()) }, actions = { { name = "state" }, { name = "part" } },
        reducers = {
          state = function(s) s.n = kept.get().counter.value end,
          part = function(s) s.n = kept.part.value end,
        },
        interceptors = { function(_, get, next)
          kept.get = get
          return function(action) kept.part = get().counter next(action) end
        end },
      }
      """, permissions: Self.asked)
    #expect(try shell.type("plugin load \(folder)").status == 0)
    #expect(
      try shell.type("dispatch guard.state").errors.contains("state cannot be read in a reducer; it gets its draft"))
    #expect(
      try shell.type("dispatch guard.part").errors.contains(
        "this part of the state was valid only during the call that gave it"))
    #expect(try shell.type("show guard.n").output == "0\n")
  }

  @Test func theShellsOwnActionsPassByThem() throws {
    let shell = try shell("function() return function() end end")
    #expect(try shell.type("dispatch counter.increment").output.contains("dropped by"))
    #expect(
      try shell.type("middleware on logger", "plugin unload guard", "dispatch counter.increment").output.hasSuffix(
        "counter.value  0 -> 1\n"))
  }

  @Test func whatItMayNotReadOrDispatch() throws {
    let shell = try shell(
      """
      function(dispatch, get, next)
        return function(action)
          if action.name == "counter.increment" then return get().tasks.items end
          dispatch("tasks.add", { title = "x" })
        end
      end
      """)
    #expect(
      try shell.type("dispatch counter.increment").errors.contains(
        "may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"))
    #expect(
      try shell.type("dispatch counter.reset").errors.contains(
        "may not dispatch 'tasks.add' (add \"dispatch:tasks.add\" to permissions in plugin.json)"))
  }

  @Test func dispatchAndNextAreForTheActionOnItsWay() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let folder = try shell.plugin(
      "guard",
      """
      local kept = {}
      return plugin {
        interceptors = { function(dispatch, get, next)
          kept.dispatch, kept.next = dispatch, next
          return function(action) next(action) end
        end },
        commands = { { name = "late", args = { field("what", text()) },
          run = function(a) kept[a.what]("counter.increment") end } },
      }
      """, permissions: Self.asked)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("guard late dispatch").errors.contains("dispatches while no action is on its way through it"))
    #expect(try shell.type("guard late next").errors.contains("calls next out of turn"))
  }

  @Test func auditCountsWhatItDroppedOrReplaced() throws {
    let shell = try shell(Self.limit)
    _ = try shell.type("dispatch counter.increment by=3", "dispatch counter.increment", "dispatch counter.increment")
    #expect(
      try shell.type("show shell.permissions[permission=intercept] --json").output
        == #"{"plugin":"guard","permission":"intercept","uses":2,"required":true,"needed":"intercept"}"# + "\n")
  }

  /// It never reached a reducer.
  @Test func whatOneDroppedIsNotRunAgainBySkip() throws {
    let shell = try shell(
      """
      function(dispatch, get, next)
        return function(action) if action.args.by ~= 7 then next(action) end end
      end
      """)
    _ = try shell.type(
      "dispatch counter.increment by=2", "dispatch counter.increment by=7", "dispatch counter.increment")
    #expect(try shell.type("show counter.value", "skip #2", "show counter.value").output.hasSuffix(" (read-only)\n1\n"))
  }

  @Test func traceShowsThem() throws {
    let shell = try shell(Self.limit)
    let outcome = try shell.type(
      "trace on --stable", "dispatch counter.increment by=2", "dispatch counter.increment", "trace off")
    let lines = outcome.errors.split(separator: "\n").filter { "BAX".contains($0.first ?? " ") }.map {
      $0.prefix { $0 != "=" }
    }
    #expect(
      lines == [
        "B 2 guard.interceptor1 s", "A 2 guard.interceptor1 s", "B 3 guard.interceptor1 s",
        "X 3 taken by guard.interceptor1", "A 3 guard.interceptor1 s",
      ])
  }

  @Test func dispatchingTooMuchIsToldOfThoughItWasCaught() throws {
    let shell = try shell(
      """
      function(dispatch, get, next)
        return function(action)
          if action.name == "counter.reset" then
            for _ = 1, 1100 do pcall(dispatch, "counter.increment") end
          end
          next(action)
        end
      end,
      """)
    let outcome = try shell.type("dispatch counter.reset")
    #expect(outcome.errors.contains("error[plugin-budget]: guard: interceptor 'interceptor1'"))
    #expect(outcome.status == 1)
  }
}
