import PluginSupport
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import Testing

/// The module `tasks`, in Swift.
@Schema
struct Tasks: Equatable {
  var items: [TaskItem] = []
  var nextId: Int = 1
}

/// One task.
@Schema
struct TaskItem: Equatable {
  var id: Int
  var title: String
  var done: Bool = false
}

/// The root state: the Swift module and the slices of plugins.
struct BenchState: Equatable, Sendable {
  var tasks = Tasks()
  var slices: [String: Value] = [:]
}

/// A store with one Swift module, and plugins loaded into it through the public API, as the shell does it.
final class Bench: @unchecked Sendable {
  // Safe: a test uses its bench on one thread.
  private(set) var plugins: [Plugin] = []
  /// What middlewares did wrong.
  fileprivate(set) var faults: [PluginError] = []
  /// The actions that were processed, with their sources.
  private(set) var processed: [(action: String, source: ActionSource)] = []
  /// What commands printed.
  private(set) var printed: [String] = []
  /// Called after each of them.
  var whenPrinted: () -> Void = {}
  private var folders: [PluginFolder] = []
  private var store: Store<ActionCall, BenchState>

  /// The actions of the Swift module.
  static let add = ActionType(
    module: "tasks", name: "add",
    fields: [Field("title", String.schema), Field("done", Bool.schema, default: .bool(false))])
  static let remove = ActionType(module: "tasks", name: "remove", fields: [Field("id", Int.schema)])

  init() throws { store = try Store(initial: BenchState(), reducer: Bench.tasks) }

  private func record() {
    store.setRecorder { [unowned self] in processed.append(($0.action.type.fullName, $0.context.source)) }
  }

  private static let tasks = Reducer<ActionCall, BenchState>("tasks") { call, state in
    switch (call.type.fullName, call.arguments.first) {
    case ("tasks.add", .string(let title)):
      let done = call.arguments[1] == .bool(true)
      state.tasks.items.append(TaskItem(id: state.tasks.nextId, title: title, done: done))
      state.tasks.nextId += 1
    case ("tasks.remove", .int(let id)): state.tasks.items.removeAll { $0.id == id }
    default: break
    }
  }

  // MARK: Plugins

  /// Loads a plugin.
  @discardableResult
  func load(_ folder: PluginFolder) throws -> Plugin {
    let plugin = try Plugin(
      loading: try folder.source(),
      into: Plugin.Surroundings(
        action: { [unowned self] in self.action($0) }, actionNames: { ["tasks.add", "tasks.remove"] },
        moduleNames: ["tasks"] + plugins.map(\.module.name),
        slice: { [unowned self] name in
          name == "tasks" ? Tasks.schema : plugins.first { $0.module.name == name }?.module.schema
        }))
    folders.append(folder)
    plugins.append(plugin)
    try rebuild { $0.slices[plugin.module.name] = plugin.module.schema == nil ? nil : plugin.initialState }
    return plugin
  }

  /// Takes a plugin away.
  func unload(_ name: String) throws {
    guard let plugin = plugins.first(where: { $0.module.name == name }) else { return }
    try plugin.unload(view: view)
    plugins.removeAll { $0.module.name == name }
    try rebuild { $0.slices[name] = nil }
  }

  private func rebuild(_ change: (inout BenchState) -> Void) throws {
    var state = store.withState { copy $0 }
    change(&state)
    var reducer = Bench.tasks
    for plugin in plugins { reducer = reducer.appending(Bench.reducer(plugin)) }
    let units = plugins.flatMap { plugin in plugin.units.indices.map { self.unit(plugin, $0) } }
    store = try Store(initial: state, reducer: reducer, middleware: Middleware(units: units))
    record()
  }

  private static func reducer(_ plugin: Plugin) -> Reducer<ActionCall, BenchState> {
    let name = plugin.module.name
    return .throwing(name) { call, state, context in
      guard plugin.reducers.reduces(call.type) else { return }
      var slice = state.slices[name] ?? .none
      try plugin.reducers.reduce(
        call,
        context: ActionContext(number: context.number, source: context.source, time: .seconds(90), root: context.root),
        slice: &slice)
      state.slices[name] = slice
    }
  }

  private func unit(_ plugin: Plugin, _ index: Int) -> MiddlewareUnit<ActionCall, ActionCall, BenchState> {
    let worker = BenchUnit(plugin, index, self)
    return MiddlewareUnit(name: "\(plugin.module.name).\(plugin.units[index].name)") { call, context, _ in
      worker.handle(call, context)
    }
  }

  // MARK: Use

  /// An action of any module.
  func action(_ name: String) -> ActionType? {
    ([Bench.add, Bench.remove] + plugins.flatMap(\.module.actions)).first { $0.fullName == name }
  }

  /// Has an action processed.
  ///
  /// - Throws: what a reducer, or the check of the arguments, throws.
  func dispatch(_ name: String, _ arguments: [(name: String, value: Value)] = []) throws {
    guard let type = action(name) else { throw UnknownAction(name: name) }
    let source = ActionSource(file: "t.stsh", function: "dispatch", line: 7, kind: .batch)
    try store.dispatch(try type.call(arguments), source: source).get()
  }

  /// The state of a module, as JSON.
  func state(_ module: String) -> String {
    store.withState { state in
      module == "tasks" ? JSON.text(of: state.tasks.schemaValue) : JSON.text(of: state.slices[module] ?? .none)
    }
  }

  /// What a projection of a plugin gives, as JSON.
  func project(_ plugin: String, _ name: String) throws -> String {
    let plugin = try #require(plugins.first { $0.module.name == plugin })
    return JSON.text(of: try plugin.projections.project(name, view: view))
  }

  /// Runs a command of a plugin.
  func run(_ plugin: String, _ command: String, _ arguments: [Value] = []) throws -> PluginCommandResult {
    let plugin = try #require(plugins.first { $0.module.name == plugin })
    let type = try #require(plugin.module.commands.first { $0.name == command })
    let record = Record(RecordLayout(name: command, fields: type.fields.map(\.name)), arguments)
    return try plugin.commands.run(command, arguments: record, view: view, host: self)
  }

  /// The state as plugins see it.
  var view: any StateView { BenchView(bench: self) }

  fileprivate func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    store.withState { state in
      if module == "tasks" {
        withUnsafePointer(to: state.tasks) { body(Tasks.schema, UnsafeRawPointer($0)) }
        return true
      }
      guard let value = state.slices[module],
        let schema = plugins.first(where: { $0.module.name == module })?.module.schema
      else { return false }
      withUnsafePointer(to: value) { body(schema, UnsafeRawPointer($0)) }
      return true
    }
  }
}

extension Bench: PluginCommandHost {
  func dispatch(_ call: ActionCall, source: ActionSource) throws { try store.dispatch(call, source: source).get() }

  func read(_ path: String) throws -> Reading {
    let parts = path.split(separator: ".").map(String.init)
    let plugin = try #require(plugins.first { $0.module.name == parts[0] })
    let type = try #require(plugin.module.projections.first { $0.name == parts[1] })
    return Reading(value: try plugin.projections.project(parts[1], view: view), schema: type.schema)
  }

  func print(_ text: String) {
    printed.append(text)
    whenPrinted()
  }

  func wait(_ wait: PluginWait) throws -> AwaitedAction? { nil }
}

private struct BenchView: StateView {
  unowned let bench: Bench

  var moduleNames: [String] { ["tasks"] + bench.plugins.map(\.module.name) }

  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    bench.readSlice(module, body)
  }
}

/// A test dispatched an action that nobody declares.
struct UnknownAction: Error {
  let name: String
}

/// The plugin error that a piece of code ends with.
func fault(_ body: () throws -> Void) -> PluginError? {
  do {
    try body()
    return nil
  } catch {
    return error as? PluginError
  }
}

/// A middleware of a plugin on the bench.
private final class BenchUnit: PluginOutput, @unchecked Sendable {
  // Safe: used on the thread of its test.
  private unowned let bench: Bench
  private let plugin: Plugin
  private let index: Int
  private var unit: PluginUnit?
  private var handler: ActionHandler<ActionCall>?

  init(_ plugin: Plugin, _ index: Int, _ bench: Bench) {
    self.bench = bench
    self.plugin = plugin
    self.index = index
    unit = plugin.middlewares.unit(index, view: bench.view, output: self)
  }

  func handle(_ call: ActionCall, _ context: ActionContext) -> IO<ActionCall> {
    guard let unit, plugin.middlewares.accepts(call.type, unit: index),
      noting({ () throws(PluginError) in try unit.before(call, context) })
    else { return .none }
    return IO { [self] handler in
      self.handler = handler
      defer { self.handler = nil }
      _ = noting { () throws(PluginError) in try unit.after() }
    }
  }

  /// - Returns: whether it went well.
  private func noting(_ body: () throws(PluginError) -> Void) -> Bool {
    do throws(PluginError) {
      try body()
      return true
    } catch {
      bench.faults.append(error)
      return false
    }
  }

  func dispatch(_ call: ActionCall, source: ActionSource) {
    handler?.dispatch(DispatchedAction(call, source: source))
  }

  func start(_ task: PluginTaskStart) {}
}

extension ActionContext {
  /// Of an action that no store processes.
  static var first: ActionContext {
    ActionContext(
      number: 1, source: ActionSource(file: "t", function: "f", line: 1, kind: .batch), time: .zero, root: 1)
  }
}
