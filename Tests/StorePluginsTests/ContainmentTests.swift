import PluginSupport
import StoreSchema
import Testing

@testable import StorePlugins

/// What a plugin hands over to the host counts as its memory and its work.
@Suite("Containment of plugins")
struct ContainmentTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A plugin with a piece of Lua in one place.
  @discardableResult
  private func load(
    reducer: String = "", after: String = "", projection: String = "return {}", command: String = "",
    files: [String: String] = [:]
  ) throws -> Plugin {
    let lua = """
      local function wide()
        local text, all = ("y"):rep(100000), {}
        for i = 1, 3000 do all[i] = text end
        return all
      end
      return plugin {
        state = { field("n", int()), field("t", text()), field("l", list(int())), field("m", map(int())),
          field("tl", list(text())), field("tm", map(text())) },
        actions = { { name = "go" }, { name = "inc" }, { name = "big", args = { field("tl", list(text())) } } },
        reducers = { go = function(s) s.n = 1 \(reducer) end, inc = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", on = { "go" }, after = function(action, ctx) \(after) end } },
        projections = { { name = "p", type = list(text()), fn = function() \(projection) end } },
        commands = { { name = "c", run = function(args, cmd) \(command) end } },
      }
      """
    return try bench.load(try PluginFolder("p", lua: lua, files: files))
  }

  /// Loads a plugin whose reducer does something, and looks that it fails and changes nothing, again and again.
  private func failForLackOfMemory(_ attack: String) throws {
    try load(reducer: attack)
    let before = bench.state("p")
    for _ in 1...2 {
      let error = fault { try bench.dispatch("p.go") }
      #expect(error?.code == .memory)
      #expect(error?.message == "p: reducer 'p.go' needed more than 4 MiB and was stopped")
      #expect(bench.state("p") == before)
    }
  }

  @Test(arguments: [
    "local x = ('x'):rep(2000000) while true do s.t = x end",
    "local x = ('x'):rep(1000000) for i = 1, 1e9 do s.tl[i] = x end",
    "for i = 1, 1e9 do s.tm['k' .. i] = ('x'):rep(20000) end",
    "for i = 1, 1e9 do s.tm[('k'):rep(100000) .. i] = 'x' end",
    "s.tl = wide()",
    "pcall(function() s.tl = wide() end)",
    "s.l = { 1 } for i = 1, 1e9 do s.l = s.l end",
  ])
  func whatAReducerHandsOverIsBounded(attack: String) throws {
    try failForLackOfMemory(attack)
    try bench.dispatch("p.inc")
    #expect(bench.state("p").hasPrefix(#"{"n":1,"#))
  }

  /// Lists and maps of numbers take time before they take memory.
  @Test(arguments: [
    "local t = {} for i = 1, 1000 do t[i] = i end while true do s.l = t end",
    "local t = {} for i = 1, 1000 do t['k' .. i] = i end while true do s.m = t end",
    "local t = {} for i = 1, 1000 do t[i] = i end while true do pcall(function() s.l = t s.l[1001] = 'x' end) end",
  ])
  func whatIsTakenOverIsPaidFor(attack: String) throws {
    try load(reducer: attack)
    #expect(fault { try bench.dispatch("p.go") }?.code == .budget)
    #expect(bench.state("p").hasPrefix(#"{"n":0,"#))
  }

  @Test func whatAMiddlewareDispatchesIsBounded() throws {
    try load(after: "for i = 1, 100 do ctx:dispatch('big', { tl = { ('x'):rep(100000) } }) end")
    try bench.dispatch("p.go")
    #expect(bench.faults.map(\.code) == [.memory])
    #expect(bench.processed.count < 50)
  }

  @Test func whatAProjectionAndACommandGiveIsBounded() throws {
    try load(projection: "return wide()", command: "return wide()")
    #expect(
      fault { _ = try bench.project("p", "p") }?.message
        == "p: projection 'p.p' needed more than 4 MiB and was stopped")
    #expect(
      fault { _ = try bench.run("p", "c") }?.message == "p: command 'p c' needed more than 4 MiB and was stopped")
  }

  @Test func manyResultsAreBounded() throws {
    try load(command: "local x, t = ('x'):rep(1000000), {} for i = 1, 1000 do t[i] = x end return table.unpack(t)")
    #expect(fault { _ = try bench.run("p", "c") }?.code == .memory)
  }

  @Test func aDefinitionIsBounded() throws {
    let lua = """
      local text, all = ("y"):rep(100000), {}
      for i = 1, 3000 do all[i] = text end
      return plugin { commands = { { name = "c", examples = all, run = function() end } } }
      """
    #expect(fault { try bench.load(try PluginFolder("p", lua: lua)) }?.code == .memory)
  }

  /// Within the limit nothing is refused, as often as it is asked for; what is printed is let go of.
  @Test func honestUseIsNot() throws {
    try load(
      reducer: """
        local x = ('x'):rep(1000000)
        for i = 1, 3 do s.tl[i] = x end
        s.l = {}
        for i = 1, 5000 do s.l[i] = i end
        """,
      projection: "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(500) end return t",
      command: "for i = 1, 4 do cmd:print(('x'):rep(1000000)) end for i = 1, 3 do cmd:project('p.p') end")
    for _ in 1...3 { try bench.dispatch("p.go") }
    for _ in 1...3 { _ = try bench.project("p", "p") }
    _ = try bench.run("p", "c")
    #expect(bench.printed.count == 4)
  }

  /// What a command dispatches is processed before it goes on, and so is not the command's any more.
  @Test func whatACommandDispatchesIsLetGoOf() throws {
    try load(command: "local x = ('x'):rep(100000) for i = 1, 100 do cmd:dispatch('big', { tl = { x } }) end")
    _ = try bench.run("p", "c")
    #expect(bench.processed.count == 100)
  }

  /// How much memory is in use depends on what ran before: state must not.
  @Test(arguments: [
    "pcall(function() local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(100000) .. i end end) s.n = 2",
    "pcall(string.rep, 'x', 5000000) s.n = 2",
    "coroutine.resume(coroutine.create(function() return ('x'):rep(5000000) end)) s.n = 2",
    "pcall(function() local c <close> = setmetatable({}, { __close = function() error('x') end }) return ('x'):rep(5000000) .. 'x' end) s.n = 2",
    "load(function() return ('x'):rep(5000000) end) s.n = 2",
  ])
  func aReducerDoesNotGoOnWithoutMemory(attack: String) throws {
    try failForLackOfMemory(attack)
  }

  /// Lua collects what is no longer used before it gives up.
  @Test func garbageIsNoReason() throws {
    try load(reducer: "for i = 1, 12 do local x = ('x'):rep(300000) .. i end s.n = 2")
    for _ in 1...3 { try bench.dispatch("p.go") }
    #expect(bench.state("p").hasPrefix(#"{"n":2,"#))
  }

  /// The arguments and results of calls that are over take no memory of later ones: a replay may begin behind them.
  @Test(arguments: [
    "", "after = function(action) if action.args.t then return 1 end end",
    "before = function(action) return action.args.t end, after = function(_, _, was) return was end",
    "before = function(action) return { action.args.t } end, after = function(action, ctx, was) local x = was[1] end",
  ])
  func argumentsOfEarlierCallsTakeNoMemory(middleware: String) throws {
    try bench.load(
      PluginFolder(
        "p",
        lua: """
          return plugin {
            state = { field("n", int()) },
            actions = { { name = "p", args = { field("t", text()) } }, { name = "q", args = { field("t", text()) } },
              { name = "r" } },
            reducers = {
              p = function(s, a) if a.t == "z" then s.n = 1 end end,
              q = function(s, a) if a.t == "z" then s.n = 1 end end,
              r = function(s) s.n = s.n + #string.rep("x", 900000) end,
            },
            middleware = { { name = "m", on = { "p", "q" }, \(middleware.isEmpty ? "after = function() end" : middleware) } },
          }
          """))
    let text = Value.string(String(repeating: "x", count: 2_500_000))
    for (number, action) in ["p.p", "p.q", "p.p"].enumerated() {
      try bench.dispatch(action, [("t", text)])
      try bench.dispatch("p.r")
      #expect(bench.state("p") == #"{"n":\#((number + 1) * 900_000)}"#)
    }
    #expect(bench.faults.isEmpty, "\(bench.faults)")
  }

  /// What `require` gives is reached without being captured.
  @Test(arguments: ["x.n = x.n + 1", "x.inner.n = 2", "x.count()"])
  func whatIsRequiredIsNotChanged(change: String) throws {
    let files = [
      "lib/x.lua": "local n = 0 return { n = 0, inner = { n = 1 }, count = function() n = n + 1 return n end }"
    ]
    try load(reducer: "local x = require('lib.x') \(change) s.n = x.n", files: files)
    let error = fault { try bench.dispatch("p.go") }
    #expect(error?.code == .impure)
    #expect(
      error?.message == "p: reducer 'p.go' changed a module that it requires; reducers may only change their draft")
    #expect(bench.state("p").hasPrefix(#"{"n":0,"#))
  }

  @Test func whatIsRequiredIsUsed() throws {
    try load(
      reducer: "s.n = require('lib.x').n + #require('lib.x').list",
      projection: "local x = require('lib.x') x.n = 4 return x.list",
      files: ["lib/x.lua": "return { n = 2, list = { 'a' } }"])
    for _ in 1...3 { try bench.dispatch("p.go") }
    #expect(bench.state("p").hasPrefix(#"{"n":3,"#))
    #expect(fault { _ = try bench.project("p", "p") }?.code == .impure)
  }

  @Test func whatIsGoneLeavesNoTrailInTheIndex() {
    var index = NodeIndex()
    var looks = 0
    for number in 0..<10_000 {
      index.insert(number, 7, hashOf: { _ in 7 }) {
        looks += 1
        return $0 < number
      }
    }
    #expect(looks < 20_000)
    #expect(index.find(7, where: { $0 == 9_999 }) == 9_999)
  }
}
