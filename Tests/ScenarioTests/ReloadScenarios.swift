import PluginSupport
import Testing

/// S-25 with Lua units, and with Lua and Swift mixed.
@Suite("Scenarios: reload")
struct ReloadScenarios {
  /// The plugin `p`, whose `on_load` says hello.
  private static func p(hello: Int, middleware: String) -> String {
    """
    local function tick(task)
      while true do
        task:sleep(1)
        task:dispatch("tick")
      end
    end
    return plugin {
      state = { field("heard", int()), field("ticks", int()) },
      actions = { { name = "hello", args = { field("n", int { default = \(hello) }) } }, { name = "tick" } },
      reducers = {
        hello = function(s, a) s.heard = a.n end,
        tick = function(s) s.ticks = s.ticks + 1 end,
      },
      middleware = { { name = "p", on = { "counter.*" }, after = function() end, \(middleware) } },
      on_load = "hello", on_unload = function() end,
    }
    """
  }

  private static let v1 = p(hello: 1, middleware: "supervise = function() return { tick = tick } end")
  private static let v2 = p(hello: 2, middleware: "")
  private static let v3 = "return plugin {\n  state = { field('heard' int()) },\n}\n"

  private static func recording(_ lines: [String], mixed: Bool) throws -> Recording {
    let p = try PluginFolder(
      "p", permissions: ["read:counter", "timers"], lua: v1, files: ["v2": v2, "v3": v3])
    let m1 = mixed ? [] : [try Fixture.luaObserver("m1")]
    let application = Fixture.application(Fixture.count, mixed ? Fixture.observer("m1") : .identity)
    return try Recording(
      typing: lines.map { $0.replacing("P/", with: "\(p.path)/") }, application,
      plugins: m1 + [p, try Fixture.luaObserver("m3")])
  }

  @Test(arguments: [false, true]) func s25(mixed: Bool) throws {
    let inc = scenario("H m1 · H p · H m3 · I m3 · I p · I m1")
    for _ in 1...2 {
      let recording = try Self.recording(
        [
          "trace on --stable", "middleware --as raw", "wait 2s", "echo | cp P/v2 P/init.lua", "plugin reload p",
          "middleware --as raw", "dispatch counter.inc", "wait 5s", "show p.ticks", "echo | cp P/v3 P/init.lua",
          "plugin reload p", "dispatch counter.inc", "plugin list --as raw", "show shell.plugins[name=p] --json",
        ], mixed: mixed)
      // Without numbers and states: Lua's on_load shifts the numbers.
      let events = recording.trace("QHIE").map { line -> String in
        let words = line.split(separator: " ")
        let isEffect = words[0] == "E"
        return (words[...0] + words[2...].prefix(isEffect ? 2 : 1)).joined(separator: " ")
      }
      #expect(
        events == ["Q tick", "Q tick", "Q reloadPlugin", "E p/tick cancel", "Q hello", "Q inc"] + inc + ["Q inc"] + inc)
      #expect(recording.trace("Q").contains { $0.hasSuffix(" hello n=2") })

      let units = recording.output.split(separator: "\n").compactMap { line -> String? in
        let words = line.split(separator: "\t")
        return words.count == 8 && words[1] != "logger" ? String(words[1]) : nil
      }
      let expected = [mixed ? "m1" : "m1.m1", "p.p", "m3.m3"]
      #expect(units == expected + expected)
      #expect(recording.output.contains("\n2\n"))
      #expect(recording.errors.contains("p/init.lua:2: ')' expected near 'int'\n"))
      #expect(recording.output.contains(#"name="p" version="0.1.0""# + "\n  state kept\n"))
      #expect(recording.output.contains("\treload failed\t1\t7.0\n"))
      #expect(recording.output.hasSuffix(#""state":"reload failed","units":1,"failedAt":7.0}"# + "\n"))
    }
  }

  @Test func s25FailsInBatch() throws {
    let p = try PluginFolder("p", permissions: ["read:counter", "timers"], lua: Self.v1, files: ["v3": Self.v3])
    let recording = try Recording(
      "echo | cp \(p.path)/v3 \(p.path)/init.lua\nplugin reload p\n", Fixture.application(), plugins: [p])
    #expect(recording.status == 4)
    #expect(recording.errors.hasSuffix("\n  hint: the previous version is still active\n"))
  }
}
