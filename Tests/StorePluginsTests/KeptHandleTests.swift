import PluginSupport
import StoreModules
import StoreSchema
import Testing

@testable import StorePlugins

/// What a function is handed to act by is of no use to another that runs after it.
@Suite("What a plugin keeps of what the host gives")
struct KeptHandleTests {
  private let plugin: Plugin
  private let bench: Bench

  /// A plugin whose functions keep what they are handed, and run what the arguments of its actions say.
  init() throws {
    bench = try Bench()
    plugin = try bench.load(
      try PluginFolder(
        "p", permissions: ["timers"],
        lua: """
          local kept = {}
          local function run(lua) return load("local ctx, cmd, task, t = ... " .. lua, "=chunk")(
            kept.ctx, kept.cmd, kept.task, kept.t) end
          return plugin {
            actions = { { name = "go", args = { field("lua", text()) } }, { name = "keep" }, { name = "seen" } },
            projections = { { name = "five", type = int(), fn = function() run("cmd:print('five')") return 5 end } },
            commands = {
              { name = "go", args = { field("lua", text()) }, run = function(args, cmd) run(args.lua) end },
              { name = "keep", run = function(args, cmd) kept.cmd = cmd end },
              { name = "nest", args = { field("lua", text()) }, run = function(args, cmd)
                kept.cmd = cmd
                cmd:dispatch("go", { lua = args.lua })
                cmd:print("still here")
              end },
            },
            middleware = { { name = "m", on = { "go", "keep" },
              after = function(action, ctx)
                if action.name == "p.go" then return run(action.args.lua) end
                kept.ctx = ctx
              end,
              supervise = function() return { x = function(task)
                kept.task = task
                task:sleep(1)
                task:dispatch("seen")
                task:sleep(1)
                kept.ctx:dispatch("seen")
              end } end } },
            thunks = { keep = { run = function(_, t) kept.t = t t:dispatch_wait("keep") t:dispatch("seen") end } },
          }
          """))
    try bench.dispatch("p.keep")
    _ = try bench.run("p", "keep")
  }

  /// Runs the task for as many steps, and returns what it dispatched.
  private func runTask(steps: Int) throws -> [String] {
    var dispatched: [String] = []
    let start = try #require(try plugin.middlewares.supervise(0, view: bench.view).first)
    let task = try plugin.tasks.begin(start) { false }
    for _ in 0..<steps { _ = try task.resume(view: bench.view) { call, _ in dispatched.append(call.type.fullName) } }
    return dispatched
  }

  /// Runs the thunk to its end, and returns what it dispatched without waiting.
  private func runThunk() throws -> [String] {
    var dispatched: [String] = []
    let type = try #require(plugin.tasks.thunkTypes.first?.action)
    let thunk = try plugin.tasks.begin(thunk: ActionCall(type, []), key: "1")
    for _ in 0..<2 { _ = try thunk.resume(view: bench.view) { call, _ in dispatched.append(call.type.fullName) } }
    return dispatched
  }

  private static func message(_ name: String) -> String {
    "chunk:1: \(name) was kept after the call that it belongs to (use the one that the running function gets)"
  }

  @Test(arguments: [
    ("ctx:dispatch('seen')", "ctx"), ("ctx:task('x', function() end)", "ctx"), ("task:sleep(1)", "task"),
    ("task:dispatch('seen')", "task"), ("task:wait_for('seen')", "task"), ("local x = task:cancelled()", "task"),
    ("t:get()", "t"), ("t:dispatch('seen')", "t"), ("t:dispatch_wait('seen')", "t"),
  ])
  func isOfNoUseToACommand(lua: String, name: String) throws {
    _ = try runTask(steps: 1)
    _ = try runThunk()
    let error = fault { _ = try bench.run("p", "go", [.string(lua)]) }
    #expect(error?.message == "p: command 'p go': \(Self.message(name))")
    #expect(bench.processed.allSatisfy { $0.action != "p.seen" })
  }

  @Test(arguments: ["cmd:dispatch('seen')", "cmd:project('p.five')", "cmd:print('a')", "cmd:wait(1)"])
  func isOfNoUseToAMiddleware(lua: String) throws {
    try bench.dispatch("p.go", [("lua", .string(lua))])
    #expect(bench.faults.map(\.message) == ["p: middleware 'm' (after): \(Self.message("cmd"))"])
    #expect(bench.printed.isEmpty)
  }

  /// Even where the command is not over that the middleware runs for, which goes on with its own.
  @Test(arguments: ["cmd:dispatch('seen')", "cmd:project('p.five')", "cmd:print('a')", "cmd:wait(1)"])
  func isOfNoUseWithinACommand(lua: String) throws {
    _ = try bench.run("p", "nest", [.string(lua)])
    #expect(bench.faults.map(\.message) == ["p: middleware 'm' (after): \(Self.message("cmd"))"])
    #expect(bench.printed == ["still here"])
  }

  @Test func isOfNoUseToAProjection() throws {
    let error = fault { _ = try bench.project("p", "five") }
    #expect(error?.message.hasSuffix(Self.message("cmd")) == true)
  }

  /// A task goes on with what it was handed for as long as it lives, but not with what the middleware was.
  @Test func isOfUseToATaskUntilItEnds() throws {
    #expect(try runTask(steps: 2) == ["p.seen"])
    let error = fault { _ = try runTask(steps: 3) }
    #expect(error?.message.contains("ctx was kept after the call that it belongs to") == true)
  }

  @Test func isOfUseToAThunkUntilItEnds() throws { #expect(try runThunk() == ["p.seen"]) }
}
