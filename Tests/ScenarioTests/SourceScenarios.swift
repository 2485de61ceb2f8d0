import PluginSupport
import StoreCore
import StoreHost
import Testing

/// S-08: every action knows where it came from. Line 3 of its table is among `EffectScenarios`.
@Suite("Scenarios: sources")
struct SourceScenarios {
  /// On `inc`, the function `on_inc` emits `dec` on line 12 of its chunk.
  private static func ping(_ definition: String, on inc: String, dec: String, permissions: [String]) throws
    -> PluginFolder
  {
    try PluginFolder(
      "ping", permissions: permissions,
      lua: """
        -- ping: answers every inc with a dec.
        --
        -- Line 12 is named by the scenario.



        local function answer(ctx, name)
          return name
        end

        local function on_inc(_, ctx)
          ctx:dispatch("\(dec)")
        end

        return plugin { \(definition) middleware = { { name = "pong", on = { "\(inc)" }, after = on_inc } } }
        """)
  }

  private static let ownModule = """
    state = { field("count", int()) }, actions = { { name = "inc" }, { name = "dec" } },
    reducers = { inc = function(s) s.count = s.count + 1 end, dec = function(s) s.count = s.count - 1 end },
    """

  /// Types the scenario's lines and answers with the sources of the actions by number.
  private func sources<Action, State>(
    _ inc: String, _ application: Application<Action, State>, _ plugins: [PluginFolder]
  ) throws -> [String] {
    let folder = try PluginFolder("demo", lua: nil)
    try folder.write("demo.cmds", "# one\n# two\n# three\n\n\n\ndispatch \(inc)\n")
    let offset = plugins.count
    let shown = [1, 2, 3, 4].map { "show shell.log[n=\($0 + offset)].source --json" }
    let recording = try Recording(
      typing: ["echo one", "echo two", "dispatch \(inc) --info \"by hand\" --quiet", "source \(folder.path)/demo.cmds"]
        + shown,
      application, plugins: plugins)
    #expect(recording.errors == "")
    return recording.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      String($0).replacing(folder.path, with: "DEMO").replacing(plugins.first?.path ?? "-", with: "PING")
        .replacing("\"cause\":\(1 + offset)", with: "\"cause\":1").replacing(
          "\"cause\":\(3 + offset)", with: "\"cause\":3")
    }
  }

  private static let typed =
    #"{"file":"repl","function":"dispatch","line":3,"info":"by hand","kind":"repl","plugin":null,"unit":null,"cause":null}"#
  private static let read =
    #"{"file":"DEMO/demo.cmds","function":"dispatch","line":7,"info":null,"kind":"batch","plugin":null,"unit":null,"cause":null}"#

  private static func emitted(cause: Int) -> String {
    #"{"file":"PING/init.lua","function":"on_inc","line":12,"info":null,"kind":"plugin","plugin":"ping","unit":"pong","cause":\#(cause)}"#
  }

  @Test func s08InLua() throws {
    for _ in 1...2 {
      let ping = try Self.ping(Self.ownModule, on: "inc", dec: "dec", permissions: [])
      #expect(
        try sources("ping.inc", .empty, [ping]) == [
          Self.typed, Self.emitted(cause: 1), Self.read, Self.emitted(cause: 3),
        ])
    }
  }

  @Test func s08WithASwiftModuleAndALuaUnit() throws {
    for _ in 1...2 {
      let ping = try Self.ping(
        "", on: "counter.inc", dec: "counter.dec", permissions: ["read:counter", "dispatch:counter.dec"])
      #expect(
        try sources("counter.inc", Fixture.application(), [ping])
          == [Self.typed, Self.emitted(cause: 1), Self.read, Self.emitted(cause: 3)])
    }
  }

  private static func on_inc(_ output: ActionHandler<CountStateAction>) {
    #sourceLocation(file:"ping.swift",line:12)
    output.dispatch(.counter(.dec))
    #sourceLocation()
  }

  @Test func s08InSwift() throws {
    for _ in 1...2 {
      let ping = CountMiddleware("pong") { action, _, _ in
        guard action == .counter(.inc) else { return .none }
        return IO { Self.on_inc($0) }
      }
      let emitted = try sources("counter.inc", Fixture.application(Fixture.count, ping), [])
      try #require(emitted.count == 4)
      #expect(emitted[0] == Self.typed)
      #expect(emitted[2] == Self.read)
      for (source, cause) in [(emitted[1], 1), (emitted[3], 3)] {
        #expect(
          source.contains(
            #""function":"on_inc(_:)","line":12,"info":null,"kind":"code","plugin":null,"unit":null,"cause":\#(cause)}"#
          ),
          "\(source)")
      }
    }
  }

  @Test func s08EachHandleSeesTheUpstreamFields() throws {
    let seen = """
      state = { field("count", int()) },
      actions = { { name = "inc" }, { name = "dec" }, { name = "note", args = { field("text", text()) } } },
      projections = { { name = "x", fn = function() return 1 end } },
      """
    let spy = try PluginFolder(
      "spy", permissions: ["read:ping"],
      lua: """
        return plugin {
          state = { field("seen", list(text())) }, actions = { { name = "note", args = { field("text", text()) } } },
          reducers = { note = function(s, a) s.seen[#s.seen + 1] = a.text end },
          middleware = { { name = "m", on = { "ping.*" },
            before = function(action) local s = action.source
              return table.concat({ s.file, s["function"], s.line, tostring(s.info) }, " ") end,
            after = function(_, ctx, text) ctx:dispatch("note", { text = text }) end } },
        }
        """)
    let ping = try Self.ping(seen, on: "inc", dec: "dec", permissions: [])
    let recording = try Recording(
      "dispatch ping.inc --info \"by hand\" --quiet\nshow spy.seen --as json\n", .empty, plugins: [ping, spy])
    #expect(recording.output.contains("dispatch 1 by hand\""), "\(recording.output) \(recording.errors)")
    #expect(recording.output.contains("\(ping.path)/init.lua on_inc 12 nil\""), "\(recording.output)")
  }
}
