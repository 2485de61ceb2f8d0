import CLua

/// A function of the host as Lua calls it.
final class HostFunction {
  let body: (inout LuaCall) throws -> Void

  init(_ body: @escaping (inout LuaCall) throws -> Void) { self.body = body }
}

/// A call of a host function: its arguments, its caller, and room for the results. Valid during the call.
public struct LuaCall {
  /// The state that calls.
  public unowned(unsafe) let state: LuaState
  // The parts of the state that each argument needs: to get them from it would count references.
  private let machine: UnsafeMutablePointer<CLuaMachine>
  @usableFromInline let link: LuaLinkPointer
  /// The number of arguments.
  public let count: Int
  /// Takes the results; nothing written is no result.
  public var results: LuaWriter

  var yields = false

  init(_ state: LuaState, count: Int32) {
    self.state = state
    self.count = Int(count)
    machine = state.machine
    link = LuaLinkPointer(state.link)
    results = LuaWriter(state.items)
  }

  /// The argument at a position, counted from 0; nil beyond the last one.
  public subscript(position: Int) -> LuaValue { argument(position).value }

  /// The argument at a position, in place.
  public func argument(_ position: Int) -> LuaArgument {
    var value = CLuaValue()
    if position >= 0 && position < count { clua_read(machine, Int32(position + 1), &value) }
    return LuaArgument(value, link)
  }

  /// The address by which a text is known that the state keeps once, if the argument at a position is one; else that of no such text.
  public func keyAddress(at position: Int) -> UnsafeRawPointer? {
    position < count ? clua_keyAddress(machine, Int32(position + 1)) : nil
  }

  /// Hands out the fields of the table at a position as ``LuaArgument/fields(_:_:)`` does.
  @inlinable
  public func fields(
    at position: Int, _ keys: UnsafeBufferPointer<UnsafeRawPointer>, _ body: (_ key: Int, _ value: LuaArgument) -> Bool
  ) -> Bool {
    var table = CLuaValue()
    (table.kind, table.index) = (.table, Int32(position + 1))
    return position < count && LuaArgument(table, link).fields(keys, body)
  }

  /// The text that Lua's `tostring` gives of an argument, within the call's budgets; bytes that are no UTF-8 are
  /// replaced by U+FFFD.
  public func describe(_ position: Int) throws(LuaError) -> String {
    let argument = argument(position)
    switch argument.kind {
    case .string(let text): return try state.link.copy(text)
    // The host cannot hand such a value back to Lua.
    case .other: return argument.value.typeName
    default: return try state.describe(argument.value)
    }
  }

  /// All arguments.
  public var arguments: [LuaValue] { (0..<count).map { self[$0] } }

  /// The Lua function that calls, nil when none does.
  public var caller: Caller? {
    var isSame = false
    guard let frame = clua_caller(state.machine, &isSame) else { return nil }
    if isSame, let caller = state.lastCaller { return caller }
    let caller = Caller(frame.pointee, state.chunkNames)
    state.lastCaller = caller
    return caller
  }

  /// The place of the Lua code that calls, nil when no Lua function does.
  public var location: (chunk: String, line: Int)? { caller.map { ($0.chunk, $0.line) } }

  /// The Lua function that calls one of the host's. The same object for calls from one place that follow each other.
  public final class Caller: Sendable {
    /// The name of its chunk.
    public let chunk: String
    /// The line that is running.
    public let line: Int
    /// The name by which the Lua code called the function; nil where Lua does not know it, as when the host called.
    public let name: String?
    /// The line on which it is defined.
    public let lineDefined: Int

    init(_ frame: CLuaFrame, _ names: ChunkNames) {
      chunk = names.shown(frame.chunkText)
      line = Int(frame.line)
      let name = frame.nameText
      self.name = name.isEmpty ? nil : name
      lineDefined = Int(frame.lineDefined)
    }
  }

  /// True if ``yield(_:)`` is possible: the caller runs in the coroutine that the host resumed, not in one that Lua
  /// made.
  public var canYield: Bool { clua_isYieldable(state.machine) }

  /// Pauses the calling coroutine with these values once the function returns. The values that resume it are the
  /// results that the Lua code gets. Outside a coroutine that is an error in Lua.
  public mutating func yield(_ values: [LuaValue] = []) {
    for value in values { results.append(value) }
    yields = true
  }
}
