import PluginSupport
import StorePlugins
import StoreSchema
import Testing

/// Each kind of failure of a plugin: the exact first line and hint.
@Suite("Faults in plugins")
struct FailureTests {
  /// A plugin with a count, the action `inc` and its reducer, whose body starts on line 4.
  private static func reducing(_ body: String) -> String {
    """
    return plugin {
      state = { field("count", int { min = 0 }), field("list", list(int())) }, actions = { { name = "inc" } },
      reducers = { inc = function(s)
        \(body)
      end },
    }
    """
  }

  /// The error of `inc`; the slice stays as it was and the plugin goes on.
  private func fail(_ name: String, _ body: String, extra: String? = nil) throws -> PluginError {
    try failing(name, Self.reducing(body), extra: extra)
  }

  private func failing(_ name: String, _ lua: String, action: String = "inc", extra: String? = nil) throws
    -> PluginError
  {
    let bench = try Bench()
    try bench.load(try PluginFolder(name, extra: extra, lua: lua))
    let before = bench.state(name)
    let first = try #require(fault { try bench.dispatch("\(name).\(action)") })
    #expect(bench.state(name) == before)
    #expect(fault { try bench.dispatch("\(name).\(action)") } == first)
    return first
  }

  /// Lua gives its own messages no place where they come from a library function.
  @Test(arguments: [
    ("for _ in ipairs(s.none) do end", "attempt to index a nil value"),
    ("table.sort({ {}, {} })", "attempt to compare two table values"),
    ("table.sort({ 3, 'x' })", "attempt to compare string with number"),
  ])
  func errorsOfLibraryFunctionsHaveTheLineThatCalledThem(body: String, message: String) throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p",
        lua: """
          local function go(s)
            \(body)
          end
          return plugin { state = { field("none", optional(list(int()))) }, actions = { { name = "go" } }, reducers = { go = go },
            commands = { { name = "go", run = function() go({}) end } } }
          """))
    #expect(fault { try bench.dispatch("p.go") }?.message == "p: reducer 'p.go': bad/p/init.lua:2: \(message)")
    #expect(fault { _ = try bench.run("p", "go") }?.message == "p: command 'p go': bad/p/init.lua:2: \(message)")
    try bench.load(
      try PluginFolder(
        "e",
        lua: "return plugin { commands = { { name = 'go', run = function() error('attempt to flee', 0) end } } }"))
    #expect(fault { _ = try bench.run("e", "go") }?.message == "e: command 'e go': attempt to flee")
  }

  @Test func typoInAField() throws {
    let error = try fail("typo", "s.cuont = s.count + 1")
    #expect(error.code == .runtime)
    #expect(
      error.message
        == "typo: reducer 'typo.inc': bad/typo/init.lua:4: typo has no field 'cuont' (did you mean 'count'?)")
    #expect(error.hint == nil)
    #expect(error.trace.isEmpty)
  }

  @Test func stateLeavesItsType() throws {
    let error = try fail("wrong", "s.count = s.count - 1")
    #expect(error.code == .schema)
    #expect(error.message == "wrong: reducer 'wrong.inc' left invalid state: 'wrong.count' must be >= 0, got -1")
    #expect(error.hint == "state is unchanged")
    #expect(
      try fail("wrong", "s.count = 4 / 2").hint
        == "state is unchanged; // divides without a fraction, math.tointeger makes an integer of a whole number")
  }

  @Test func reducerReturnsAValue() throws {
    for value in ["s", "nil", "1, 2", "false"] {
      let error = try fail("ret", "s.count = 5; return \(value)")
      #expect(error.code == .runtime)
      #expect(
        error.message == "ret: reducer 'ret.inc' returned a value; change the draft in place and return nothing")
    }
  }

  @Test func endlessLoop() throws {
    let error = try fail("spin", "while true do end")
    #expect(error.code == .budget)
    #expect(error.message == "spin: reducer 'spin.inc' used more than 200_000 VM instructions and was stopped")
    #expect(error.trace == ["at bad/spin/init.lua:4"])
  }

  @Test func endlessLoops() throws {
    for body in [
      "pcall(function() while true do end end)", "while true do pcall(function() while true do end end) end",
      "local c = coroutine.wrap(function() while true do end end) c()", "for i = 1, math.huge do s.count = 1 end",
      "local function f() return f() end f()", "(('a'):rep(40)):find((('a*'):rep(40)) .. 'b')",
      "table.sort(setmetatable({}, { __len = function() return 1 << 40 end }))",
    ] {
      let error = try fail("spin", body)
      #expect(error.code == .budget || error.code == .runtime, "\(body): \(error.message)")
    }
  }

  @Test func aBudgetOfItsOwn() throws {
    let error = try fail("spin", "while true do end", extra: #""limits": { "instructions": 12345 }"#)
    #expect(error.message == "spin: reducer 'spin.inc' used more than 12_345 VM instructions and was stopped")
  }

  @Test func forbiddenLibrary() throws {
    let error = try fail("osuse", "s.count = os.time()")
    #expect(error.code == .runtime)
    #expect(
      error.message
        == "osuse: reducer 'osuse.inc': bad/osuse/init.lua:4: 'os' is not part of the plugin sandbox (os is not available; timestamps come in action.meta.at, delays from task:sleep())"
    )
  }

  @Test(arguments: [
    "io.write('x')", "debug.getinfo(1)", "package.path", "dofile('x')", "loadfile('x')", "print('x')",
    "collectgarbage()", "xpcall(f)", "rawset(_G, 'x', 1)",
  ])
  func otherForbiddenNames(_ expression: String) throws {
    let error = try fail("osuse", "local f; local x = \(expression)")
    #expect(error.code == .runtime)
    #expect(error.message.hasPrefix("osuse: reducer 'osuse.inc': bad/osuse/init.lua:4: "), "\(error.message)")
  }

  @Test func nilInAHelper() throws {
    let error = try failing(
      "niltrap",
      """
      local function title(list)
        return list[#list + 1].title
      end
      return plugin {
        actions = { { name = "pick" } },
        reducers = { pick = function(s) local t = title({}) end },
      }
      """, action: "pick")
    #expect(error.code == .runtime)
    #expect(
      error.message
        == "niltrap: reducer 'niltrap.pick': bad/niltrap/init.lua:2: attempt to index a nil value (field '?')")
    #expect(error.trace == ["at bad/niltrap/init.lua:2: in upvalue 'title'"])
  }

  @Test func globalVariableInAReducer() throws {
    let error = try fail("glob", "count = 1")
    #expect(error.code == .runtime)
    #expect(
      error.message
        == "glob: reducer 'glob.inc': bad/glob/init.lua:4: plugins may not create globals ('count'); use 'local'")
  }

  @Test func memoryLimit() throws {
    let body = "local t = {} for i = 1, 100000 do t[i] = ('x'):rep(1000) .. i end"
    let error = try fail("fat", body, extra: #""limits": { "instructions": 20000000 }"#)
    #expect(error.code == .memory)
    #expect(error.message == "fat: reducer 'fat.inc' needed more than 4 MiB and was stopped")
    #expect(error.hint == nil)
    let small = try fail("fat", body, extra: #""limits": { "instructions": 20000000, "memory": "700KiB" }"#)
    #expect(small.message == "fat: reducer 'fat.inc' needed more than 700 KiB and was stopped")
  }

  @Test func memoryIsFreeAgainAfterTheFault() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "fat",
        lua: """
          return plugin {
            state = { field("count", int()) }, actions = { { name = "eat" }, { name = "inc" } },
            reducers = {
              eat = function() local t = ("x"):rep(1 << 30) end,
              inc = function(s) local t = ("x"):rep(1 << 20); s.count = s.count + #t end,
            },
          }
          """))
    for _ in 1...3 {
      #expect(fault { try bench.dispatch("fat.eat") }?.code == .memory)
      try bench.dispatch("fat.inc")
    }
    #expect(bench.state("fat") == "{\"count\":\(3 << 20)}")
  }

  @Test func errorObjectsThatAreNoText() throws {
    let place = "bad/odd/init.lua:4: "
    #expect(try fail("odd", "error({})").message == "odd: reducer 'odd.inc': \(place)(error object is a table)")
    #expect(try fail("odd", "error(nil)").message == "odd: reducer 'odd.inc': \(place)(error object is nil)")
    #expect(try fail("odd", "error()").message == "odd: reducer 'odd.inc': \(place)(error object is nil)")
    #expect(try fail("odd", "error(true)").message == "odd: reducer 'odd.inc': \(place)(error object is a boolean)")
    #expect(
      try fail("odd", "error(setmetatable({}, { __tostring = function() return 'told' end }))").message
        == "odd: reducer 'odd.inc': \(place)told")
    #expect(
      try fail("odd", "error(setmetatable({}, { __tostring = function() while true do end end }))").message
        == "odd: reducer 'odd.inc': \(place)(error object is a table)")
    #expect(
      try fail("odd", "error(setmetatable({}, { __tostring = function() error('x') end }))").message
        == "odd: reducer 'odd.inc': \(place)(error object is a table)")
    #expect(try fail("odd", "error('no place', 0)").message == "odd: reducer 'odd.inc': no place")
    #expect(try fail("odd", "error(42)").message == "odd: reducer 'odd.inc': \(place)42")
  }

  // MARK: Half-way

  @Test func aFailureHalfWayLeavesTheSlice() throws {
    for body in [
      "s.count = 7; s.list = { 1 }; error('no')", "s.count = 7; local t; s.count = t.count",
      "s.list[1] = 1; s.list[2] = 'x'", "s.count = 3; while true do end",
    ] {
      _ = try fail("half", body)
    }
  }

  @Test func aCaughtFaultIsNone() throws {
    let bench = try Bench()
    try bench.load(try PluginFolder("half", lua: Self.reducing("s.count = 7; pcall(function() s.count = -1 end)")))
    try bench.dispatch("half.inc")
    #expect(bench.state("half") == #"{"count":7,"list":[]}"#)
  }

  @Test func aForeignReducerUndoesTheWholeAction() throws {
    let bench = try Bench()
    let lua = """
      return plugin {
        state = { field("count", int { min = 0, max = 2 }), field("titles", list(text())) },
        reducers = { ["tasks.add"] = function(s, a)
          s.titles[#s.titles + 1] = a.title
          s.count = s.count + 1
        end },
      }
      """
    try bench.load(try PluginFolder("first", permissions: ["read:tasks"], lua: lua.replacing(", max = 2", with: "")))
    try bench.load(try PluginFolder("second", permissions: ["read:tasks"], lua: lua))
    for title in ["a", "b"] { try bench.dispatch("tasks.add", [("title", .string(title))]) }
    let before = (bench.state("tasks"), bench.state("first"), bench.state("second"))
    let error = try #require(fault { try bench.dispatch("tasks.add", [("title", .string("c"))]) })
    #expect(error.code == .schema)
    #expect(
      error.message == "second: reducer 'tasks.add' left invalid state: 'second.count' must be 0...2, got 3")
    #expect(bench.state("tasks") == before.0)
    #expect(bench.state("first") == before.1)
    #expect(bench.state("second") == before.2)
    #expect(bench.state("first") == #"{"count":2,"titles":["a","b"]}"#)
  }

  // MARK: Middleware

  private func middleware(_ name: String, _ body: String, permissions: [String] = []) throws -> (Bench, PluginError?) {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        name, permissions: permissions,
        lua: """
          return plugin {
            state = { field("count", int()) }, actions = { { name = "go" } }, reducers = { go = function(s) s.count = 1 end },
            middleware = { { name = "spy", after = function(action, ctx)
              \(body) end } },
          }
          """))
    try bench.load(
      try PluginFolder(
        "other", permissions: ["read:\(name)"],
        lua: """
          return plugin { state = { field("seen", int()) }, actions = { { name = "saw" } },
            reducers = { saw = function(s) s.seen = s.seen + 1 end },
            middleware = { { name = "m", on = { "\(name).go" }, after = function(_, ctx) ctx:dispatch("other.saw") end } },
          }
          """))
    try bench.dispatch("\(name).go")
    #expect(bench.state(name) == #"{"count":1}"#)
    #expect(bench.state("other") == #"{"seen":1}"#)
    #expect(bench.faults.count <= 1)
    return (bench, bench.faults.first)
  }

  @Test func readsWithoutPermission() throws {
    let error = try middleware("peek", "local x = ctx.state.tasks").1
    #expect(error?.code == .runtime)
    #expect(
      error?.message
        == "peek: middleware 'spy' (after): bad/peek/init.lua:4: may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"
    )
    #expect(try middleware("peek", "local x = ctx.state.tasks.items", permissions: ["read:tasks"]).1 == nil)
    #expect(
      try middleware("peek", "local x = ctx.state.count").1?.message
        == "peek: middleware 'spy' (after): bad/peek/init.lua:4: state has no module 'count' (did you mean 'state.peek.count'?)"
    )
    #expect(
      try middleware("peek", "local x = ctx.state.cuont").1?.message.hasSuffix(
        "state has no module 'cuont' (did you mean 'state.peek.count'?)") == true)
    #expect(
      try middleware("peek", "local x = ctx.state.taks").1?.message.hasSuffix(
        "state has no module 'taks' (did you mean 'tasks'?)") == true)
    #expect(
      try middleware("peek", "local n = ''; for k in pairs(ctx.state) do n = n .. k end; error(n, 0)").1?.message
        == "peek: middleware 'spy' (after): peek")
  }

  @Test func writesStateFromMiddleware() throws {
    let error = try middleware("writer", "ctx.state.writer.count = 7").1
    #expect(error?.code == .runtime)
    #expect(
      error?.message
        == "writer: middleware 'spy' (after): bad/writer/init.lua:4: state.writer is read-only here; change it by dispatching an action"
    )
    #expect(
      try middleware("writer", "ctx.state.writer = {}").1?.message
        == "writer: middleware 'spy' (after): bad/writer/init.lua:4: state is read-only here; change it by dispatching an action"
    )
    #expect(
      try middleware("writer", "ctx.state.tasks.items[1] = {}", permissions: ["read:tasks"]).1?.message
        == "writer: middleware 'spy' (after): bad/writer/init.lua:4: state.tasks.items is read-only here; change it by dispatching an action"
    )
    #expect(
      try middleware("writer", "table.insert(ctx.state.tasks.items, 1)", permissions: ["read:tasks"]).1?.message
        .contains("state.tasks.items is read-only here") == true)
    for object in ["action", "action.meta"] {
      #expect(
        try middleware("writer", "\(object).id = 5").1?.message.hasSuffix(
          " is read-only; an action cannot be changed, only another one dispatched") == true)
    }
  }

  @Test func middlewareOnABudget() throws {
    let error = try middleware("spin", "while true do end").1
    #expect(error?.code == .budget)
    #expect(
      error?.message == "spin: middleware 'spy' (after) used more than 200_000 VM instructions and was stopped")
    #expect(error?.trace == ["at bad/spin/init.lua:4"])
  }

  @Test func unknownModules() throws {
    #expect(
      try middleware("peek", "local x = ctx.state.taks", permissions: ["read:taks"]).1?.message
        == "peek: middleware 'spy' (after): bad/peek/init.lua:4: state has no module 'taks' (did you mean 'tasks'?)")
  }
}
