import CLua

/// A Lua 5.4 state with budgets and a sandbox, confined to one thread at a time.
///
/// After any error the state can be used again. Values of one state mean nothing in another.
///
/// Extensions add one ability a file: calls, windows, limits, captures, code, errors.
public final class LuaState {
  private var handlerBox: HandlerBox?
  /// The same as `handlerBox`, for callbacks. Unchecked because every access is a plain load or store of one word by the
  /// thread that uses the state.
  @exclusivity(unchecked) var borrowedBox: Unmanaged<HandlerBox>?

  @usableFromInline let link = LuaLink()
  @usableFromInline let machine: UnsafeMutablePointer<CLuaMachine>
  /// Stops the call that runs, from any thread.
  public let interruption: LuaInterrupter
  /// The host functions by number, each held once: a call counts no references.
  @exclusivity(unchecked) var functions: [Unmanaged<HostFunction>] = []
  /// The error a callback threw last, until the outermost call ends.
  var lastFailure: (any Error)?
  /// The caller of the host function that asked for it last.
  @exclusivity(unchecked) var lastCaller: LuaCall.Caller?
  var chunkNames = ChunkNames()
  /// The names of the captured locals that a module's code assigns to, by its chunk.
  var assignedCaptures: [String: Set<String>] = [:]

  /// Called before code of an unrestricted state reaches something outside of the process, such as a file or a program. It does not
  /// use the state.
  package var onLeaving: (() -> Void)?

  /// True while arithmetic with any text is an error, also with the text of a number.
  public var refusesArithmeticOfTexts: Bool {
    get { machine.pointee.refusesArithmeticOfTexts }
    set { machine.pointee.refusesArithmeticOfTexts = newValue }
  }

  /// A fresh state. Fails when the limits leave no room for the libraries.
  public init(limits: Limits = Limits(), sandbox: Sandbox = .plugin) throws(LuaError) {
    var callbacks = HostCallbacks.all
    let kind: CLuaSandbox =
      switch sandbox {
      case .plugin: .plugin
      case .session: .session
      case .unrestricted: .unrestricted
      }
    guard let machine = clua_open(kind, max(limits.memory, 0), nil, &callbacks) else {
      throw LuaError(kind: .memory, message: "not enough memory")
    }
    self.machine = machine
    self.limits = limits
    link.machine = machine
    interruption = LuaInterrupter(machine)
    link.state = self
    machine.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    applyLimits()
  }

  deinit {
    interruption.forget()
    link.machine = nil
    link.state = nil
    clua_close(machine)
    for function in functions { function.release() }
  }

  /// The limits of one call. A change counts from the next outermost call on; the memory limit at once.
  public var limits: Limits {
    didSet { applyLimits() }
  }

  private func applyLimits() {
    machine.pointee.instructionLimit = Int64(limits.instructions)
    machine.pointee.memoryLimit = max(limits.memory, 0)
    machine.pointee.millisecondLimit = Int64(limits.milliseconds ?? 0)
  }

  /// Memory that the state shares with others, besides its own limit; set once.
  package var memoryPool: LuaMemoryPool? {
    didSet { if let memoryPool, oldValue == nil { clua_join(machine, memoryPool.pool) } }
  }

  /// Bytes that the state holds.
  public var memoryInUse: Int { machine.pointee.memory }

  /// VM instructions that the running or the last outermost call has used, in steps of the count hook.
  public var instructionsUsed: Int {
    limits.instructions - Int(machine.pointee.remaining + machine.pointee.advance)
  }

  /// True if nothing but its instructions ends a repeatable call, as for the repetition of a call that ended well.
  public var isUnhurried: Bool {
    get { machine.pointee.isUnhurried }
    set { machine.pointee.isUnhurried = newValue }
  }

  /// True if Lua code ran when it was interrupted, since it was last asked.
  public func takeInterruption() -> Bool {
    defer { machine.pointee.wasInterrupted = false }
    return machine.pointee.wasInterrupted
  }

  /// Frees what Lua code no longer reaches.
  public func collectGarbage() {
    link.dropReleased()
    _ = clua_collect(machine)
  }

  /// Answers for the host's objects, from now on; without it every use of one is an error. Not to be set within a callback.
  public var objectHandler: (any LuaObjectHandler)? {
    get { handlerBox?.handler }
    set {
      handlerBox = newValue.map(HandlerBox.init)
      borrowedBox = handlerBox.map(Unmanaged.passUnretained)
    }
  }

  // MARK: Compiling

  /// Compiles a chunk of text. `chunkName` is shown as it is, as in `pomodoro/init.lua:4:`.
  public func load(_ source: String, chunkName: String) throws(LuaError) -> LuaFunction {
    let name = chunkNames.add(chunkName)
    var first: Int32 = 0
    try check(source.withBytes { clua_load(machine, $0, $1, "@" + name, &first) })
    defer { clua_drop(machine, first) }
    var reference: Int32 = 0
    try check(clua_anchor(machine, first, &reference))
    return LuaFunction(link, reference)
  }

  /// Compiles a chunk of which the state remembers the locals that it assigns to from within functions (``LuaFunction/isBrief``).
  public func loadModule(_ source: String, chunkName: String) throws(LuaError) -> LuaFunction {
    let chunk = try load(source, chunkName: chunkName)
    if let code = link.bytecode(of: chunk) {
      assignedCaptures[code.source, default: []].formUnion(code.assignedCaptures)
    }
    return chunk
  }

  /// Gives Lua code that catches an error another name for a folder of chunks than the shown one. The code's behaviour
  /// then does not depend on where the folder is. To be said before its chunks are compiled.
  public func hideFolder(_ shown: String, behind name: String) { chunkNames.folder = (inLua: name, shown: shown) }

  /// Has garbage collected without pauses from now on, which no Lua code can tell.
  public func collectOften() { clua_collectOften(machine) }

  // MARK: Values

  /// Sets a global that Lua code can read, whatever the sandbox.
  public func setGlobal(_ name: String, _ value: LuaValue) throws(LuaError) {
    try setGlobal(name) { $0.append(value) }
  }

  /// Sets a global to the one value that is written.
  public func setGlobal(_ name: String, to write: (inout LuaWriter) -> Void) throws(LuaError) {
    let mark = self.write(write)
    try check(name.withBytes { clua_setGlobal(machine, $0, $1, mark) })
  }

  /// A global, nil where there is none.
  public func global(_ name: String) -> LuaValue {
    var first: Int32 = 0
    guard name.withBytes({ clua_global(machine, $0, $1, &first) }) == .done else { return .nil }
    defer { clua_drop(machine, first) }
    return link.value(at: -1)
  }

  /// The names of all globals that Lua code can read, sorted.
  public var globalNames: [String] {
    let raw = machine.pointee
    let references = raw.globals == raw.visibleGlobals ? [raw.globals] : [raw.globals, raw.visibleGlobals]
    return Set(references.flatMap(link.names)).sorted()
  }

  /// A table, written as one `beginTable` … `endTable`.
  public func makeTable(_ write: (inout LuaWriter) -> Void) throws(LuaError) -> LuaTable {
    LuaTable(link, try anchor(self.write(write)))
  }

  /// Gives a table a metatable. From then on Lua code changes the table no more than the metatable lets it: `rawset` does what
  /// an assignment does.
  public func makeHostTable(_ table: LuaTable, metatable: LuaTable) throws(LuaError) {
    try check(clua_makeHostTable(machine, table.reference, metatable.reference))
  }

  /// Keeps a string for the state's life, so that a host object recognises a key by its address.
  public func intern(_ text: String) throws(LuaError) -> LuaKey {
    var reference: Int32 = 0
    var address: UnsafeRawPointer?
    try check(text.withBytes { clua_intern(machine, $0, $1, &reference, &address) })
    guard let address else { throw LuaError(kind: .memory, message: "not enough memory") }
    return LuaKey(text: text, pointer: address, reference: reference)
  }

  /// The text that Lua's `tostring` gives, within a call's budgets; bytes that are no UTF-8 are replaced by U+FFFD.
  public func describe(_ value: LuaValue) throws(LuaError) -> String {
    let mark = write { $0.append(value) }
    var first: Int32 = 0
    try check(clua_describe(machine, mark, &first))
    defer { clua_drop(machine, first) }
    var text = CLuaValue()
    clua_read(machine, first, &text)
    return text.kind == .string ? try link.copy(LuaBytes(text)) : ""
  }

  func anchor(_ mark: CLuaMark) throws(LuaError) -> Int32 {
    var reference: Int32 = 0
    try check(clua_anchorItems(machine, mark, &reference))
    link.dropReleased()
    return reference
  }

  /// Writes items and answers where they begin.
  @inline(__always)
  func write(_ write: (inout LuaWriter) -> Void) -> CLuaMark {
    let mark = clua_mark(items)
    var writer = LuaWriter(items)
    write(&writer)
    return mark
  }

  @inline(__always)
  var items: UnsafeMutablePointer<CLuaItems> {
    clua_items(machine)
  }

  // MARK: Host functions

  /// A Lua function that runs `body`. The closure lives as long as the state; it reaches the state by its ``LuaCall`` and should
  /// not capture it.
  public func makeFunction(_ body: @escaping (inout LuaCall) throws -> Void) throws(LuaError) -> LuaFunction {
    var reference: Int32 = 0
    try check(clua_makeFunction(machine, Int64(functions.count), &reference))
    functions.append(.passRetained(HostFunction(body)))
    return LuaFunction(link, reference)
  }
}

extension String {
  /// The UTF-8 bytes as C takes them.
  func withBytes<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
    var text = self
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
    }
  }
}

/// Memory that several states may take together, on any threads. Each may have 128 KiB whatever the others have.
package final class LuaMemoryPool: Sendable {
  // Safe: its counter is changed by atomic operations of C alone.
  nonisolated(unsafe) let pool: UnsafeMutablePointer<CLuaPool>

  /// - Parameter limit: the bytes that all states may take.
  package init(limit: Int) {
    pool = .allocate(capacity: 1)
    pool.initialize(to: CLuaPool(limit: max(limit, 0), used: 0))
  }

  deinit { pool.deallocate() }
}

extension LuaState {
  /// Calls a function and answers all results.
  public func call(_ function: LuaFunction, _ arguments: [LuaValue] = []) throws(LuaError) -> [LuaValue] {
    try call(function, arguments: { writer in for argument in arguments { writer.append(argument) } })
  }

  /// Calls a function with the arguments that are written and answers all results.
  public func call(
    _ function: LuaFunction, arguments write: (inout LuaWriter) -> Void
  ) throws(LuaError) -> [LuaValue] {
    try call(function, write) { (first, count) throws(LuaError) in try values(first, count) }
  }

  /// Calls a function with the arguments that are written and answers its first result, nil where it gave none.
  public func call(
    _ function: LuaFunction, firstResultWith write: (inout LuaWriter) -> Void
  ) throws(LuaError) -> LuaValue {
    try call(function, write) { (first, count) throws(LuaError) in
      try count == 0 ? .nil : metered { () throws(LuaError) in link.value(at: first) }
    }
  }

  /// Calls a function and has its results read, which are on the stack from an index on.
  private func call<Result>(
    _ function: LuaFunction, _ write: (inout LuaWriter) -> Void,
    _ read: (Int32, Int32) throws(LuaError) -> Result
  ) throws(LuaError) -> Result {
    try checkOwner(function)
    let mark = self.write(write)
    var (first, count): (Int32, Int32) = (0, 0)
    try check(clua_call(machine, function.reference, mark, &first, &count))
    defer { clua_drop(machine, first) }
    return try read(first, count)
  }

  /// A place for a value that Lua code gives and gets back.
  public func makeSlot() throws(LuaError) -> LuaSlot {
    LuaSlot(link, try anchor(write { $0.append(false) }))
  }

  /// A coroutine that will run a function.
  public func makeCoroutine(_ function: LuaFunction) throws(LuaError) -> LuaCoroutine {
    try checkOwner(function)
    var reference: Int32 = 0
    try check(clua_makeCoroutine(machine, function.reference, &reference))
    link.dropReleased()
    return LuaCoroutine(self, reference)
  }

  @inline(__always)
  private func checkOwner(_ function: LuaFunction) throws(LuaError) {
    guard function.link === link else {
      throw LuaError(kind: .runtime, message: "the function belongs to another Lua state")
    }
    link.dropReleased()
  }

  /// The values on the stack from an index on.
  func values(_ first: Int32, _ count: Int32) throws(LuaError) -> [LuaValue] {
    try metered { () throws(LuaError) in (0..<count).map { link.value(at: first + $0) } }
  }
}

extension LuaState {
  /// Throws what the machine's last operation failed with.
  @inline(__always)
  func check(_ status: CLuaStatus) throws(LuaError) {
    switch status {
    case .done, .yielded: return
    default: throw error(status)
    }
  }

  /// The error of the machine's last operation.
  func error(_ status: CLuaStatus) -> LuaError {
    let raw = machine.pointee.error
    let kind: LuaError.Kind =
      switch status {
      case .syntax: .syntax
      case .memory: .memory
      case .instructions: .instructions
      case .time: .time
      case .interrupted: .interrupted
      case .notText: .notText
      case .runtime, .done, .yielded: .runtime
      }
    var message = UnsafeBufferPointer(start: raw.message, count: raw.message == nil ? 0 : raw.messageCount)
      .withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    if message.isEmpty, kind == .memory { message = "not enough memory" }
    message = chunkNames.shown(message: message)
    let frames = UnsafeBufferPointer(start: raw.frames, count: raw.frames == nil ? 0 : Int(raw.frameCount))
    let underlying = raw.isHostFailure ? lastFailure : nil
    if machine.pointee.depth == 0 { lastFailure = nil }
    var error = LuaError(
      kind: kind, message: message, traceback: frames.map { LuaError.Frame($0, chunkNames) }, underlying: underlying)
    if let failure = underlying as? LuaFailure {
      error.mistake = failure.mistake
    } else if raw.isOutsideSandbox {
      error.mistake = .outsideSandbox
    } else if kind == .syntax {
      error.mistake = LuaError.syntaxMistake(in: message)
    } else if kind == .runtime, underlying == nil, raw.isOfCode {
      error.mistake = LuaError.misuse(in: message)
    }
    if kind == .notText, raw.code.0 != 0 { error.code = withUnsafeBytes(of: raw.code, CLuaFrame.text) }
    if let inner = underlying as? LuaError {
      error.mistake = inner.mistake
      error.kind = inner.kind
      error.traceback = inner.traceback + error.traceback
    }
    return error
  }
}

extension LuaError.Frame {
  init(_ frame: CLuaFrame, _ names: ChunkNames) {
    let (chunk, name, kind) = (names.shown(frame.chunkText), frame.nameText, frame.kindText)
    let what =
      if !name.isEmpty {
        kind.isEmpty ? "in '\(name)'" : "in \(kind) '\(name)'"
      } else {
        frame.isMain ? "in main chunk" : "in function <\(chunk):\(frame.lineDefined)>"
      }
    self.init(chunk: chunk, line: Int(frame.line), what: what)
  }
}

extension CLuaFrame {
  /// The name of the chunk.
  var chunkText: String { withUnsafeBytes(of: source, CLuaFrame.text) }
  /// The name of the function; empty: not known.
  var nameText: String { withUnsafeBytes(of: name, CLuaFrame.text) }
  /// The kind of that name, as in `upvalue`.
  var kindText: String { withUnsafeBytes(of: nameKind, CLuaFrame.text) }

  fileprivate static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
