import Testing

@testable import StoreShell

/// R29: a plugin that fails three times in a row is off until somebody enables it.
@Suite struct StrikeTests {
  /// A plugin with the actions `inc`, `fail` and `bump`, and a middleware that fails on `trip`.
  private static let lua = """
    return plugin {
      state = { field("count", int()) },
      actions = { { name = "inc" }, { name = "fail" }, { name = "trip" } },
      reducers = {
        inc = function(s) s.count = s.count + 1 end,
        fail = function(s) s.count = 7; error("no") end,
        trip = function(s) s.count = s.count + 10 end,
      },
      middleware = {
        { name = "spy", on = { "trip" }, after = function() error("no") end },
        { name = "other", on = { "trip" }, before = function() error("no") end, after = function() error("no") end },
        { name = "quiet", gate = "off", on = { "inc" }, after = function() error("never") end },
      },
    }
    """

  private let shell: Shell

  init() throws {
    shell = try Shell()
    _ = try shell.type("plugin load \(try shell.plugin("bad", Self.lua))")
  }

  private static let note = "note: bad is off after 3 failures in a row; plugin enable bad\n"

  private static func refusal(_ action: String, after why: String = " after 3 failures in a row") -> String {
    "error[plugin-off]: bad is off\(why); \(action) was not processed\n  hint: plugin enable bad\n"
  }

  private func state() throws -> String { try shell.type("show shell.plugins[1].state --as raw").output }

  @Test func threeFailingReducers() throws {
    for _ in 1...2 {
      #expect(try !shell.type("dispatch bad.fail").errors.contains("note: "))
      #expect(try state() == "on\n")
    }
    let third = try shell.type("dispatch bad.fail")
    #expect(third.errors.hasPrefix("error[plugin-runtime]: bad: reducer 'bad.fail': "))
    #expect(third.errors.hasSuffix(Self.note))
    #expect(third.status == 1)
    #expect(try state() == "faulted\n")
    let entry = try #require(shell.session.store.live.recent().last)
    #expect(entry.action == "shell.faultPlugin")
    #expect(entry.source.short == "plugin:bad/reducer")
    #expect(entry.source.cause == 4)
    // Its reducers and middlewares stand still; others go on.
    #expect(try shell.type("dispatch bad.fail") == .init(errors: Self.refusal("bad.fail"), status: 1))
    #expect(try shell.type("dispatch bad.trip") == .init(errors: Self.refusal("bad.trip"), status: 1))
    #expect(
      try shell.type("dispatch counter.increment")
        == .init(output: "#8 counter.increment\n  counter.value  0 -> 1\n"))
    #expect(
      try shell.type("show shell.middleware[*].gate --as json").output
        == "[\"off\",\"faulted\",\"faulted\",\"faulted\"]\n"
    )
  }

  @Test func enablingOpensWhatWasOpen() throws {
    for _ in 1...3 { _ = try shell.type("dispatch bad.fail") }
    #expect(try shell.type("plugin enable bad") == .init(output: "#6 shell.enablePlugin name=\"bad\"\n"))
    #expect(try state() == "on\n")
    #expect(
      try shell.type("show shell.middleware[*].gate --as json").output == "[\"off\",\"on\",\"on\",\"off\"]\n")
    #expect(try shell.type("dispatch bad.inc").output == "#7 bad.inc\n  bad.count  0 -> 1\n")
    // A row begins anew.
    for _ in 1...2 { #expect(try !shell.type("dispatch bad.fail").errors.contains("note: ")) }
    #expect(try shell.type("dispatch bad.fail").errors.hasSuffix(Self.note))
  }

  @Test func aSuccessEndsTheRow() throws {
    for _ in 1...3 {
      for _ in 1...2 { #expect(try !shell.type("dispatch bad.fail").errors.contains("note: ")) }
      #expect(try shell.type("dispatch bad.inc").errors == "")
    }
    #expect(try state() == "on\n")
  }

  @Test func actionsThatDoNotConcernThePluginDoNotEndTheRow() throws {
    for _ in 1...2 { _ = try shell.type("dispatch bad.fail", "dispatch counter.increment") }
    #expect(try shell.type("dispatch bad.fail").errors.hasSuffix(Self.note))
  }

  @Test func anActionCountsOnceAndItsReducersSuccessDoesNotExcuseIt() throws {
    for number in 2...3 {
      let outcome = try shell.type("dispatch bad.trip")
      #expect(outcome.errors.components("error[plugin-runtime]") == 2)
      #expect(outcome.errors.hasSuffix("note: #\(number) bad.trip was applied\n"))
    }
    let third = try shell.type("dispatch bad.trip")
    #expect(third.errors.hasSuffix("note: #4 bad.trip was applied\n" + Self.note))
    #expect(try state() == "faulted\n")
    #expect(try shell.type("show bad.count").output == "30\n")
  }

  @Test func theActionThatSwitchesThePluginOffWasStillAnswered() throws {
    let path = try shell.plugin(
      "mute",
      """
      return plugin { actions = { { name = "go" } },
        middleware = { { name = "m", after = function() error("no") end } } }
      """)
    _ = try shell.type("plugin load \(path)", "dispatch mute.go", "dispatch mute.go")
    let third = try shell.type("dispatch mute.go")
    #expect(third.errors.hasSuffix("note: mute is off after 3 failures in a row; plugin enable mute\n"))
    #expect(!third.errors.contains("not processed"))
    #expect(try shell.type("dispatch mute.go").errors.hasPrefix("error[plugin-off]: mute is off"))
  }

  /// Faults are told of, whether or not the history still holds the action.
  @Test func whatTheHistoryHasNoRoomForIsToldOf() throws {
    let path = try shell.plugin(
      "flood",
      """
      return plugin { actions = { { name = "go" }, { name = "step" }, { name = "fine" } },
        middleware = { { name = "m", on = { "go", "fine" }, after = function(action, ctx)
          for _ = 1, 20 do ctx:dispatch("step") end
          if action.name == "flood.go" then error("lost?") end
        end } } }
      """)
    _ = try shell.type("plugin load \(path)", "set journal.limit 2")
    let faulty = try shell.type("dispatch flood.go")
    #expect(faulty.errors.contains("lost?") && faulty.errors.hasSuffix("note: #4 was applied\n"))
    #expect(faulty.status == 1)
    #expect(
      try shell.type("dispatch flood.fine")
        == .init(
          errors: "note: #25 was applied; the history is too small to keep what it changed (set journal.limit)\n"))
    #expect(try shell.type("dispatch flood.fine --quiet") == .init())
  }

  @Test func failuresThatAnActionCausedCountToo() throws {
    let chain = try shell.plugin(
      "chain",
      """
      return plugin { actions = { { name = "go" } },
        middleware = { { name = "m", after = function(_, ctx)
          for _ = 1, 5 do ctx:dispatch("bad.fail") end
        end } } }
      """, permissions: "[\"dispatch:bad.fail\"]")
    _ = try shell.type("plugin grant \(chain)", "plugin load \(chain)")
    let outcome = try shell.type("dispatch chain.go")
    #expect(outcome.errors.hasSuffix(Self.note))
    #expect(
      shell.session.store.live.recent().dropFirst(2).map { "\($0.action) \($0.failure ?? "-")" } == [
        "chain.go -", "bad.fail plugin-runtime", "bad.fail plugin-runtime", "bad.fail plugin-runtime",
        "bad.fail plugin-runtime", "bad.fail plugin-runtime", "shell.faultPlugin -",
      ])
  }

  @Test func aPluginIsSwitchedOffByHand() throws {
    #expect(try shell.type("plugin disable bad").output == "#2 shell.disablePlugin name=\"bad\"\n")
    #expect(try state() == "off\n")
    #expect(try shell.type("plugin disable bad") == .init(errors: "note: bad is off already\n"))
    let refusal = Self.refusal("bad.fail", after: "")
    #expect(try shell.type("dispatch bad.fail") == .init(errors: refusal, status: 1))
    #expect(try shell.type("dispatch bad.fail --quiet") == .init(errors: refusal, status: 1))
    #expect(try shell.type("show shell.middleware[name=bad.spy].gate --as raw").output == "off\n")
    #expect(try shell.type("plugin enable bad", "dispatch bad.inc").output.hasSuffix("  bad.count  0 -> 1\n"))
    #expect(
      try shell.type("plugin disable bad > /dev/null", "dispatch bad.fail", "plugin enable bad").errors == refusal)
    #expect(try shell.type("plugin enable bda").errors.contains("hint: did you mean 'bad'?"))
  }

  @Test func theNoteIsNoPartOfJSON() throws {
    let shell = try Shell { $0.isJSON = true }
    _ = shell.run("plugin load \(try shell.plugin("bad", Self.lua))")
    for _ in 1...3 { #expect(shell.run("dispatch bad.fail").errors == "") }
    #expect(shell.session.store.loadedPlugins.first?.condition == .faulted)
  }
}

extension String {
  fileprivate func components(_ word: String) -> Int { ranges(of: word).count }
}

/// `refuse("…")`: no fault of the plugin's.
@Suite struct RefusalTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  /// A plugin that says no on purpose is in order.
  @Test func refusalsDoNotCount() throws {
    let folder = try shell.plugin(
      "strict",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go" }, { name = "fail" } },
        reducers = { go = function(s) s.n = 1 refuse("not today") end, fail = function() error("no") end } }
      """)
    _ = try shell.type("plugin load \(folder)")
    for _ in 1...4 {
      let outcome = try shell.type("dispatch strict.go")
      #expect(outcome.errors == "error[refused]: strict: not today\n")
      #expect(outcome.status == 1)
    }
    #expect(try shell.type("show strict.n").output == "0\n")
    #expect(try shell.type("show shell.plugins[*].state --as json").output == "[\"on\"]\n")
    #expect(try shell.type("log 1").output.contains("failed: strict: not today"))
    // Nor do they excuse what is at fault: they end a row of failures as every action does that runs.
    for _ in 1...2 { _ = try shell.type("dispatch strict.fail") }
    _ = try shell.type("dispatch strict.go")
    #expect(try !shell.type("dispatch strict.fail").errors.contains("note: "))
  }

  @Test func aRefusalNeedsAReason() throws {
    let folder = try shell.plugin(
      "strict",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go" } },
        reducers = { go = function() refuse() end } }
      """)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("dispatch strict.go").errors.contains("error[plugin-runtime]: strict: reducer 'strict.go': "))
  }

  /// Nothing else can be refused: what an interceptor lets pass and what was applied is not undone.
  @Test(arguments: [
    ("middleware = { { name = 'm', on = { 'go' }, before = function() refuse('no') end } }", "middleware 'm' (before)"),
    ("middleware = { { name = 'm', on = { 'go' }, after = function() refuse('no') end } }", "middleware 'm' (after)"),
    ("interceptors = { function() return function() refuse('no') end end }", "interceptor 'interceptor1'"),
  ])
  func onlyReducersAndCommandsRefuse(part: String, place: String) throws {
    let folder = try shell.plugin(
      "strict",
      """
      return plugin { actions = { { name = "go" } }, \(part), commands = { { name = "go",
        run = function(args, cmd) refuse("as I like") end } } }
      """, permissions: #"["intercept"]"#)
    let shell = try Shell { $0.grants = ["strict"] }
    let message =
      "refuse is only possible in reducers and commands (an interceptor drops an action by not calling next)"
    let errors = try shell.type("plugin load \(folder)", "dispatch strict.go").errors
    #expect(errors.hasPrefix("error[plugin-runtime]: strict: \(place): \(folder)/init.lua:1: \(message)\n"))
    #expect(try shell.type("strict go").errors == "error[refused]: strict: as I like\n")
  }

  @Test func nobodyIsAskedForTasksBehindAShutGate() throws {
    let folder = try shell.plugin(
      "sup",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } },
        reducers = { go = function(s) s.n = 1 end },
        middleware = { { name = "m", supervise = function(state)
          if state.sup.n > 0 then error("no") end
        end } },
      }
      """, permissions: #"["timers"]"#)
    let shell = try Shell { $0.grants = ["sup"] }
    _ = try shell.type("plugin load \(folder)", "dispatch sup.go", "middleware off sup.m")
    #expect(try shell.type("dispatch counter.increment --quiet") == .init())
    _ = try shell.type("middleware on sup.m", "dispatch counter.increment", "dispatch counter.increment")
    #expect(try shell.type("show shell.plugins[1].state --as raw").output == "faulted\n")
    let after = try shell.type("dispatch counter.increment --quiet", "plugin disable sup")
    #expect(after.errors == "" && after.status == 0)
  }

  /// A plugin that cannot say what it wants while its count is odd, with a part of its own that fails.
  private static let odd = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "go" }, { name = "trip" } },
      reducers = { go = function(s) s.n = s.n + 1 end },
      middleware = {
        { name = "m", supervise = function(state) if state.odd.n % 2 == 1 then error("no") end end },
        { name = "fails", on = { "trip", "counter.increment" }, after = function() error("boom") end },
      },
    }
    """

  @Test func whatMendsTheStateEndsTheRowOfThoseThatReadIt() throws {
    let shell = try Shell { $0.grants = ["odd"] }
    let folder = try shell.plugin("odd", Self.odd, permissions: #"["timers", "read:counter"]"#)
    _ = try shell.type("plugin load \(folder)")
    for _ in 1...4 {
      #expect(try shell.type("dispatch odd.go").errors.contains("no\n"))
      #expect(try shell.type("undo").errors == "")
    }
    #expect(try shell.type("show shell.plugins[1].state --as raw").output == "on\n")
    // Nobody is excused by it who fails for another reason.
    for _ in 1...3 { _ = try shell.type("dispatch counter.increment", "dispatch tasks.add x") }
    #expect(try shell.type("show shell.plugins[1].state --as raw").output == "faulted\n")
  }

  /// An action that brings plugins back asks them what they want once, at its end.
  @Test func aRestoreCountsOnce() throws {
    let shell = try Shell { $0.grants = ["odd", "x"] }
    let other = try shell.plugin("x", "return plugin { state = { field('n', int()) } }")
    let folder = try shell.plugin("odd", Self.odd, permissions: #"["timers", "read:counter"]"#)
    _ = try shell.type(
      "plugin load \(other)", "plugin load \(folder)", "dispatch odd.go", "plugin unload x", "dispatch odd.go")
    let outcome = try shell.type("undo --to 3")
    #expect(outcome.errors.components("error[") == 1, "\(outcome)")
    #expect(try !shell.type("dispatch tasks.add a").errors.contains("note: odd is off"))
    #expect(try shell.type("dispatch tasks.add b").errors.contains("note: odd is off"))
  }

  private static let clock = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "go" }, { name = "x" } },
      reducers = { x = function(s) s.n = s.n + 1 end },
      middleware = {
        { name = "starts", on = { "go" }, after = function(_, ctx)
          ctx:task("t", function(t) for i = 1, 8 do t:sleep(1) t:dispatch("x") end end)
        end },
        { name = "fails", on = { "x" }, after = function() error("boom") end },
      },
    }
    """

  @Test(arguments: [["wait 8s"], ["wait 3s", "wait 5s"], Array(repeating: "wait 1s", count: 8)])
  func theThirdFailureIsTheLastHoweverTimePasses(waits: [String]) throws {
    let shell = try Shell {
      $0.grants = ["h"]
      $0.keepsGoing = true
    }
    let folder = try shell.plugin("h", Self.clock, permissions: #"["timers"]"#)
    _ = shell.run("plugin load \(folder)", "dispatch h.go")
    for wait in waits { _ = shell.run(wait) }
    #expect(shell.run("show h.n").output == "3\n")
    let entry = try #require(shell.session.store.live.recent().last)
    #expect(entry.action == "shell.faultPlugin" && entry.time == .seconds(3))
  }
}
