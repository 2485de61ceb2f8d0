import PluginSupport
import StoreCore
import Testing

/// The part of S-17 that units in Lua can express: a plugin's middlewares are lifted to its module by their filters, and
/// stand flat among the others. Outputs that are Never, states that are Void and erased types are Swift's
/// (`StoreCoreTests`).
@Suite("Scenarios: lifting")
struct LiftScenarios {
  private static func cart() throws -> PluginFolder {
    try PluginFolder(
      "cart",
      lua: """
        local function emit(ctx, n)
          ctx:dispatch("added", { n = n })
        end
        local function added(action, ctx)
          if action.name == "cart.add" then emit(ctx, action.args.n) end
        end
        return plugin {
          state = { field("total", int()) },
          actions = { { name = "add", args = { field("n", int()) } }, { name = "added", args = { field("n", int()) } } },
          reducers = { added = function(s, a) s.total = s.total + a.n end },
          middleware = { { name = "cart", after = added } },
        }
        """)
  }

  @Test func s17AnActionOfAnotherModulePassesTheUnitBy() throws {
    let script = "trace on --stable\ndispatch counter.inc --quiet\ndispatch cart.add n=5 --quiet\n"
    for isLua in [true, false, true, false] {
      let plugins = (isLua ? [try Fixture.luaCounter()] : []) + [try Self.cart()]
      let recording =
        isLua
        ? try Recording(script, .empty, plugins: plugins)
        : try Recording(script, Fixture.application(), plugins: plugins)
      #expect(
        recording.trace("QHI")
          == scenario(
            """
            Q 1 inc
            Q 2 add n=5 · H 2 cart s=0 · I 2 cart s=0 · Q 3 added n=5 <2
            H 3 cart s=0 · I 3 cart s=5
            """))
    }
  }

  @Test func s17TheSourceIsTheEmittingLine() throws {
    let recording = try Recording(
      "dispatch cart.add n=5 --quiet\nshow shell.log[-1].source --json\n", Fixture.application(),
      plugins: [try Self.cart()])
    #expect(
      recording.output.contains(
        #""function":"emit","line":2,"info":null,"kind":"plugin","plugin":"cart","unit":"cart""#),
      "\(recording.output)")
  }

  /// Units of both kinds, however they are put together, print the same.
  @Test func s17FlatHoweverComposed() throws {
    let script = "trace on --stable\ndispatch counter.inc --quiet\n"
    let expected = scenario("H 1 a · H 1 b · H 1 c · I 1 c · I 1 b · I 1 a")
    func lines(_ swift: String, _ lua: [String]) throws -> [String] {
      let units = swift.reduce(CountMiddleware.identity) { .compose($0, .identity, Fixture.observer("\($1)")) }
      let plugins = try lua.map { try Fixture.luaObserver($0) }
      return try Recording(script, Fixture.application(Fixture.count, units), plugins: plugins).trace("HI").map {
        $0.split(separator: " ").prefix(3).joined(separator: " ")
      }
    }
    for _ in 1...2 {
      #expect(try lines("abc", []) == expected)
      #expect(try lines("ab", ["c"]) == expected)
      #expect(try lines("a", ["b", "c"]) == expected)
      #expect(try lines("", ["a", "b", "c"]) == expected)
    }
    // All in one plugin.
    let one = try PluginFolder(
      "one", permissions: ["read:counter"],
      lua: """
        return plugin { middleware = {
          { name = "a", on = { "counter.*" }, after = function() end },
          { name = "b", on = { "counter.inc" }, after = function() end },
          { name = "c", on = { "counter.*" }, after = function() end },
        } }
        """)
    #expect(
      try Recording(script, Fixture.application(), plugins: [one]).trace("HI").map {
        $0.split(separator: " ").prefix(3).joined(separator: " ")
      } == expected)
  }
}
