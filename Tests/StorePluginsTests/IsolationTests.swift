import PluginSupport
import StorePlugins
import StoreSchema
import Testing

@Suite("Plugins apart from each other")
struct IsolationTests {
  private func reducing(_ body: String, lines: String = "") -> String {
    """
    \(lines)
    return plugin { state = { field("said", text()) }, actions = { { name = "go" } },
      reducers = { go = function(s) \(body) end } }
    """
  }

  @Test func requireFindsTheOwnLibrary() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p",
        lua: reducing(
          "s.said = dates.greet() .. deep.x .. tostring(dates == require('lib.dates'))",
          lines: "local dates, deep = require('lib.dates'), require('lib.sub.deep')"),
        files: [
          "lib/dates.lua": "local n = 0; n = n + 1; return { greet = function() return 'hi' .. n end }",
          "lib/sub/deep.lua": "local dates = require('lib.dates'); return { x = dates.greet() }",
        ]))
    try bench.dispatch("p.go")
    #expect(bench.state("p") == #"{"said":"hi1hi1true"}"#)
  }

  @Test(arguments: [
    "dates", "lib", "lib.", "lib..dates", "lib/dates", "../lib.dates", "lib.../../x", "init", "tests.t", "string", "",
    "lib.dates.lua/x", "/etc/passwd", "lib.a b",
  ])
  func requireFindsNothingElse(_ name: String) throws {
    let folder = try PluginFolder(
      "p", lua: "local x = require('\(name)')\nreturn plugin {}", files: ["dates.lua": "return 1"])
    let error = fault { try Bench().load(folder) }
    #expect(error?.code == .load)
    #expect(
      error?.message
        == "p: bad/p/init.lua:1: require finds only the plugin's own files below lib: require(\"lib.dates\"), not '\(name)'"
    )
  }

  @Test func requireOfWhatIsNotThere() throws {
    let folder = try PluginFolder("p", lua: "local x = require('lib.nope')\nreturn plugin {}")
    #expect(
      fault { try Bench().load(folder) }?.message
        == "p: bad/p/init.lua:1: bad/p/lib/nope.lua: No such file or directory")
    let seven = try PluginFolder("p", lua: "local x = require(7)\nreturn plugin {}")
    #expect(fault { try Bench().load(seven) }?.message.contains("require needs a name such as \"lib.dates\"") == true)
  }

  @Test func faultsInsideALibrary() throws {
    let syntax = try PluginFolder(
      "p", lua: "local x = require('lib.a')\nreturn plugin {}", files: ["lib/a.lua": "return {"])
    #expect(fault { try Bench().load(syntax) }?.message.contains("bad/p/lib/a.lua:1: ") == true)
    let global = try PluginFolder(
      "p", lua: "local x = require('lib.a')\nreturn plugin {}", files: ["lib/a.lua": "x = 1"])
    #expect(
      fault { try Bench().load(global) }?.message.contains(
        "bad/p/lib/a.lua:1: plugins may not create globals ('x'); use 'local'")
        == true)
    let circle = try PluginFolder(
      "p", lua: "local x = require('lib.a')\nreturn plugin {}",
      files: ["lib/a.lua": "return require('lib.b')", "lib/b.lua": "return require('lib.a')"])
    #expect(
      fault { try Bench().load(circle) }?.message
        == "p: bad/p/lib/b.lua:1: 'lib.a' requires itself: lib.a -> lib.b -> lib.a")
  }

  @Test func aChainOfFilesHasAnEnd() throws {
    func chain(_ count: Int) throws -> PluginFolder {
      var files: [String: String] = ["lib/m\(count).lua": "return 1"]
      for number in 1..<count { files["lib/m\(number).lua"] = "return require('lib.m\(number + 1)')" }
      return try PluginFolder("p", lua: "local x = require('lib.m1')\nreturn plugin {}", files: files)
    }
    try Bench().load(try chain(100))
    #expect(
      fault { try Bench().load(try chain(101)) }?.message
        == "p: bad/p/lib/m100.lua:1: 'lib.m101' is required at the end of a chain of 100 files; require it earlier")
  }

  @Test func aStateEach() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "a", lua: reducing("s.said = tostring(pcall(function() string.rep = function() return 'owned' end end))")))
    try bench.load(try PluginFolder("b", lua: reducing("s.said = ('x'):rep(2)")))
    try bench.dispatch("a.go")
    try bench.dispatch("b.go")
    #expect(bench.state("a") == #"{"said":"false"}"#)
    #expect(bench.state("b") == #"{"said":"xx"}"#)
  }

  @Test func theStringMetatableIsTheStatesOwn() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "a",
        lua: reducing(
          "pcall(function() getmetatable('').__index = { rep = function() return 'owned' end } end); s.said = ('x'):rep(2)"
        )))
    try bench.load(try PluginFolder("b", lua: reducing("s.said = ('x'):rep(2)")))
    try bench.dispatch("a.go")
    try bench.dispatch("b.go")
    #expect(bench.state("b") == #"{"said":"xx"}"#)
  }

  @Test func oneFullPluginLeavesTheOthersRoom() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "a", lua: reducing("kept[#kept + 1] = ('x'):rep(1 << 20) .. #kept", lines: "local kept = {}"))
    ).purity = .off
    try bench.load(try PluginFolder("b", lua: reducing("s.said = tostring(#(('x'):rep(1 << 20)))")))
    var failed = false
    for _ in 1...8 where fault({ try bench.dispatch("a.go") })?.code == .memory { failed = true }
    #expect(failed)
    try bench.dispatch("b.go")
    #expect(bench.state("b") == #"{"said":"1048576"}"#)
  }

  @Test func unloading() throws {
    let bench = try Bench()
    let folder = try PluginFolder(
      "p", permissions: ["read:tasks"],
      lua: """
        return plugin {
          state = { field("count", int()) }, actions = { { name = "go" } },
          reducers = { ["tasks.add"] = function(s) s.count = s.count + 1 end },
          middleware = { { name = "m", on = { "tasks.*" }, after = function() error("called") end } },
        }
        """)
    try bench.load(folder)
    try bench.dispatch("tasks.add", [("title", .string("x"))])
    #expect(bench.state("p") == #"{"count":1}"#)
    #expect(bench.faults.count == 1)
    try bench.unload("p")
    try bench.dispatch("tasks.add", [("title", .string("y"))])
    #expect(bench.faults.count == 1)
    #expect(bench.action("p.go") == nil)
    #expect(!bench.view.readSlice("p") { _, _ in })
    try bench.load(folder)
    #expect(bench.state("p") == #"{"count":0}"#)
  }

  @Test func aPluginGoesWithItsLuaState() throws {
    weak var gone: Plugin?
    do {
      let bench = try Bench()
      gone = try bench.load(try PluginFolder("p", lua: reducing("")))
      try bench.dispatch("p.go")
      try bench.unload("p")
    }
    #expect(gone == nil)
  }

  @Test func onUnload() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p", lua: "return plugin { actions = { { name = 'go' } }, on_unload = function(ctx) ctx:dispatch('go') end }"))
    #expect(
      fault { try bench.unload("p") }?.message
        == "p: on_unload: bad/p/init.lua:1: dispatching is not possible here; do it in after, or in a command")
  }
}
