import PluginSupport
import StoreModules
import StoreSchema
import Testing

@testable import StorePlugins

/// `ctx`, `cmd`, `task`, `t` and `log`: what they have not is said.
@Suite("What the host gives to plugins")
struct HostTableTests {
  private let plugin: Plugin
  private let bench: Bench

  /// A plugin whose functions run what the arguments of its actions say.
  init() throws {
    bench = try Bench()
    plugin = try bench.load(
      try PluginFolder(
        "p", permissions: ["timers"],
        lua: """
          local function chunk(lua) return load("local it = ... " .. lua, "=chunk") end
          return plugin {
            actions = { { name = "go", args = { field("lua", text()) } }, { name = "seen" } },
            commands = { { name = "go", args = { field("lua", text()) },
              run = function(args, cmd) chunk(args.lua)(cmd) end } },
            middleware = { { name = "m", on = { "go" },
              after = function(action, ctx) chunk(action.args.lua)(ctx) end,
              supervise = function() return { x = function(task) task:slep(1) end } end } },
            thunks = { fill = { run = function(_, t) t:wait(1) end } },
          }
          """))
  }

  @Test(arguments: [
    ("it:prnt('a')", "cmd has no 'prnt' (did you mean 'print'?)"),
    (
      "local sleep = it.sleep",
      "cmd has no 'sleep' (it has dispatch, print, project, state, wait, and keeps nothing else)"
    ),
    ("it[1] = it[1]", "cmd has no number 1"),
    ("it.n = 1", "cmd keeps nothing: 'n' cannot be set (keep it in the plugin's state)"),
    ("it.print = nil", "cmd keeps nothing: 'print' cannot be set (keep it in the plugin's state)"),
    ("it[1] = 2", "cmd keeps nothing: number 1 cannot be set (keep it in the plugin's state)"),
    ("log.infos('a')", "log has no 'infos' (did you mean 'info'?)"),
    ("setmetatable(it, {})", "cannot change a protected metatable"),
  ])
  func ofACommand(lua: String, message: String) throws {
    let error = fault { _ = try bench.run("p", "go", [.string(lua)]) }
    #expect(error?.message == "p: command 'p go': chunk:1: \(message)")
  }

  /// What it has can be listed, and the list changes nothing of it.
  @Test func pairsGivesACopy() throws {
    let list = "local of, list = pairs(it) local all = '' for name in of, list do all = all .. ' ' .. name end"
    _ = try bench.run("p", "go", [.string(list + " list.print = nil it:print(all)")])
    #expect(bench.printed == [" dispatch print project state wait"])
  }

  @Test(arguments: [
    ("it:tsk('a')", "ctx has no 'tsk' (did you mean 'task'?)"),
    ("it.mine = it.mine or {}", "ctx has no 'mine' (it has dispatch, state, task, and keeps nothing else)"),
    ("it.dispatch = it.task", "ctx keeps nothing: 'dispatch' cannot be set (keep it in the plugin's state)"),
    ("it.mine = {}", "ctx keeps nothing: 'mine' cannot be set (keep it in the plugin's state)"),
  ])
  func ofAMiddleware(lua: String, message: String) throws {
    try bench.dispatch("p.go", [("lua", .string(lua))])
    #expect(bench.faults.map(\.message) == ["p: middleware 'm' (after): chunk:1: \(message)"])
  }

  @Test(arguments: [
    ("commands = { { name = 'c', run = function(cmd) cmd:print('x') end } }", "c", "function(args, cmd)"),
    (
      "middleware = { { name = 'm', on = { 'go' }, after = function(ctx) ctx:dispatch('go') end } }", nil,
      "function(action, ctx)"
    ),
    (
      "middleware = { { name = 'm', on = { 'go' }, before = function(ctx) return ctx.state end } }", nil,
      "function(action, ctx)"
    ),
  ])
  func theFirstParameterIsNotTheSecond(part: String, command: String?, signature: String) throws {
    let bench = try Bench()
    try bench.load(try PluginFolder("q", lua: "return plugin { actions = { { name = 'go' } }, \(part) }"))
    var error: PluginError?
    if let command {
      error = fault { _ = try bench.run("q", command, []) }
    } else {
      try bench.dispatch("q.go")
      error = bench.faults.first
    }
    #expect(error?.hint == "its parameters are \(signature)")
  }

  /// However the function was called, what it dispatches comes from the line of Lua that called it.
  @Test(arguments: ["it:dispatch('seen')", "pcall(it.dispatch, it, 'seen')", "pcall(pcall, it.dispatch, it, 'seen')"])
  func whatIsDispatchedHasALine(lua: String) throws {
    try bench.dispatch("p.go", [("lua", .string("\n" + lua))])
    let source = try #require(bench.processed.last?.source)
    #expect(source.file == "chunk")
    #expect(source.line == 2)
  }

  @Test func ofATask() throws {
    let start = try #require(try plugin.middlewares.supervise(0, view: bench.view).first)
    let task = try plugin.tasks.begin(start) { false }
    let error = fault { _ = try task.resume(view: bench.view, emit: { _, _ in }) }
    #expect(error?.message == "p: task 'p/m/x' failed: bad/p/init.lua:8: task has no 'slep' (did you mean 'sleep'?)")
  }

  @Test func ofAThunk() throws {
    let type = try #require(plugin.tasks.thunkTypes.first?.action)
    let thunk = try plugin.tasks.begin(thunk: ActionCall(type, []), key: "1")
    let error = fault { _ = try thunk.resume(view: bench.view, emit: { _, _ in }) }
    #expect(
      error?.message
        == "p: thunk 'p/thunk/1' failed: bad/p/init.lua:9: "
        + "t has no 'wait' (it has dispatch, dispatch_wait, get, and keeps nothing else)")
  }
}
