@testable import StoreShell

/// A plugin with a state, quiet actions, a middleware, a projection and commands.
enum TickingPlugin {
  static let text = """
    return plugin {
      state = { field("n", int { min = 0 }) },
      actions = { { name = "go" }, { name = "tick", quiet = true } },
      reducers = { tick = function(s) s.n = s.n + 1 end, go = function(s) s.n = 0 end },
      middleware = { { name = "m", on = { "go" }, after = function(_, ctx)
        for i = 1, 3 do ctx:dispatch("ticking.tick") end
      end } },
      projections = { { name = "double", type = int(), fn = function(state) return state.ticking.n * 2 end } },
      commands = { { name = "say", summary = "says it", args = { field("what", text()), field("times", int { default = 1 }) },
        run = function(args) return string.rep(args.what, args.times, " ") end },
        { name = "row", summary = "gives a row", run = function() return { a = 1 } end } },
    }
    """

  static func shell(_ adjust: (inout SessionOptions) -> Void = { _ in }) throws -> Shell {
    let shell = try Shell {
      $0.grants = ["ticking"]
      adjust(&$0)
    }
    let folder = try shell.plugin("ticking", text, permissions: "[\"dispatch:ticking.tick\"]")
    _ = try shell.type("plugin load \(folder)")
    return shell
  }
}
