import CLua

/// Counts the host's work and memory for the running call of a state. Values that Lua hands over take memory and time
/// that the machine does not see. A text that Lua has once is a text of its own in the host each time that it is handed
/// over.
public struct LuaMeter {
  @usableFromInline let machine: UnsafeMutablePointer<CLuaMachine>

  @usableFromInline
  init(machine: UnsafeMutablePointer<CLuaMachine>) { self.machine = machine }

  /// Counts bytes that the host is about to hold until the call ends. They have a limit of their own, as high as the
  /// memory limit of the state. Without room for them, the call fails for lack of memory once the callback returns, a
  /// repeatable one whatever it catches.
  ///
  /// - Returns: true if there is room.
  @inlinable
  @discardableResult
  public func hold(_ bytes: Int) -> Bool { clua_hold(machine, bytes) }

  /// The same for the entries of a table, with the work of taking them over.
  @inlinable
  func holdEntries(_ count: Int) -> Bool {
    work(2 * count)
    return hold(32 * count)
  }

  /// Counts work as so many instructions; where they are used up the call fails once the callback returns.
  @inlinable
  public func work(_ instructions: Int) { clua_work(machine, instructions) }
}

extension LuaState {
  /// The meter of the host's part of the running call.
  public var meter: LuaMeter { LuaMeter(machine: machine) }

  /// Calls this state for the call that runs, whose time what the body does counts as. Of other calls within a call the time is
  /// their own.
  public func timed<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let outer = machine.pointee.countsNested
    machine.pointee.countsNested = true
    defer { machine.pointee.countsNested = outer }
    return try body()
  }

  /// Takes over values that a call has given, counted as within it. Values taken over count no longer afterwards.
  ///
  /// - Throws: a ``LuaError`` of kind `memory`, made an error of the body's, where there is no room for them.
  @inlinable
  @inline(__always)
  public func metered<Result, Failure: Error>(
    _ failure: (LuaError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (wasMetered, held) = (machine.pointee.isMetered, machine.pointee.held)
    machine.pointee.isMetered = true
    if machine.pointee.depth == 0, !wasMetered { machine.pointee.held = 0 }
    defer { (machine.pointee.isMetered, machine.pointee.held) = (wasMetered, held) }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      throw link.takeLost().map(failure) ?? error
    }
    if let lost = link.takeLost() { throw failure(lost) }
    return result
  }

  /// The same for a body that calls this state.
  @inlinable
  @inline(__always)
  public func metered<Result>(_ body: () throws(LuaError) -> Result) throws(LuaError) -> Result {
    try metered({ $0 }, body)
  }
}
