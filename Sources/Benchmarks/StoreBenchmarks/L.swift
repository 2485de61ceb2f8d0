import LuaLimit
import Platform
import StandardModules
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// The fastest that anybody who calls Lua can be; 21 ns on the machine of the targets.
var plainCall: Benchmark.Limit {
  Benchmark.Limit(name: "a Lua function on a plain table") {
    { nanosecondsOf(1_000_000) { lua_limit_call($0) } }
  }
}

/// Nanoseconds for each of `count` things that are done at once.
func nanosecondsOf(_ count: Int, _ work: (Int) -> Void) -> Double {
  let start = monotonicNanoseconds()
  work(count)
  return Double(monotonicNanoseconds() - start) / Double(count)
}

/// Lua reducers and middlewares, whole dispatches.
func luaBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "L1", work: "a Lua reducer increments a counter of its slice", unit: "ns", target: 200,
      limit: plainCall,
      prepare: {
        let fixture = try LuaFixture("count", state: "field(\"n\", int())", reducer: "s.n = s.n + 1")
        return { fixture.dispatching(300_000) }
      }),
    Benchmark(
      row: "L2", work: "a Lua reducer changes one of 100,000 records by key", unit: "ns", target: 500,
      limit: plainCall,
      prepare: {
        let fixture = try LuaFixture(
          "records", state: "field(\"all\", map(record(\"Entry\", { field(\"n\", int()) })))",
          reducer: "local e = s.all[a.key] e.n = e.n + 1", arguments: "field(\"key\", text())")
        try fixture.fill(100_000)
        return { fixture.dispatching(100_000) }
      }),
    Benchmark(
      row: "L3", work: "a lifted Lua reducer reads and writes items[3].title of a Swift slice", unit: "ns", target: 400,
      limit: plainCall,
      prepare: {
        let store = try liftedStore()
        return {
          let value = nanoseconds(each: 100_000) { _ in store.dispatch(LuaFixture.noteCall) }
          sink(store.state)
          return value
        }
      }),
    Benchmark(
      row: "L4", work: "three Lua middlewares around a Swift reducer", unit: "ns", target: 360,
      limit: plainCall,
      prepare: {
        let store = try middlewareStore()
        return {
          let value = nanoseconds(each: 100_000) { _ in store.dispatch(LuaFixture.noteCall) }
          sink(store.state)
          return value
        }
      }),
    Benchmark(
      row: "L5", work: "load a plugin of 100 lines, to ready", unit: "µs", target: 1000,
      prepare: {
        let folder = try LuaFixture.folder(named: "hundred", text: hundredLines)
        let source = try PluginSource(folder: folder)
        return {
          nanoseconds(each: 50) { _ in
            sink(try? Plugin(loading: source, into: LuaFixture.surroundings))
          } / 1000
        }
      }),
  ]
}

/// A plugin alone in a store of its own.
final class LuaFixture {
  static let noteCall = ActionCall(ActionType(module: "notes", name: "note", fields: []), [])
  static var surroundings: Plugin.Surroundings {
    Plugin.Surroundings(
      action: { name in name == "notes.note" ? noteCall.type : nil }, moduleNames: ["notes"],
      slice: { $0 == "notes" ? Tasks.schema : nil })
  }

  private let plugin: Plugin
  private let store: Store<ActionCall, Value>
  private let type: ActionType
  private var keys = 0

  init(_ name: String, state: String, reducer: String, arguments: String = "") throws {
    let folder = try Self.folder(
      named: name,
      text: """
        return plugin {
          state = { \(state) },
          actions = { { name = "go", args = { \(arguments) } } },
          reducers = { go = function(s, a) \(reducer) end },
        }
        """)
    let plugin = try Plugin(loading: try PluginSource(folder: folder), into: Self.surroundings)
    self.plugin = plugin
    type = plugin.module.actions[0]
    store = try Store(
      initial: plugin.initialState,
      reducer: .undoing(name) { call, slice, context in
        try plugin.reducers.reduce(call, context: context, slice: &slice)
      },
      emission: .always)
  }

  /// Puts records under keys into the one map of the slice.
  func fill(_ count: Int) throws {
    keys = count
    guard case .record(var record) = store.state else { return }
    let layout = RecordLayout(name: "Entry", fields: ["n"])
    let entries = (0..<count).map { (MapKey.string("key\($0)"), Value.record(Record(layout, [.int(0)]))) }
    record.values[0] = .map(PersistentMap(entries))
    let filled = Value.record(record)
    try store.replaceReducer(Reducer { _, slice in slice = filled })
    store.dispatch(Self.noteCall)
    let plugin = plugin
    try store.replaceReducer(
      .undoing("records") { call, slice, context in
        try plugin.reducers.reduce(call, context: context, slice: &slice)
      })
  }

  /// Nanoseconds a dispatch.
  func dispatching(_ count: Int) -> Double {
    let value: Double
    if keys == 0 {
      let call = ActionCall(type, [])
      value = nanoseconds(each: count) { _ in store.dispatch(call) }
    } else {
      let calls = (0..<1000).map { ActionCall(type, [.string("key\($0 * 97 % keys)")]) }
      value = nanoseconds(each: count) { store.dispatch(calls[$0 % 1000]) }
    }
    sink(store.state)
    return value
  }

  /// A plugin's folder below the folder for temporary files.
  static func folder(
    named name: String, text: String, permissions: String = "", limits: String = ""
  ) throws -> String {
    var template = Array("/tmp/stsh-bench-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { throw FileError(path: "/tmp", code: errno) }
    let folder = "\(String(cString: path))/\(name)"
    mkdir(folder, 0o700)
    try Files.write(
      "{\"name\":\"\(name)\",\"version\":\"1\",\"api\":1,\"permissions\":[\(permissions)],\"limits\":{\(limits)}}\n",
      to: "\(folder)/plugin.json")
    try Files.write(text, to: "\(folder)/init.lua")
    return folder
  }
}

/// The store of L3: a Swift slice and a Lua reducer lifted over it.
private func liftedStore() throws -> Store<ActionCall, Tasks> {
  let folder = try LuaFixture.folder(
    named: "lifter",
    text: """
      return plugin { lifted = {
        { at = "notes", on = "notes.note", reduce = function(s)
            local item = s.items[3]
            item.title = item.title == "a" and "b" or "a"
          end },
      } }
      """, permissions: "\"reduce:notes\"")
  let plugin = try Plugin(loading: try PluginSource(folder: folder), into: LuaFixture.surroundings)
  var tasks = Tasks()
  tasks.items = PersistentList((1...10).map { Tasks.Task(id: $0, title: "a", done: false) })
  return try Store(
    initial: tasks,
    reducer: .undoing("lifter") { call, tasks, context in
      try withUnsafeMutablePointer(to: &tasks) { slice in
        try plugin.reducers.reduce(
          lifted: 0, call, context: context, schema: Tasks.schema, slice: UnsafeMutableRawPointer(slice))
      }
    }, emission: .always)
}

/// The store of L4.
private func middlewareStore() throws -> Store<ActionCall, Int> {
  let folder = try LuaFixture.folder(
    named: "watchers",
    text: """
      local function before() return 1 end
      local function after(action, ctx, kept) end
      return plugin { middleware = {
        { name = "a", on = { "notes.note" }, before = before, after = after },
        { name = "b", on = { "notes.note" }, before = before, after = after },
        { name = "c", on = { "notes.note" }, before = before, after = after },
      } }
      """, permissions: "\"read:notes\"")
  let plugin = try Plugin(loading: try PluginSource(folder: folder), into: LuaFixture.surroundings)
  let middlewares = plugin.units.indices.map { index in
    let unit = IdleMiddleware(plugin, index)
    return Middleware<ActionCall, ActionCall, Int>(plugin.units[index].name) { call, context, _ in
      unit.handle(call, context)
    }
  }
  return try Store(
    initial: 0, reducer: Reducer { _, state in state += 1 },
    middleware: Middleware(units: middlewares.flatMap(\.units)))
}

/// A middleware of a plugin that causes nothing, in a store that has one thread.
private final class IdleMiddleware: @unchecked Sendable {
  // Safe: used on the one thread of its store.
  private let unit: PluginUnit
  private let after: IO<ActionCall>
  private let output = NoOutput()

  init(_ plugin: Plugin, _ index: Int) {
    let unit = plugin.middlewares.unit(index, view: NoState(), output: output)
    self.unit = unit
    after = IO { _ in try? unit.after() }
  }

  func handle(_ call: ActionCall, _ context: ActionContext) -> IO<ActionCall> {
    (try? unit.before(call, context)) == nil ? .none : after
  }
}

private final class NoOutput: PluginOutput {
  func dispatch(_ call: ActionCall, source: ActionSource) {}
  func start(_ task: PluginTaskStart) {}
}

/// A state without modules.
struct NoState: StateView {
  var moduleNames: [String] { [] }
  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool { false }
}

/// A plugin of a hundred lines: twenty-four actions with a reducer each.
private var hundredLines: String {
  let actions = (0..<24).map { "    { name = \"a\($0)\", args = { field(\"by\", int { default = 1 }) } },\n" }
  let reducers = (0..<24).map { "    a\($0) = function(s, a)\n      s.n = s.n + a.by\n    end,\n" }
  return "return plugin {\n  state = { field(\"n\", int()) },\n  actions = {\n\(actions.joined())  },\n"
    + "  reducers = {\n\(reducers.joined())  },\n}\n"
}
