import LuaRuntime
import StoreCore
import StoreSchema

/// What a plugin's functions get beside slices: `meta`, the action, `ctx`, `cmd` and `log`.
final class PluginCalls {
  static let metaObject = LuaObject(tag: SliceObjects.Tag.facade, id: 1)
  static let actionObject = LuaObject(tag: SliceObjects.Tag.facade, id: 2)

  /// The action on its way through an interceptor.
  static func interceptedObject(_ index: Int) -> LuaObject {
    LuaObject(tag: SliceObjects.Tag.facade, id: UInt32(3 + index))
  }

  let faults: PluginFaults
  let meta = ActionFacade(name: "meta")
  let action: ActionFacade
  /// What the plugin uses of its permissions.
  let permissions = PermissionLedger()
  /// Where dispatches go; nil: dispatching is not possible now.
  @exclusivity(unchecked) var emission: Emission?
  /// The same of the middleware whose `after` runs, within which no other code of the plugin is called. It holds what is here
  /// meanwhile.
  @exclusivity(unchecked) var emissionOfAfter: Unmanaged<Emission>?
  /// That of the task that runs: one for all of them, of which one runs at a time and none starts another.
  let emissionOfTasks = Emission(unit: "", function: "", kind: .effect)
  /// Whether a function other than `after` runs that gets `ctx`.
  @exclusivity(unchecked) var isContextOpen = false
  /// The host of the command that runs; nil while it dispatches or projects, in which other code of the plugin runs.
  var commandHost: (any PluginCommandHost)?
  /// What the command has projected.
  var projected = ProjectedReadings()
  /// What the command that pauses waits for.
  var commandWait: PluginWait?
  /// The task that runs, held by whoever runs it.
  @exclusivity(unchecked) var task: Unmanaged<PluginTask>?
  /// Whether a projection is computed.
  var isProjecting = false
  /// The modules that were read since somebody began to take note of them; nil: nobody does.
  var slicesRead: [String]?
  /// How many actions tasks and thunks may dispatch a second.
  var dispatches: Allowance
  /// How many actions one dispatch may cause (R30).
  let mostActions: () -> Int
  /// How tables that are printed are written; nil: by their type.
  var tables: TableText?
  /// The time on the clock of the store; nil: it has none.
  var time: () -> Duration? = { nil }
  /// The thunk that runs.
  var thunk: PluginThunk?
  /// The actions that the plugin declares by their names, those of its own module with it and without.
  private let ownActions: [String: ActionType]
  /// The same by the strings that Lua has for those names.
  private var ownNames: [OwnName] = []
  /// The one that was dispatched last.
  @exclusivity(unchecked) private var recentName: OwnName?
  /// An action of another module, by its full name.
  var foreignAction: (String) -> ActionType?
  /// The full names of the actions of all modules, for suggestions.
  private let foreignNames: () -> [String]
  private let functionNames: FunctionNames
  private var contextTable: LuaTable?
  /// The same in plain words.
  @exclusivity(unchecked) private var context: LuaHandle?
  private var commandTable: LuaTable?
  private var taskTable: LuaTable?
  private(set) var thunkTable: LuaTable?

  private typealias OwnName = (key: LuaKey, type: ActionType)

  /// Who dispatches, and what becomes of it.
  final class Emission {
    var unit: String { didSet { (origin, recent) = (nil, nil) } }
    /// The key of the definition under which the function stands, where it has no name of its own.
    var function: String
    let kind: ActionSource.Kind
    /// Enqueues; nil: the command host dispatches.
    @exclusivity(unchecked) var emit: ((ActionCall, ActionSource) -> Void)?
    /// What the call that runs has dispatched; a task and a thunk are counted by the second instead.
    @exclusivity(unchecked) var count = DispatchCount()
    /// Starts a task; nil: no task can be started now.
    @exclusivity(unchecked) var start: ((PluginTaskStart) -> Void)?
    /// What the sources of all that it dispatches have in common.
    @exclusivity(unchecked) private var origin: ActionSource?
    /// The source of what a named function dispatched last: the next comes from the same place as a rule.
    @exclusivity(unchecked) private var recent: (caller: LuaCall.Caller, source: ActionSource)?

    init(unit: String, function: String, kind: ActionSource.Kind = .plugin) {
      self.unit = unit
      self.function = function
      self.kind = kind
    }

    /// The source of what a Lua function dispatches.
    func source(of caller: LuaCall.Caller?, _ names: FunctionNames, plugin: String) -> ActionSource {
      guard let caller else { return source(file: plugin, function: function, line: 0, plugin: plugin) }
      if let recent, recent.caller === caller { return recent.source }
      let name = names.name(of: caller)
      let source = source(file: caller.chunk, function: name ?? function, line: caller.line, plugin: plugin)
      recent = name == nil ? nil : (caller, source)
      return source
    }

    private func source(file: String, function: String, line: Int, plugin: String) -> ActionSource {
      guard var source = origin else {
        let source = ActionSource(file: file, function: function, line: line, kind: kind, plugin: plugin, unit: unit)
        origin = source
        return source
      }
      source.file = file
      source.function = function
      source.line = line
      return source
    }
  }

  init(
    faults: PluginFaults, ownActions: [String: ActionType], functionNames: FunctionNames,
    surroundings: Plugin.Surroundings
  ) {
    action = ActionFacade(name: "action", meta: meta)
    self.functionNames = functionNames
    self.faults = faults
    dispatches = Allowance(limit: faults.manifest.limits.actions)
    let short = ownActions.values.filter { $0.module == faults.manifest.name }.map { ($0.name, $0) }
    self.ownActions = ownActions.merging(short) { full, _ in full }
    foreignAction = surroundings.action
    foreignNames = surroundings.actionNames
    mostActions = surroundings.mostActions
  }

  /// Makes the tables and functions that plugins see.
  func install(in lua: LuaState, _ objects: SliceObjects) throws(LuaError) {
    objects.facades[Self.metaObject.id] = meta
    objects.facades[Self.actionObject.id] = action
    ownNames = try ownActions.map { name, type throws(LuaError) in (try lua.intern(name), type) }
    // Unowned: the plugin that owns the Lua state owns both, and an object that anything refers to weakly is slow to count.
    // Unmanaged where every task comes by, so that nothing is counted: a function of a state is called by its owner only.
    let (unmanaged, unmanagedObjects) = (Unmanaged.passUnretained(self), Unmanaged.passUnretained(objects))
    func makeDispatch(of handle: Handle) throws(LuaError) -> LuaValue {
      .function(
        try lua.makeFunction("dispatch") { call in
          try unmanaged._withUnsafeGuaranteedRef { calls in
            try unmanagedObjects._withUnsafeGuaranteedRef { try calls.dispatch(&call, $0, of: handle) }
          }
        })
    }
    let project = try lua.makeFunction("project") { [unowned self, unowned objects] call in
      try check(.command)
      guard case .string(let path) = call[1] else {
        throw LuaFailure("cmd:project needs the name of a projection or a path")
      }
      // Before it is read: what is wrong with a path tells of what stands there.
      let module = String(path.prefix { $0 != "." && $0 != "[" })
      if let refusal = objects.refusal(module) { throw LuaFailure(refusal) }
      // The shell's own listings, which are no slice: they show what others did.
      guard module != "shell" || faults.manifest.mayRead(module) else {
        throw LuaFailure(faults.manifest.readRefusal(module))
      }
      // A projection has a budget of its own each time: the command would have any number of them.
      let reading = try call.state.timed { try self.asking { try $0.read(path) } }
      self.projected.note(path, reading)
      LuaBridge.write(reading.value, to: &call.results)
    }
    let print = try lua.makeFunction("print") { [unowned self] call in
      try check(.command)
      guard case .table = call[0] else { throw LuaFailure("write cmd:print(…), with a colon") }
      let text = try TableText.printed(call, from: 1, separator: " ", tables)
      try asking { $0.print(text) }
    }
    let wait = try makeWaitFunction(in: lua)
    let start = try makeStartFunction(in: lua)
    taskTable = try makeTaskTable(in: lua, dispatch: try makeDispatch(of: .task))
    thunkTable = try makeThunkTable(in: lua, objects, dispatch: try makeDispatch(of: .thunk))
    let state = LuaValue.object(SliceObjects.stateObject)
    contextTable = try lua.makeHostTable(
      "ctx", [("task", .function(start)), ("state", state), ("dispatch", try makeDispatch(of: .context))])
    context = contextTable?.handle
    commandTable = try lua.makeHostTable(
      "cmd",
      [
        ("state", state), ("dispatch", try makeDispatch(of: .command)), ("project", .function(project)),
        ("print", .function(print)), ("wait", .function(wait)),
      ])
  }

  func noteRead(_ module: String) {
    if slicesRead?.contains(module) == false { slicesRead?.append(module) }
  }

  func appendContext(to writer: inout LuaWriter) {
    if let context { writer.append(context) }
  }

  func appendCommand(to writer: inout LuaWriter) {
    if let commandTable { writer.append(commandTable) }
  }

  func appendTask(to writer: inout LuaWriter) {
    if let taskTable { writer.append(taskTable) }
  }

  /// The action of that name, one of the plugin's own with or without its module.
  func action(_ value: LuaValue, for function: String) throws(LuaFailure) -> ActionType {
    guard case .string(let name) = value else {
      let hint =
        switch value {
        case .nil, .table: " (is it called with a colon?)"
        default: ""
        }
      throw LuaFailure("\(function) needs the name of an action, got \(value.described)\(hint)")
    }
    if let type = ownActions[name] { return type }
    guard let type = foreignAction(name) else {
      let isFull = name.contains(".")
      let names =
        Set(ownActions.values.map { isFull ? $0.fullName : $0.name }).sorted()
        + (isFull ? foreignNames() : [])
      let suggestion = Suggestion.nearest(to: name, among: names)
      throw LuaFailure("unknown action '\(name)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    return type
  }

  /// Whether the plugin may dispatch an action: one that it declares itself, or one that it asked for.
  func mayDispatch(_ type: ActionType) -> Bool {
    ownActions[type.fullName] === type || faults.manifest.mayDispatch(type)
  }

  /// The action of the plugin's own that a string names, looked up without a copy of it.
  private func ownAction(_ name: LuaArgument) -> ActionType? {
    guard case .string(let text) = name.kind else { return nil }
    if let recentName, recentName.key == text { return recentName.type }
    guard let own = ownNames.first(where: { $0.key == text }) else { return nil }
    recentName = own
    return own.type
  }

  private func makeAction(_ call: borrowing LuaCall, _ objects: SliceObjects, isRefusal: Bool) throws -> ActionCall {
    guard let type = ownAction(call.argument(1)) else {
      return try makeAction(call[1], call[2], objects, for: "dispatch", isRefusal: isRefusal)
    }
    return try makeAction(of: type, call[2], objects)
  }

  private func dispatch(_ call: inout LuaCall, _ objects: SliceObjects, of handle: Handle) throws {
    try check(handle)
    // Else a table of arguments would be taken for an action as a table.
    if case .string = call.argument(0).kind {
      throw LuaFailure("write \(handle.rawValue):dispatch(…), with a colon")
    }
    guard let emission = handle == .context ? emissionOfAfter?.takeUnretainedValue() : emission else {
      throw LuaFailure("dispatching is not possible here; do it in after, or in a command")
    }
    guard let emit = emission.emit else {
      // Processed at once, it is the call's no longer.
      return try call.state.metered({ $0 as any Error }) { () throws(any Error) in
        let action = try makeAction(call, objects, isRefusal: false)
        let source = source(of: call, emission)
        try asking { try $0.dispatch(action, source: source) }
      }
    }
    let action = try makeAction(call, objects, isRefusal: emission.kind == .effect)
    if emission.kind == .effect { try countDispatch() } else { try emission.count.add(most: mostActions) }
    emit(action, source(of: call, emission))
  }

  /// Counts an action that a task or a thunk dispatches. What others do in answer to an action is bounded by what one
  /// dispatch may cause (R30); a task begins of itself, as often as it likes.
  func countDispatch() throws(PluginError) {
    guard let time = time(), !dispatches.take(at: time) else { return }
    throw faults.make(.budget, "more than \(grouped(dispatches.limit)) actions a second")
  }

  /// Where a call from Lua comes from, as the source of what it dispatches.
  func source(of call: borrowing LuaCall, _ emission: Emission) -> ActionSource {
    emission.source(of: call.caller, functionNames, plugin: faults.manifest.name)
  }
}

extension Duration {
  /// The duration in seconds.
  public var seconds: Double {
    // Whole nanoseconds first, so that 1.5 s is 1.5 and not its nearest sum of two parts.
    Double(components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000) / 1e9
  }
}
