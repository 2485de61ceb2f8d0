import CLua

/// A function, a table or a slot of a state in plain words: using it counts no references. The handle stands for its
/// value as long as somebody holds its ``LuaReference``.
public struct LuaHandle {
  @usableFromInline let reference: Int32
}

extension LuaReference {
  /// The same value in plain words.
  public var handle: LuaHandle { LuaHandle(reference: reference) }
}

extension LuaWriter {
  /// Writes what a handle of the same state stands for.
  @inlinable
  public mutating func append(_ handle: LuaHandle) { write(.reference, handle.reference) }

  /// Goes on with a table that is there already, in place of a new one: the keys that follow are set, others stay.
  @inlinable
  public mutating func refillTable(_ table: LuaHandle) { write(.refillTable, table.reference) }
}

/// Calls functions of one state many times over: no call counts references or makes a closure. Whoever uses it holds
/// the state. The code that each call needs is inlined where it is called. Between a dispatch and the Swift code that a
/// reducer calls back lie many calls; the processor forgets where the outer ones return to.
public struct LuaCaller {
  // Unmanaged: counting references to the state and what belongs to it takes longer than a small call.
  private let state: Unmanaged<LuaState>
  private let link: Unmanaged<LuaLink>
  @usableFromInline let machine: UnsafeMutablePointer<CLuaMachine>

  /// Calls functions of a state.
  public init(_ state: LuaState) {
    self.state = .passUnretained(state)
    link = .passUnretained(state.link)
    machine = state.machine
  }

  /// The arguments of a call, to be written before it is made.
  public struct Arguments {
    /// Takes them, in order.
    public var writer: LuaWriter
    @usableFromInline let mark: CLuaMark
  }

  /// Begins the arguments of the next call.
  @inline(__always)
  public func arguments() -> Arguments {
    link._withUnsafeGuaranteedRef { $0.dropReleased() }
    let items = clua_items(machine)
    return Arguments(writer: LuaWriter(items), mark: clua_mark(items))
  }

  /// True if the behaviour of Lua code may depend on nothing but its arguments. Then `pairs` and `next` refuse tables
  /// with keys that have no order: tables, functions, coroutines and objects. A call that takes longer than its time,
  /// or is interrupted, is not stopped. Its instructions end it, or that it works far longer than they should take.
  @inlinable public var isRepeatable: Bool {
    get { machine.pointee.isRepeatable }
    nonmutating set { machine.pointee.isRepeatable = newValue }
  }

  /// True if a repeatable call took longer than its time since it was last asked.
  @inlinable
  public func takeLateness() -> Bool {
    guard machine.pointee.wasLate else { return false }
    machine.pointee.wasLate = false
    return true
  }

  /// Milliseconds that long calls have taken since this was set to zero, but for repeatable ones and what runs in coroutines of
  /// the host's.
  @inlinable public var worked: Int {
    get { Int(machine.pointee.worked) }
    nonmutating set { machine.pointee.worked = Int64(newValue) }
  }

  /// True if a table has no metatable and no keys but interned ones at these addresses.
  public func hasOnly(_ table: LuaHandle, keysAt addresses: UnsafeBufferPointer<UnsafeRawPointer>) -> Bool {
    clua_hasOnlyKeys(machine, table.reference, addresses.baseAddress, addresses.count)
  }

  /// Takes away the fields of a table that hold long texts or tables, whose memory would else count for later calls.
  public func dropLong(in table: LuaHandle) { clua_dropLong(machine, table.reference) }

  /// Empties a slot, for the same reason.
  public func empty(_ slot: LuaSlot) {
    slot.isEmpty = true
    guard slot.isLong else { return }
    slot.isLong = false
    clua_emptySlot(machine, slot.reference)
  }

  /// The end of a call.
  public struct Outcome {
    @usableFromInline let status: CLuaStatus
    /// The number of results that the function gave, where they were counted.
    public let count: Int

    @inlinable
    init(status: CLuaStatus, count: Int = 0) {
      self.status = status
      self.count = count
    }

    /// True if the call went well; else ``LuaCaller/error(_:)`` gives the error.
    @inlinable public var isDone: Bool { status == .done }
  }

  /// Calls a function and counts its results.
  ///
  /// - Parameter isBrief: whether it ends before anybody looks at its budget (``LuaCodeSketch/isBrief``), and none of its
  ///   arguments has metamethods in Lua.
  @inlinable
  public func count(_ function: LuaHandle, _ arguments: Arguments, isBrief: Bool = false) -> Outcome {
    var count: Int32 = 0
    let status = clua_callCounting(machine, function.reference, !isBrief, arguments.mark, &count)
    return Outcome(status: status, count: Int(count))
  }

  /// Calls a function whose results nobody wants.
  ///
  /// - Parameter isBrief: as for ``count(_:_:isBrief:)``.
  @inlinable
  public func run(_ function: LuaHandle, _ arguments: Arguments, isBrief: Bool = false) -> Outcome {
    Outcome(status: clua_callDropping(machine, function.reference, !isBrief, arguments.mark))
  }

  /// Calls a function and leaves its first result in a slot.
  ///
  /// - Parameter isBrief: as for ``count(_:_:isBrief:)``.
  public func keep(_ function: LuaHandle, _ arguments: Arguments, in slot: LuaSlot, isBrief: Bool = false) -> Outcome {
    var kept = CLuaKept.nil
    let status = clua_callKeeping(machine, function.reference, !isBrief, arguments.mark, slot.reference, &kept)
    // A call that failed left what was there.
    slot.isEmpty = kept == .nil
    if status == .done { slot.isLong = kept == .long }
    return Outcome(status: status)
  }

  /// Why the last call did not go well.
  public func error(_ outcome: Outcome) -> LuaError {
    state._withUnsafeGuaranteedRef { $0.error(outcome.status) }
  }
}
