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
      #expect(plugin.lua.memoryInUse < 6 << 20, "\(place): \(attack)")
      let next = try shell.type(
        "dispatch p.calm", "dispatch counter.increment", "show counter.value", "plugin enable p")
      #expect(next.output.contains("\n\(index + 1)\n"), "\(place): \(attack)\n\(next.output)\(next.errors)")
    }
  }
}
