import PluginSupport
import StoreCore
import StoreModules
import StoreSchema
import Testing

@testable import StorePlugins

/// Tasks as coroutines, resumed by hand.
@Suite("Tasks of plugins")
struct TaskTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// A plugin whose one middleware wants what a Lua expression gives.
  private func plugin(
    _ wanted: String, permissions: [String] = ["timers"], extra: String? = nil, lines: String = ""
  ) throws -> Plugin {
    try bench.load(
      try PluginFolder(
        "p", permissions: permissions, extra: extra,
        lua: """
          \(lines)
          return plugin {
            state = { field("count", int()) },
            actions = { { name = "inc", args = { field("by", int { default = 1 }) } } },
            reducers = { inc = function(s, a) s.count = s.count + a.by end },
            middleware = { { name = "m", supervise = function(state) return \(wanted) end } },
          }
          """))
  }

  /// A task of a body in Lua, not yet resumed.
  private func task(
    _ body: String, permissions: [String] = ["timers"], extra: String? = nil, isOver: @escaping () -> Bool = { false }
  ) throws -> (plugin: Plugin, task: PluginTask) {
    let plugin = try plugin("{ x = function(task) \(body) end }", permissions: permissions, extra: extra)
    let start = try #require(try plugin.middlewares.supervise(0, view: bench.view).first)
    return (plugin, try plugin.tasks.begin(start, isOver: isOver))
  }

  /// Resumes a task and says what it wants next.
  private func step(_ task: PluginTask, _ action: ActionCall? = nil) throws -> String {
    switch try task.resume(with: action, view: bench.view, emit: { emitted.list.append(($0, $1)) }) {
    case .finished: "finished"
    case .sleep(let duration): "sleep \(duration)"
    case .sleepUntil(let time): "sleep until \(time)"
    case .waitFor(let type, let timeout): "wait \(type.fullName) \(timeout.map { "\($0)" } ?? "for ever")"
    }
  }

  private final class Emitted { var list: [(ActionCall, ActionSource)] = [] }
  private let emitted = Emitted()

  /// Actions a second are counted on the clock of the store.
  @Test func actionsASecondAreBounded() throws {
    let (plugin, task) = try task(
      "while true do for i = 1, 60 do task:dispatch('inc') end task:sleep(0) end",
      extra: #""limits": { "actions": 100 }"#)
    var time = Duration.zero
    plugin.attachLog(now: { time }, { _ in })
    #expect(try step(task) == "sleep 0.001 seconds")
    time = .seconds(1)
    #expect(try step(task) == "sleep 0.001 seconds")
    let error = fault { _ = try step(task) }
    #expect(error?.code == .budget)
    #expect(error?.message == "p: more than 100 actions a second")
    #expect(error?.trace.last == "in task 'p/m/x'")
    #expect(emitted.list.count == 160)
    #expect(try step(task) == "finished")
  }

  @Test func theLimitOfActionsHasACeiling() throws {
    let error = fault { _ = try task("", extra: #""limits": { "actions": 1000001 }"#) }
    #expect(error?.message.contains("\"limits.actions\" must be a whole number in 1...1000000") == true)
  }

  @Test func sleepsAndDispatches() throws {
    let (plugin, task) = try task(
      "task:sleep(1) task:dispatch('inc', { by = 3 }) task:dispatch('p.inc') task:sleep(0.25)")
    #expect(task.name == "p/m/x")
    #expect(try step(task) == "sleep 1.0 seconds")
    #expect(emitted.list.isEmpty)
    #expect(try step(task) == "sleep 0.25 seconds")
    #expect(emitted.list.map(\.0.type.fullName) == ["p.inc", "p.inc"])
    #expect(emitted.list.map(\.0.arguments) == [[.int(3)], [.int(1)]])
    let source = try #require(emitted.list.first?.1)
    #expect(source.kind == .effect)
    #expect(source.plugin == "p")
    #expect(source.unit == "m")
    #expect(source.file == "bad/p/init.lua")
    #expect(source.line == 6)
    #expect(try step(task) == "finished")
    #expect(try step(task) == "finished")
    #expect(plugin.tasks.running.isEmpty)
  }

  @Test(arguments: [
    ("0", "0.001"), ("-5", "0.001"), ("1e-9", "0.001"), ("2", "2.0"), ("1e9", "1000000000.0"), ("0.5", "0.5"),
    ("-1/0", "0.001"), ("math.mininteger", "0.001"),
  ])
  func waitsHaveALeastLength(seconds: String, slept: String) throws {
    #expect(try step(try task("task:sleep(\(seconds))").task) == "sleep \(slept) seconds")
  }

  @Test(arguments: ["0/0", "'1'", "nil", "{}"])
  func whatIsNoDuration(value: String) throws {
    let error = fault { _ = try step(try task("task:sleep(\(value))").task) }
    #expect(error?.code == .task)
    #expect(
      error?.message.hasPrefix(
        "p: task 'p/m/x' failed: bad/p/init.lua:6: task:sleep needs a number of seconds, got ") == true)
  }

  @Test(arguments: ["1/0", "1e10", "math.maxinteger"])
  func whatIsLongerThanAWait(value: String) throws {
    let error = fault { _ = try step(try task("task:sleep(\(value))").task) }
    #expect(error?.code == .task)
    #expect(error?.message.contains("task:sleep: a wait has at most 1000000000 seconds, got number ") == true)
  }

  @Test func everyResumptionHasABudgetOfItsOwn() throws {
    let (_, task) = try task("for _ = 1, 5 do for _ = 1, 100000 do end task:sleep(1) end")
    for _ in 1...5 { #expect(try step(task) == "sleep 1.0 seconds") }
    #expect(try step(task) == "finished")
  }

  @Test func anEndlessLoopIsStopped() throws {
    let (plugin, task) = try task("task:sleep(1) while true do end")
    _ = try step(task)
    let error = fault { _ = try step(task) }
    #expect(error?.code == .task)
    #expect(error?.message == "p: task 'p/m/x' failed: used more than 200_000 VM instructions")
    #expect(plugin.tasks.running.isEmpty)
    #expect(try step(task) == "finished")
  }

  @Test func aDispatchWithoutPermissionIsRefusedWithAHint() throws {
    let error = fault { _ = try step(try task("task:dispatch('tasks.remove', { id = 1 })").task) }
    #expect(error?.message == "p: task 'p/m/x' failed: may not dispatch 'tasks.remove'")
    #expect(error?.hint == #"add "dispatch:tasks.remove" to permissions in plugin.json"#)
    #expect(emitted.list.isEmpty)
  }

  @Test func aRefusalThatIsCaughtIsNoFault() throws {
    let (_, task) = try task(
      "local ok, why = pcall(task.dispatch, task, 'tasks.remove', { id = 1 }) task:sleep(ok and 1 or 2)")
    #expect(try step(task) == "sleep 2.0 seconds")
  }

  @Test func aTaskThatPausesByItselfIsAtFault() throws {
    let (plugin, task) = try task("coroutine.yield(1)")
    #expect(fault { _ = try step(task) }?.message.contains("it paused by itself") == true)
    #expect(plugin.tasks.running.isEmpty)
  }

  @Test func waitsForActions() throws {
    let (_, task) = try task(
      "local a = task:wait_for('inc') task:sleep(a.by) task:sleep(6 + select('#', task:wait_for('p.inc', 2)))"
    )
    #expect(try step(task) == "wait p.inc for ever")
    let type = try #require(bench.action("p.inc"))
    #expect(try step(task, ActionCall(type, [.int(5)])) == "sleep 5.0 seconds")
    #expect(try step(task) == "wait p.inc 2.0 seconds")
    #expect(try step(task) == "sleep 7.0 seconds")
  }

  @Test(arguments: [
    ("'tasks.add'", "may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"),
    ("'p.icn'", "unknown action 'p.icn' (did you mean 'p.inc'?)"), ("7", "task:wait_for needs the name of an action"),
    ("'inc', 'x'", "task:wait_for needs a number of seconds, got string \"x\""),
  ])
  func waitsThatAreRefused(arguments: String, message: String) throws {
    let error = fault { _ = try step(try task("task:wait_for(\(arguments))").task) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
  }

  @Test func actionsOfOtherModulesWithPermission() throws {
    let (_, task) = try task("task:wait_for('tasks.add')", permissions: ["timers", "read:tasks"])
    #expect(try step(task) == "wait tasks.add for ever")
  }

  @Test func cancelling() throws {
    final class Flag { var isUp = false }
    let flag = Flag()
    let (plugin, task) = try task(
      """
      local guard <close> = setmetatable({}, { __close = function() task:dispatch('inc', { by = task:cancelled() and 9 or 0 }) end })
      assert(not task:cancelled())
      task:sleep(1)
      """, isOver: { flag.isUp })
    _ = try step(task)
    flag.isUp = true
    task.close(view: bench.view)
    // What is closed can no longer dispatch.
    #expect(emitted.list.isEmpty)
    #expect(plugin.tasks.running.isEmpty)
    #expect(try step(task) == "finished")
  }

  @Test func functionsOfATaskOutsideOfIt() throws {
    let kept = try bench.load(
      try PluginFolder(
        "q", permissions: ["timers"],
        lua: """
          local kept
          return plugin { middleware = { { name = "m", supervise = function()
            if kept then kept:sleep(1) end
            return { x = function(task) kept = task end }
          end } } }
          """))
    let start = try #require(try kept.middlewares.supervise(0, view: bench.view).first)
    #expect(try step(try kept.tasks.begin(start) { false }) == "finished")
    #expect(
      fault { _ = try kept.middlewares.supervise(0, view: bench.view) }?.message.contains(
        "task was kept after the call that it belongs to") == true)
  }

  /// It would go on at once, and nobody would say so.
  @Test func aCoroutineOfATaskDoesNotPauseIt() throws {
    let plugin = try plugin(
      "{ a = inner }",
      lines: "local function inner(task) local go = coroutine.wrap(function() task:sleep(1) end) go() end")
    let start = try #require(try plugin.middlewares.supervise(0, view: bench.view).first)
    let task = try plugin.tasks.begin(start) { false }
    #expect(
      fault { _ = try step(task) }?.message.contains(
        "task:sleep is only possible while the task runs, and not in a coroutine of its own") == true)
  }

  @Test func noMoreThanTheLimit() throws {
    let plugin = try plugin(
      "{ a = wait, b = wait, c = wait }", extra: #""limits": { "tasks": 2 }"#,
      lines: "local function wait(task) task:sleep(1) end")
    final class Flag { var isUp = false }
    let flag = Flag()
    let starts = try plugin.middlewares.supervise(0, view: bench.view)
    #expect(starts.map(\.key.description) == ["a", "b", "c"])
    let first = try plugin.tasks.begin(starts[0]) { flag.isUp }
    _ = try plugin.tasks.begin(starts[1]) { false }
    let error = fault { _ = try plugin.tasks.begin(starts[2]) { false } }
    #expect(error?.code == .tasks)
    #expect(error?.message == "p: more than 2 tasks")
    // One that was cancelled no longer counts, even before it is closed.
    flag.isUp = true
    _ = try plugin.tasks.begin(starts[2]) { false }
    first.close(view: bench.view)
    #expect(plugin.tasks.running.count == 2)
  }

  @Test func tenThousandStartsAndCancelsLeaveTheMemoryAsItWas() throws {
    let plugin = try plugin("{ x = function(task) local t = { task } while true do task:sleep(1) end end }")
    func startAndCancel() throws {
      let start = try #require(try plugin.middlewares.supervise(0, view: bench.view).first)
      let task = try plugin.tasks.begin(start) { false }
      _ = try step(task)
      task.close(view: bench.view)
    }
    for _ in 1...100 { try startAndCancel() }
    plugin.machine.lua.collectGarbage()
    let before = plugin.machine.lua.memoryInUse
    for _ in 1...10_000 { try startAndCancel() }
    plugin.machine.lua.collectGarbage()
    #expect(plugin.tasks.running.isEmpty)
    #expect(plugin.machine.lua.memoryInUse <= before + 1024)
  }

  @Test(arguments: [
    ("7", "returned number 7, not a table of tasks"),
    ("{ 1 }", "returned an entry that is not KEY = function(task) … end, but number 1 = number 1"),
    ("{ x = 1 }", "but string \"x\" = number 1"), ("{ [type] = type }", "returned an entry that is not KEY"),
    ("state.p.cuont", "p has no field 'cuont' (did you mean 'count'?)"),
    ("state.tasks", "may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"),
    ("(function() state.p.count = 1 end)()", "state.p is read-only here"),
  ])
  func whatSuperviseMayNotGive(wanted: String, message: String) throws {
    let plugin = try plugin(wanted)
    let error = fault { _ = try plugin.middlewares.supervise(0, view: bench.view) }
    #expect(error?.code == .runtime)
    #expect(error?.message.hasPrefix("p: middleware 'm' (supervise): ") == true)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
  }

  @Test func tasksNeedAPermission() throws {
    let error = fault { _ = try plugin("{ x = function() end }", permissions: []) }
    #expect(error?.message == "p: middleware 'm': supervise may not start tasks")
    #expect(error?.hint == "add \"timers\" to permissions in plugin.json")
  }
}
