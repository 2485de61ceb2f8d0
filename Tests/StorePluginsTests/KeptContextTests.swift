import PluginSupport
import StorePlugins
import Testing

/// What a middleware is given is valid during the call that gave it.
@Suite("What a middleware keeps beyond its call")
struct KeptContextTests {
  /// A plugin whose middlewares share the locals `kept` and `meta`.
  private func bench(_ middleware: String) throws -> Bench {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p",
        lua: """
          local kept, meta
          return plugin {
            state = { field("notes", list(text())) },
            actions = { { name = "inc" }, { name = "dec" } },
            middleware = { \(middleware) },
          }
          """))
    return bench
  }

  @Test func aContextKeptBeyondItsCall() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, after = function(_, ctx) kept = ctx end },
      { name = "n", on = { "dec" }, before = function() kept:dispatch("inc") end },
      """)
    try bench.dispatch("p.inc")
    try bench.dispatch("p.dec")
    #expect(bench.faults.first?.message.contains("ctx was kept after the call that it belongs to") == true)
  }

  @Test func anActionKeptBeyondItsCall() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, after = function(action) kept = action; meta = action.meta end },
      { name = "n", on = { "dec" }, before = function() local x = kept.id end },
      { name = "o", on = { "dec" }, before = function() local x = meta.id end },
      """)
    try bench.dispatch("p.inc")
    try bench.dispatch("p.dec")
    #expect(bench.faults.map { $0.message.hasSuffix("was valid only during the call that gave it") } == [true, true])
  }

  @Test func stateKeptBeyondItsCall() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, before = function(_, ctx) kept = ctx.state.p.notes end },
      { name = "n", on = { "dec" }, after = function() local x = kept[1] end },
      """)
    try bench.dispatch("p.inc")
    try bench.dispatch("p.dec")
    #expect(
      bench.faults.first?.message.hasSuffix("this part of the state was valid only during the call that gave it")
        == true)
  }
}
