import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// Memory that the Lua of several sessions may take together.
package struct SessionLuaMemory: Sendable {
  fileprivate let pool: LuaMemoryPool

  /// - Parameter limit: the bytes that all of them may take.
  package init(limit: Int) { pool = LuaMemoryPool(limit: limit) }
}

/// The Lua of the prompt and of scripts: `= expr`, `let`, `assert`, `$(…)`. Its code sees `state` (read-only, live),
/// `dispatch`, `project` and the variables, in the same sandbox as plugins.
public final class SessionLua {
  let lua: LuaState
  let objects: SliceObjects
  /// Finds the host, which has this for its own.
  private let owner: () -> (any SessionLuaHost)?
  /// Leads the functions that Lua holds to it.
  private let lease = Lease<SessionLua>()
  let view: UnsafeMutablePointer<any StateView>
  /// The values that variables were set to.
  private(set) var givenValues: [String: Value] = [:]
  /// The projections that the evaluated expression has read; nil: no evaluation runs.
  private var projected: ProjectedReadings?
  /// The bytes that were in use after garbage was collected last.
  private var settledMemory = 0
  /// True if the evaluated code may only read.
  private var isReadOnly = false
  /// `command` for calls whose results nothing gets.
  private var unseenCommand: LuaFunction?
  /// Counts the programs that failed whose status Lua has not read, and reads them.
  private var unread: (count: LuaFunction, read: LuaFunction)?
  /// The number of running evaluations, each within the one before.
  private var depth = 0
  /// The names of actions that Lua has dispatched and of their arguments, and the latest of these actions.
  private var actionKeys: [String: LuaKey] = [:]
  @exclusivity(unchecked) private var latestActions: [DispatchedAction] = []
  /// So many of them are kept.
  private static let mostActions = 8
  /// The host, while an evaluation runs for it: to find it takes a lock.
  private var caller: (any SessionLuaHost)?

  /// Makes the session's Lua state.
  ///
  /// - Parameters:
  ///   - view: the state that Lua reads.
  ///   - host: finds the host, which does what Lua asks for; nil: the host is gone. It is called at each use, since the host has this
  ///     for its own.
  ///   - isSandboxed: true if Lua sees only as much as plugins see; else all of its libraries.
  /// - Throws: ``SessionLuaError`` where there is no memory for it.
  public init(view: any StateView, host: @escaping () -> (any SessionLuaHost)?, isSandboxed: Bool = true)
    throws(SessionLuaError)
  {
    owner = host
    self.view = .allocate(capacity: 1)
    self.view.initialize(to: view)
    do throws(LuaError) {
      lua = try LuaState(
        limits: LuaState.Limits(instructions: 200_000_000, memory: 256 << 20),
        sandbox: isSandboxed ? .session : .unrestricted)
      objects = SliceObjects(lua)
      objects.viewInUse = UnsafePointer(self.view)
      lua.objectHandler = objects
      lease.begin(self)
      try lua.setGlobal("state", .object(SliceObjects.stateObject))
      try lua.setGlobal("project", .function(try makeProject()))
      try lua.setGlobal("dispatch", .function(try makeDispatch()))
      try lua.setGlobal("print", .function(try makePrint()))
      for name in SessionLua.conveniences {
        try lua.setGlobal(name, .function(try makeConvenience(name)))
      }
      unseenCommand = try makeConvenience("command", isSeen: false)
      let watched = try lua.call(
        try lua.load(Self.watchOfPrograms, chunkName: SessionLuaError.ownChunk), [lua.global("run")])
      try lua.setGlobal("run", watched[0])
      if case .function(let count) = watched[1], case .function(let read) = watched[2] { unread = (count, read) }
      // Asked for globals that nobody has set.
      let missing = LuaValue.function(try makeMissing())
      let names = SessionLua.functions.map { "\($0) = true" }.joined(separator: ", ")
      let own = try lua.call(try lua.load("return { \(names) }", chunkName: SessionLuaError.ownChunk))
      if isSandboxed {
        try lua.setGlobal("(missing)", missing)
        try lua.setGlobal("(own)", own[0])
      } else {
        lua.onLeaving = { [lease] in lease.object?.owner()?.settle() }
        _ = try lua.call(
          try lua.load(Self.guardOfPrograms, chunkName: SessionLuaError.ownChunk),
          [.function(try makeExecute()), .function(try makeRequirePrograms())])
        _ = try lua.call(try lua.load(Self.guardOfGlobals, chunkName: SessionLuaError.ownChunk), [missing] + own)
      }
    } catch {
      throw SessionLuaError(error)
    }
  }

  /// Does what Lua asks for.
  ///
  /// - Throws: `LuaFailure` where it has gone.
  var host: any SessionLuaHost {
    get throws {
      guard let host = caller ?? owner() else { throw LuaFailure("the session has ended") }
      return host
    }
  }

  /// The memory that it shares with the Lua of other sessions, besides its own limit; set once.
  package var memory: SessionLuaMemory? {
    didSet { lua.memoryPool = memory?.pool }
  }

  /// Frees what Lua code no longer reaches, where that may be much: who rests may do so for long.
  package func collectMuchGarbage() {
    guard lua.memoryInUse > 2 * settledMemory + 1 << 20 else { return }
    lua.collectGarbage()
    settledMemory = lua.memoryInUse
  }

  deinit {
    lease.end()
    view.deinitialize(count: 1)
    view.deallocate()
  }

  /// Keeps the shell's own names where there is no sandbox, which does the same in C.
  private static let guardOfGlobals = """
    local missing, names = ...
    local own = {}
    for name in pairs(names) do own[name], _G[name] = _G[name], nil end
    setmetatable(_G, {
      __index = function(_, name)
        if own[name] ~= nil then return own[name] end
        return missing(name)
      end,
      __newindex = function(globals, name, value)
        if names[name] then error("'" .. name .. "' is the shell's own; give yours another name, or write local", 2) end
        rawset(globals, name, value)
      end,
    })
    """

  /// Has programs that Lua's own functions start obey the session, where there is no sandbox.
  private static let guardOfPrograms = """
    local execute, require = ...
    local popen = io.popen
    os.execute = execute
    io.popen = function(...)
      require()
      return popen(...)
    end
    """

  /// Has the result of a program that failed notice that its status is read. The functions that it returns: `run`, one that counts
  /// those from a number on and forgets them, and one that reads those within a value.
  private static let watchOfPrograms = """
    local run, setmetatable, type, next = ..., setmetatable, type, next
    local unread, open, count = {}, {}, 0
    local fields = { status = true, ok = true, signal = true }
    local function read(result)
      local kept = unread[result]
      if not kept then return end
      unread[result] = nil
      setmetatable(result, nil)
      for name in next, fields do result[name] = kept[name] end
    end
    local metatable = {
      __index = function(result, name)
        if not fields[name] then return nil end
        read(result)
        return result[name]
      end,
      __pairs = function(result) read(result) return next, result, nil end,
    }
    local function watched(...)
      local result = run(...)
      if result.status == 0 then return result end
      count = count + 1
      local kept = { number = count, program = (...), result = result }
      for name in next, fields do kept[name], result[name] = result[name], nil end
      unread[result], open[#open + 1] = kept, kept
      return setmetatable(result, metatable)
    end
    local function left(first)
      local program, status
      while #open > 0 and open[#open].number > first do
        local kept = open[#open]
        open[#open] = nil
        if unread[kept.result] then
          program, status = kept.program, kept.status
          read(kept.result)
        end
      end
      if type(program) == "table" then program = program[1] end
      return count, program, status
    end
    local function all(value, depth)
      if type(value) ~= "table" or depth > 8 then return end
      read(value)
      for _, part in next, value do all(part, depth + 1) end
    end
    return watched, left, function(value) all(value, 1) end
    """

  /// The programs so far that failed and whose status Lua has not read.
  ///
  /// - Parameter first: those up to this number are left out.
  /// - Returns: the number of all, and of the last one that is left its name and its status; from here on nothing is left.
  package func unreadPrograms(since first: Int) -> (count: Int, last: (name: String, status: Int)?) {
    guard let unread, let found = try? lua.call(unread.count, [.integer(first)]), found.count == 3,
      case .integer(let count) = found[0]
    else { return (first, nil) }
    guard case .integer(let status) = found[2] else { return (count, nil) }
    let name = if case .string(let name) = found[1] { name } else { "the program" }
    return (count, (name, status))
  }

  private func makeProject() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] call in
      guard let session = lease.object, case .string(let path) = call[0] else {
        throw LuaFailure("project needs the name of a projection")
      }
      let reading = try Self.asking {
        try session.host.require(function: "project")
        return try session.host.project(path)
      }
      session.projected?.note(path, reading)
      LuaBridge.write(reading.value, to: &call.results)
    }
  }

  private func makeDispatch() throws(LuaError) -> LuaFunction {
    // Unmanaged where each turn of a loop comes by, so that nothing is counted: a function of the state is called by its owner only.
    let unmanaged = Unmanaged.passUnretained(self)
    return try lua.makeFunction { call in try unmanaged._withUnsafeGuaranteedRef { try $0.dispatch(&call) } }
  }

  private func dispatch(_ call: inout LuaCall) throws {
    guard !isReadOnly else {
      throw LuaFailure("a projection or a condition only reads the state: it may not dispatch")
    }
    let host = try host
    try Self.asking { try host.require(function: "dispatch") }
    let action = try action(call, host)
    // Once it is dispatched the call holds it no longer.
    let interceptor = try lua.metered({ $0 as any Error }) { () throws(any Error) -> String? in
      let arguments: [Value]
      do throws(SchemaError) {
        if let plain = try call.arguments(at: 1, of: action) {
          arguments = plain
        } else {
          arguments = try action.type.call(LuaBridge.arguments(named: try objects.value(of: call[1]))).arguments
        }
      } catch {
        throw LuaFailure(action.type.sentence(for: error))
      }
      return try host.dispatch(ActionCall(action.type, arguments))
    }
    call.results.append(interceptor == nil)
    if let interceptor { call.results.append(interceptor) }
  }

  /// The action that the first argument of a call names.
  @inline(__always)
  private func action(_ call: LuaCall, _ host: any SessionLuaHost) throws -> DispatchedAction {
    let (name, changes) = (call.keyAddress(at: 0), host.actionChanges)
    for index in latestActions.indices where latestActions[index].isNamed(name, changes) { return latestActions[index] }
    return try findAction(call, host, changes)
  }

  @inline(never)
  private func findAction(_ call: LuaCall, _ host: any SessionLuaHost, _ changes: Int) throws -> DispatchedAction {
    guard case .string(let name) = call.argument(0).kind else {
      throw LuaFailure("dispatch needs the name of an action")
    }
    let type = try Self.asking { try host.action(named: name.bytes) }
    // Where there have been changes since, or the name is too long to have one address.
    if let known = latestActions.first(where: { $0.type === type && $0.changes == changes }) { return known }
    let isShort = type.fields.count <= LuaArgument.mostFields
    let action = DispatchedAction(
      type, key(type.fullName), changes, (isShort ? type.fields : []).compactMap { key($0.name) })
    if latestActions.count == Self.mostActions { latestActions.removeFirst() }
    latestActions.append(action)
    return action
  }

  /// The address of a name that Lua has once; nil: there is no memory for it.
  private func key(_ name: String) -> UnsafeRawPointer? {
    actionKeys[name] = actionKeys[name] ?? (try? lua.intern(name))
    return actionKeys[name]?.pointer
  }

  /// A function that does something for whoever types it. Its name is free for variables.
  ///
  /// - Parameter isSeen: false for calls whose results nothing gets.
  private func makeConvenience(_ name: String, isSeen: Bool = true) throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] call in
      guard let session = lease.object else { return }
      guard !session.isReadOnly else {
        throw LuaFailure("a projection or a condition only reads the state: it may not call \(name)")
      }
      try Self.asking { try session.host.require(function: name) }
      let results = try session.lua.metered({ $0 as any Error }) { () throws(any Error) -> [Value] in
        var arguments: [Value] = []
        for index in 0..<call.count { arguments.append(try session.argument(call[index])) }
        return try Self.asking { try session.host.call(name, arguments, isSeen: isSeen) }
      }
      for result in results { LuaBridge.write(result, to: &call.results) }
    }
  }

  /// A value that a function is given. A table may have positions and names, as those of `run { "ls", timeout = 5 }`.
  private func argument(_ lua: LuaValue) throws(SchemaError) -> Value {
    guard case .table(let table) = lua else { return try objects.value(of: lua) }
    var map = PersistentMap<MapKey, Value>()
    for (key, value) in table.entries() {
      switch key {
      case .integer(let number): map[.int(number)] = try objects.value(of: value)
      case .string(let name): map[.string(name)] = try objects.value(of: value)
      default: throw SchemaError(Path(), .malformedTable("it has a key that is neither a position nor a name"))
      }
    }
    return .map(map)
  }

  /// Lua's `os.execute`, whose program ends with the run.
  private func makeExecute() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] call in
      guard let session = lease.object else { return }
      // Without a line, Lua asks whether there is a shell.
      guard call.count > 0, case .string(let line) = call[0] else { return call.results.append(true) }
      let (status, signal) = try Self.asking { try session.host.execute(line) }
      if status == 0 { call.results.append(true) } else { call.results.appendNil() }
      call.results.append(signal == nil ? "exit" : "signal")
      call.results.append(signal ?? status ?? 0)
    }
  }

  private func makeRequirePrograms() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] _ in try Self.asking { try lease.object?.host.requirePrograms() } }
  }

  private func makeMissing() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] call in
      guard let session = lease.object, case .string(let name) = call[0] else { return }
      if name == Self.unseenName, let command = session.unseenCommand { return call.results.append(.function(command)) }
      guard let value = try Self.asking({ try session.host.variable(name) }) else { return }
      // Its fields keep their order.
      session.projected?.note(name, Reading(value: value, schema: .dynamic(.any)))
      LuaBridge.write(value, to: &call.results)
    }
  }

  /// Asks the host. An error that went through other Lua of the session comes out as it was: wrapped at each level, its
  /// text would double.
  private static func asking<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SessionLuaError {
      throw error.underlying ?? LuaFailure(error.message, mistake: error.mistake)
    }
  }

  private func makePrint() throws(LuaError) -> LuaFunction {
    try lua.makeFunction { [lease] call in
      try lease.object?.host.require(function: "print")
      try lease.object?.host.print(TableText.printed(call, from: 0, separator: "\t"))
    }
  }

  /// Stops the Lua that runs, if any does; may be called from any thread.
  public var interrupt: @Sendable () -> Void {
    let interruption = lua.interruption
    return { interruption.interrupt() }
  }

  // MARK: Variables

  /// Sets a variable, which is a global of the session.
  public func set(_ name: String, _ value: Value) throws(SessionLuaError) {
    try Self.converting { () throws(LuaError) in try lua.setGlobal(name, to: { LuaBridge.write(value, to: &$0) }) }
    givenValues[name] = value
  }

  /// Takes a variable away, whose name means nothing from now on.
  public func remove(_ name: String) throws(SessionLuaError) {
    try set(name, .none)
    givenValues[name] = nil
  }

  /// The value of a variable, or nil where there is none or it holds no data.
  public func variable(_ name: String) -> Value? {
    let lua = lua.global(name)
    if case .nil = lua { return nil }
    guard let value = try? objects.value(of: lua) else { return nil }
    return givenValues[name].map { value.withFields(inOrderOf: $0) } ?? value
  }

  /// Why a variable holds no data; nil: it does, or there is none.
  public func fault(ofVariable name: String) -> SchemaError? {
    do throws(SchemaError) {
      _ = try objects.value(of: lua.global(name))
      return nil
    } catch {
      return error
    }
  }

  /// The functions that the session gives to Lua beside these, whose names variables may have.
  public static let conveniences = ["command", "env", "quote", "run"]

  /// The globals that the session gives to Lua, which no Lua takes away.
  private static let functions = ["dispatch", "print", "project", "state"]
  /// Words of Lua, and names that the session gives a meaning; a variable may not hide them.
  private static let reserved = Set(functions).union([
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
    "_", "arg", "err", "ok",
  ])

  /// True if a name means something in Lua by itself.
  public func isOwn(_ name: String) -> Bool { SessionLua.reserved.contains(name) }

  /// The names in a table, such as `rep` in `string`, found by a path of names from the globals. An empty path gives
  /// the globals. Nothing runs.
  public func names(in path: [String]) -> [String] {
    guard let global = path.first else { return lua.globalNames }
    var value = lua.global(global)
    for name in path.dropFirst() {
      guard case .table(let table) = value else { return [] }
      value = table[name]
    }
    guard case .table(let table) = value else { return [] }
    return table.names
  }

  // MARK: Running

  /// True if a text lacks only its end.
  public func isUnfinished(_ text: String) -> Bool { lua.isUnfinished(text) }

  /// Evaluates something. Objects of the state that globals hold are good for the statements that follow, too.
  private func running<Result>(_ body: () throws(LuaError) -> Result) throws(SessionLuaError) -> Result {
    if depth == 0 { caller = owner() }
    depth += 1
    defer {
      depth -= 1
      if depth == 0 {
        caller = nil
        objects.endStatement()
      } else {
        objects.endCall()
      }
    }
    return try Self.converting(body)
  }

  static func converting<Result>(
    _ body: () throws(LuaError) -> Result
  ) throws(SessionLuaError) -> Result {
    do throws(LuaError) {
      return try body()
    } catch {
      throw SessionLuaError(error)
    }
  }

  /// Why a text is no Lua, or nil where it is.
  ///
  public func syntaxFault(_ text: String, as form: LuaForm) -> String? {
    do throws(LuaError) {
      _ = try lua.load(text, as: form, chunkName: "?")
      return nil
    } catch {
      return SessionLuaError(error).message
    }
  }

  /// The globals that a chunk may set, which become variables of the shell; nil: any, as in Lua that runs commands.
  public func globals(setBy chunk: String) -> Set<String>? {
    // A text that is no Lua sets none.
    guard let function = try? lua.load(chunk, chunkName: "?") else { return [] }
    let uses = lua.globalUses(of: function)
    guard !chunk.contains("_ENV"), !uses.contains(where: { Self.opensGlobals.contains($0.name) }) else { return nil }
    return Set(uses.lazy.filter(\.isAssignment).map(\.name))
  }

  /// The fields that an expression reads of a global, by constant names.
  public func fields(of name: String, readBy expression: String) -> [String] {
    guard let function = try? lua.load(expression, as: .expression, chunkName: "?") else { return [] }
    return lua.globalUses(of: function).filter { $0.name == name }.compactMap(\.field)
  }

  /// The functions and tables by which Lua sets globals whose names its text does not show.
  private static let opensGlobals: Set<String> = [
    "command", "load", "loadfile", "dofile", "require", "_G", "rawset", "setmetatable", "debug",
  ]

  /// The value of an expression and, where it is a part of the state or was projected, its type.
  ///
  /// - Parameters:
  ///   - chunk: the name of the text in errors, such as `stdin:3`.
  ///   - isReadOnly: true if dispatching is refused, in all that the text evaluates in turn, too.
  ///   - takesAll: true if several values are read as a list of them, else several expressions are refused.
  ///   - keptUnread: given a program that failed, if its result is the value and no Lua has read its status; nil: whoever gets
  ///     the value sees the status.
  public func evaluate(
    _ expression: String, chunk: String, isReadOnly: Bool = false, takesAll: Bool = false,
    keptUnread: ((_ name: String, _ status: Int) -> Void)? = nil
  ) throws(SessionLuaError) -> Reading {
    let outer = (projected, self.isReadOnly)
    projected = ProjectedReadings()
    self.isReadOnly = isReadOnly || outer.1
    defer { (projected, self.isReadOnly) = outer }
    let failedBefore = keptUnread == nil ? 0 : unreadPrograms(since: .max).count
    let name = expression.filter { $0 != " " }
    if let given = givenValues[name] { projected?.note(name, Reading(value: given, schema: .dynamic(.any))) }
    return try running { () throws(LuaError) in
      let results = try values(of: lua.load(expression, as: takesAll ? .expressions : .expression, chunkName: chunk))
      if let keptUnread, let program = unreadPrograms(since: failedBefore).last {
        keptUnread(program.name, program.status)
      }
      // Who prints a result has its status.
      if let unread { for case .table(let table) in results { _ = try lua.call(unread.read, [.table(table)]) } }
      if results.count == 1 || !takesAll, case .object(SliceObjects.stateObject) = results.first {
        return try wholeState()
      }
      do throws(SchemaError) {
        if takesAll, results.count > 1 {
          var values: [Value] = []
          for result in results { values.append(try objects.value(of: result)) }
          return Reading(value: .list(PersistentList(values)), schema: .dynamic(.any))
        }
        if case .object(let object) = results.first, let schema = objects.schema(of: object) {
          return Reading(value: try objects.value(of: object), schema: schema)
        }
        let value = try objects.value(of: results.first ?? .nil)
        return projected?.reading(of: value) ?? Reading(value: value, schema: .dynamic(.any))
      } catch {
        throw LuaError(kind: .runtime, message: error.message, underlying: error)
      }
    }
  }

  /// Does something with its Lua that may only read.
  func reading<Result>(_ body: (LuaState) throws(LuaError) -> Result) throws(SessionLuaError) -> Result {
    let outer = isReadOnly
    isReadOnly = true
    defer { isReadOnly = outer }
    return try running { () throws(LuaError) in try body(lua) }
  }

  /// The state in its order.
  private func wholeState() throws(LuaError) -> Reading {
    do {
      return try host.wholeState()
    } catch {
      throw LuaError(kind: .runtime, message: "\(error)", underlying: error)
    }
  }

  /// True if an expression holds: is neither false nor nil.
  public func holds(_ expression: String, chunk: String) throws(SessionLuaError) -> Bool {
    try running { () throws(LuaError) in
      try values(of: lua.load(expression, as: .expression, chunkName: chunk)).first?.isTruthy ?? false
    }
  }

  /// Evaluates each side of a comparison once, and compares them.
  ///
  /// - Parameters:
  ///   - sign: the operator between the sides.
  ///   - chunk: the name of the text in errors.
  /// - Returns: also the values of the sides where it does not hold, nil for one that is no value of the shell; nil: the sides do not
  ///   stand alone.
  public func comparison(
    _ left: String, _ sign: String, _ right: String, chunk: String
  ) throws(SessionLuaError) -> (holds: Bool, sides: [Value?])? {
    let text = "(function(l, r) return l \(sign) r, l, r end)((\(left)), (\(right)))"
    guard let function = try? lua.load(text, as: .expressions, chunkName: chunk) else { return nil }
    return try running { () throws(LuaError) in
      let results = try values(of: function)
      guard results.first?.isTruthy != true else { return (true, []) }
      return (false, results.dropFirst().map { try? objects.value(of: $0) })
    }
  }

  /// An expression that is asked many times: each name in it must be that of something.
  public func condition(_ expression: String, chunk: String) throws(SessionLuaError) -> SessionCondition {
    let function = try Self.converting { () throws(LuaError) in
      try known(lua.load(expression, as: .expression, chunkName: chunk))
    }
    return SessionCondition { [self] () throws(SessionLuaError) in
      try running { () throws(LuaError) in try lua.call(function).first?.isTruthy ?? false }
    }
  }

  /// Runs a chunk.
  ///
  /// - Parameter calls: the offsets in its UTF-8, in order, of the name `command` where that is the global.
  public func run(_ text: String, calls: [Int] = [], chunk: String) throws(SessionLuaError) {
    _ = try running { () throws(LuaError) in
      try lua.call(lua.load(calls.isEmpty ? text : notingUnseen(calls, in: text, chunk), chunkName: chunk))
    }
  }

  /// A chunk in which calls of `command` whose results nothing gets have another name, so that each knows this of itself.
  private func notingUnseen(_ calls: [Int], in text: String, _ chunk: String) throws(LuaError) -> String {
    let bytes = Array(text.utf8)
    // On a line of its own, each call is known by its line.
    var (spread, lines, line, from): ([UInt8], [Int], Int, Int) = ([], [], 1, 0)
    for call in calls {
      spread += bytes[from..<call] + [0x0A]
      line += bytes[from..<call].count { $0 == 0x0A } + 1
      lines.append(line)
      from = call
    }
    let function = try lua.load(String(decoding: spread + bytes[from...], as: UTF8.self), chunkName: chunk)
    let unseen = Set(lua.discardedCalls(of: function, global: "command").map(\.line))
    var renamed = bytes
    for (call, line) in zip(calls, lines) where unseen.contains(line) {
      renamed.replaceSubrange(call..<(call + Self.unseenName.utf8.count), with: Self.unseenName.utf8)
    }
    return String(decoding: renamed, as: UTF8.self)
  }

  /// As long as `command`, so that all places stay. The sandbox finds it where no global has the name.
  private static let unseenName = "c0mmand"
}

/// A Lua expression that was read once, to be asked whether it holds.
public struct SessionCondition {
  private let body: () throws(SessionLuaError) -> Bool

  init(_ body: @escaping () throws(SessionLuaError) -> Bool) { self.body = body }

  /// True if it is neither false nor nil just now.
  public func holds() throws(SessionLuaError) -> Bool { try body() }
}

extension SessionLua {
  /// The values of an expression. Where it fails by a name or gives nothing, each name in it must be that of something.
  func values(of expression: LuaFunction) throws(LuaError) -> [LuaValue] {
    let values: [LuaValue]
    do throws(LuaError) {
      values = try lua.call(expression)
    } catch {
      if case .misuse("global", _)? = error.mistake { _ = try known(expression) }
      throw error
    }
    if values.first?.isTruthy != true { _ = try known(expression) }
    return values
  }

  /// Refuses an expression with a name that is that of nothing.
  public func requireNames(in expression: String, chunk: String) throws(SessionLuaError) {
    try Self.converting { () throws(LuaError) in
      _ = try known(lua.load(expression, as: .expression, chunkName: chunk))
    }
  }

  /// True if the session knows nothing of a name. A variable may hold nothing.
  func isNothing(_ name: String) -> Bool {
    givenValues[name] == nil && !isOwn(name) && !lua.globalNames.contains(name)
      && (try? host.variable(name)) ?? nil == nil
  }

  /// A function, where each global that it reads is something.
  ///
  /// - Parameter others: names that are something besides.
  /// - Throws: `LuaError` for one that is nothing.
  func known(_ function: LuaFunction, besides others: Set<String> = []) throws(LuaError) -> LuaFunction {
    for use in lua.globalUses(of: function) where !use.isAssignment && !others.contains(use.name) {
      guard isNothing(use.name) else { continue }
      let names = lua.globalNames
      var error = LuaError(kind: .runtime, message: "'\(use.name)' is not defined")
      let modules = view.pointee.moduleNames
      // The shell says how a module is read.
      let nearest =
        modules.contains(use.name)
        ? nil : Suggestion.nearest(to: use.name, among: names + others + modules + ["true", "false", "nil"])
      error.mistake = .unknownName(use.name, nearest: nearest.map { modules.contains($0) ? "state.\($0)" : $0 })
      throw error
    }
    return function
  }
}

/// An action that Lua dispatches, as it is found again.
private final class DispatchedAction {
  let type: ActionType
  /// The number of changes to the actions that there are when it was found.
  let changes: Int
  /// The address of its name in Lua; nil: there was no memory for that.
  private let name: UnsafeRawPointer?
  /// Those of its arguments' names; none: there are too many arguments, or there was no memory for their names.
  let addresses: [UnsafeRawPointer]
  /// The values that need no closer look.
  let plain: [Schema.PlainSet?]
  /// The latest arguments. Once their action has let go of them, the next ones take their memory.
  @exclusivity(unchecked) var arguments: [Value]

  init(_ type: ActionType, _ name: UnsafeRawPointer?, _ changes: Int, _ addresses: [UnsafeRawPointer]) {
    (self.type, self.name, self.changes) = (type, name, changes)
    self.addresses = addresses.count == type.fields.count ? addresses : []
    plain = type.fields.map(\.schema.plainSet)
    arguments = .absent(plain.count)
  }

  /// True if the action has the name that stands at an address, where there have been no changes since.
  @inline(__always)
  func isNamed(_ address: UnsafeRawPointer?, _ changes: Int) -> Bool {
    address != nil && name == address && self.changes == changes
  }
}

extension LuaCall {
  /// The arguments of an action that a table of texts, numbers and truth values names, checked, in declared order.
  ///
  /// - Returns: nil: it is another table, or names an argument that the action does not have.
  fileprivate func arguments(at position: Int, of action: DispatchedAction) throws(SchemaError) -> [Value]? {
    guard action.addresses.count == action.plain.count else { return nil }
    var given: UInt64 = 0
    let areRead = action.addresses.withUnsafeBufferPointer { addresses in
      action.arguments.withUnsafeMutableBufferPointer { arguments in
        fields(at: position, addresses) { index, value in
          guard let value = value.scalar else { return false }
          given |= 1 << UInt64(index)
          arguments[index] = value
          return true
        }
      }
    }
    guard areRead else { return nil }
    for index in action.plain.indices {
      let isGiven = given >> UInt64(index) & 1 == 1
      if isGiven, let plain = action.plain[index], plain.gives(action.arguments[index]) { continue }
      let field = action.type.fields[index]
      if isGiven, field.schema.surelyHas(action.arguments[index]) { continue }
      action.arguments[index] = try action.type.check(isGiven ? action.arguments[index] : nil, for: field)
    }
    return action.arguments
  }
}

extension LuaArgument {
  /// The value of a text, number or truth value; nil: it is something else.
  fileprivate var scalar: Value? {
    switch kind {
    case .boolean(let value): .bool(value)
    case .integer(let value): .int(value)
    case .number(let value): .double(value)
    default: text.map { .string($0) }
    }
  }
}
