import Platform
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// L6: a thousand tasks of a plugin asleep. A task wakes, dispatches and sleeps again.
func sleepingTaskBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "L6", work: "1,000 tasks asleep: one wakes and dispatches", unit: "ns", target: 2000,
      limit: plainCall,
      prepare: {
        let sleepers = try Sleepers()
        sleepers.start()
        return { try sleepers.wakingEach(20) }
      }),
    Benchmark(
      row: "L6M", work: "memory of a task asleep", unit: "KiB", target: 4,
      prepare: {
        {
          let sleepers = try Sleepers()
          let before = ProcessMemory.allocated
          sleepers.start()
          return (ProcessMemory.allocated - before) / Double(Sleepers.count)
        }
      }),
  ]
}

/// A plugin with a thousand tasks in a store with a clock that the benchmark moves. Task 1 sleeps for a second, task 2
/// for two and so on. Then each sleeps for as many seconds as there are tasks: one wakes at every second.
private final class Sleepers: @unchecked Sendable {
  // Safe: used on one thread, which moves the clock and owns the store.
  static let count = 1000

  private let clock = VirtualClock()
  private let plugin: Plugin
  private let store: Store<ActionCall, Value>

  private static var text: String {
    """
    local function sleeper(first)
      return function(task)
        task:sleep(first)
        while true do
          task:dispatch("tick")
          task:sleep(\(count))
        end
      end
    end
    return plugin {
      state = { field("n", int()) },
      actions = { { name = "begin" }, { name = "tick" } },
      reducers = { tick = function(s) s.n = s.n + 1 end },
      middleware = { { name = "sleepers", on = { "begin" }, after = function(action, ctx)
        for i = 1, \(count) do ctx:task("t" .. i, sleeper(i)) end
      end } },
    }
    """
  }

  init() throws {
    let folder = try LuaFixture.folder(
      named: "sleepy", text: Self.text, permissions: "\"timers\"", limits: "\"tasks\":\(Self.count),\"memory\":\"8MiB\""
    )
    let plugin = try Plugin(loading: try PluginSource(folder: folder), into: LuaFixture.surroundings)
    self.plugin = plugin
    let unit = SleeperUnit(plugin)
    store = try Store(
      initial: plugin.initialState,
      reducer: .undoing("sleepy") { call, slice, context in
        try plugin.reducers.reduce(call, context: context, slice: &slice)
      },
      middleware: Middleware("sleepers") { call, context, _, effects in unit.handle(call, context, effects) },
      emission: .never, clock: clock)
  }

  func start() { store.dispatch(ActionCall(plugin.module.actions[0], [])) }

  /// Nanoseconds that a second takes, in which one task wakes; every task wakes so many times.
  func wakingEach(_ times: Int) throws -> Double {
    let before = ticks
    let value = nanoseconds(each: times * Self.count) { _ in clock.advance(by: .seconds(1)) }
    guard ticks == before + times * Self.count else { throw FileError(path: "not all tasks woke", code: EINVAL) }
    return value
  }

  private var ticks: Int {
    if case .record(let record) = store.state, case .int(let ticks) = record.values[0] { ticks } else { 0 }
  }
}

/// The middleware of the plugin, whose tasks are effects.
private final class SleeperUnit: PluginOutput, @unchecked Sendable {
  // Safe: used on one thread.
  private let plugin: Plugin
  private var unit: PluginUnit?
  private var action: ActionContext?
  private var effects: EffectScope?
  private var handler: ActionHandler<ActionCall>?

  init(_ plugin: Plugin) {
    self.plugin = plugin
    unit = plugin.middlewares.unit(0, view: NoState(), output: self)
  }

  func handle(_ call: ActionCall, _ context: ActionContext, _ effects: EffectScope) -> IO<ActionCall> {
    guard let unit, plugin.middlewares.accepts(call.type, unit: 0), (try? unit.before(call, context)) != nil else {
      return .none
    }
    return IO { [self] handler in
      (action, self.effects, self.handler) = (context, effects, handler)
      try? unit.after()
      (action, self.effects, self.handler) = (nil, nil, nil)
    }
  }

  func dispatch(_ call: ActionCall, source: ActionSource) { handler?.dispatch(DispatchedAction(call, source: source)) }

  func start(_ task: PluginTaskStart) {
    guard let action, let effects, let handler else { return }
    let effect: Effect<Void, ActionCall> = .steps { [plugin] in Sleeper(task, of: plugin, $0) }
    effects.start(effect.token(task.key), context: action, output: handler)
  }
}

private final class Sleeper: EffectSteps {
  private let start: PluginTaskStart
  private let plugin: Plugin
  private let effect: EffectContext<Void, ActionCall>
  private var task: PluginTask?

  init(_ start: PluginTaskStart, of plugin: Plugin, _ effect: EffectContext<Void, ActionCall>) {
    self.start = start
    self.plugin = plugin
    self.effect = effect
  }

  func step() -> EffectWait {
    do {
      let task = try self.task ?? plugin.tasks.begin(start) { [effect] in effect.isCancelled }
      self.task = task
      let step = try task.resume(view: NoState()) { [self] in effect.send(DispatchedAction($0, source: $1)) }
      if case .sleep(let duration) = step { return .sleep(duration) }
    } catch {}
    return .finished
  }
}
