import PluginSupport
import Testing

@testable import StorePlugins
@testable import StoreShell

/// The hostile corpus through everything that calls a plugin's code in a session: each attack ends in an error of the
/// plugin, its memory stays under the limit, and the shell answers the next command.
@Suite("Hostile plugins in a session") struct HostilePlaceTests {
  /// Where the attack runs that the state's number names.
  enum Place: String, CaseIterable {
    case interceptor, beforeNext, when, carry, transitionTo, transitionCarry, supervise, task, once
    case thunk, command, waiting, projection

    /// What sets it off, with the number of the attack.
    func line(_ number: Int) -> String {
      switch self {
      case .thunk: "thunk p.strike n=\(number)"
      case .command: "p strike \(number)"
      case .waiting: "p wait \(number)"
      case .projection: "show p.look"
      default: "dispatch p.go n=\(number)"
      }
    }
  }

  /// A plugin with the attacks at one place; what does not attack works.
  private static func lua(_ place: Place) -> String {
    func body(_ there: Place) -> String { place == there ? "attack(state.p.n)" : "" }
    let attacks = HostileCorpus.attacks.map { "function() \($0) end,\n" }.joined()
    return """
      local attacks = { \(attacks) }
      local function attack(n) if n > 0 then attacks[n]() end end
      local number = field("n", int { min = 0 })
      return plugin {
        state = { field("n", int { min = 0 }) },
        actions = { { name = "go", args = { number } }, { name = "calm" }, { name = "other" } },
        reducers = { go = function(s, a) s.n = a.n end, calm = function(s) s.n = 0 end },
        interceptors = {
          function(_, get, next) return function(action)
            local state = { p = { n = action.name == "p.go" and action.args.n or 0 } }
            \(body(.beforeNext))
            next(action)
            \(body(.interceptor))
          end end,
        },
        bridges = { { from = "go", to = "other", when = function(state) \(body(.when)) return false end },
          { from = "go", to = "other", carry = function(args, state) \(body(.carry)) end } },
        transitions = { { at = "p.n", dispatch = "other",
          to = function(value) local state = { p = { n = value } } \(body(.transitionTo)) return true end,
          carry = function(_, _, state) \(body(.transitionCarry)) end } },
        middleware = {
          { name = "m", on = { "go" },
            after = function(action, ctx)
              local n = action.args.n
              if \(place == .once) then ctx:task("x", function(task) task:sleep(1) attack(n) end) end
            end,
            supervise = function(state)
              \(body(.supervise))
              local n = state.p.n
              if \(place == .task) and n > 0 then
                return { ["t" .. n] = function(task) task:sleep(1) attack(n) end }
              end
            end },
        },
        thunks = { strike = { args = { number }, run = function(a, t)
          local state = { p = { n = a.n } } t:dispatch_wait("other") \(body(.thunk)) end } },
        commands = {
          { name = "strike", args = { number }, run = function(a, cmd) local state = { p = a } \(body(.command)) end },
          { name = "wait", args = { number }, run = function(a, cmd)
            local state = { p = a } cmd:wait(1) \(body(.waiting)) end },
        },
        projections = { { name = "look", fn = function(state) \(body(.projection)) return 1 end } },
      }
      """
  }

  @Test(arguments: Place.allCases)
  func everyAttackEndsInAnErrorOfThePlugin(place: Place) throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.lua(place), permissions: #"["timers", "intercept"]"#)
    #expect(try shell.type("plugin load \(folder)").errors == "")
    let plugin = try #require(shell.session.store.plugin(named: "p"))
    for (index, attack) in HostileCorpus.attacks.enumerated() {
      if place == .projection { _ = try shell.type("dispatch p.go n=\(index + 1)") }
      var outcome = try shell.type(place.line(index + 1))
      if place == .task || place == .once { outcome = try shell.type("wait 2s") }
      #expect(outcome.errors.contains("error[plugin-"), "\(place): \(attack)\n\(outcome.errors.prefix(200))")
      #expect(outcome.errors.contains("]: p: "), "\(place): \(attack)\n\(outcome.errors.prefix(200))")
      #expect(outcome.errors.utf8.count < 9 << 20)
      #expect(plugin.machine.lua.memoryInUse < 6 << 20, "\(place): \(attack)")
      let next = try shell.type(
        "dispatch p.calm", "dispatch counter.increment", "show counter.value", "plugin enable p")
      #expect(next.output.contains("\n\(index + 1)\n"), "\(place): \(attack)\n\(next.output)\(next.errors)")
    }
  }

  /// What runs once in the life of a plugin, or of an edited version of it.
  enum Moment: String, CaseIterable { case definition, interceptor, migrate, unload }

  private static func lua(_ attack: String, at moment: Moment) -> String {
    func body(_ there: Moment) -> String { moment == there ? "do \(attack) end" : "" }
    return """
      \(body(.definition))
      return plugin {
        state = { field("n", int()) }, actions = { { name = "inc" } },
        reducers = { inc = function(s) s.n = s.n + 1 end },
        interceptors = { function(_, _, next) \(body(.interceptor)) return function(action) next(action) end end },
        migrate = function(old) \(body(.migrate)) return old end,
        on_unload = function() \(body(.unload)) end,
      }
      """
  }

  @Test(arguments: Moment.allCases)
  func anEditedVersionThatMeansHarmTakesNothingAway(moment: Moment) throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.lua("", at: .migrate), permissions: #"["intercept"]"#)
    _ = try shell.type("plugin load \(folder)", "dispatch p.inc")
    try shell.write(
      "p/plugin.json", #"{"name":"p","version":"2.0.0","api":1,"permissions":["intercept"]}"#)
    // A definition has a hundred times the instructions of a call, so that only some of the attacks are tried there.
    let attacks = HostileCorpus.attacks.enumerated().filter { $0.offset % (moment == .definition ? 9 : 3) == 0 }
    for (index, attack) in attacks.map(\.element).enumerated() {
      try shell.write("p/init.lua", Self.lua(attack, at: moment))
      var outcome = try shell.type("plugin reload p")
      if moment == .unload {
        // It is the last that a version does, and cannot keep it from going.
        #expect(outcome.status == 0, "\(attack): \(outcome.errors)")
        try shell.write("p/init.lua", Self.lua("", at: .migrate))
        outcome = try shell.type("plugin reload p")
      } else {
        #expect(outcome.status == 4, "\(attack)")
      }
      #expect(outcome.errors.contains("error[plugin-"), "\(moment): \(attack)\n\(outcome.errors.prefix(200))")
      #expect(try shell.type("dispatch p.inc --quiet", "show p.n").output == "\(index + 2)\n", "\(attack)")
    }
  }

  @Test func testsThatMeanHarmFail() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.lua("", at: .migrate), permissions: #"["intercept"]"#)
    let attacks = HostileCorpus.attacks.enumerated().filter { $0.offset % 9 == 2 }.map(\.element)
    let tests = attacks.enumerated().map { "test('\($0)', function(t) t:dispatch('inc') \($1) end)\n" }.joined()
    try shell.write(
      "p/tests/a_test.lua", tests + "test('last', function(t) t:dispatch('inc') t:equals(t:get('p.n'), 1) end)")
    let outcome = try shell.type("plugin test \(folder)", "dispatch counter.increment")
    #expect(outcome.output.contains("\nok   last\n1 passed, \(attacks.count) failed\n"), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("  counter.value  0 -> 1\n"))
  }
}
