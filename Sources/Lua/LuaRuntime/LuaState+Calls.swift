import CLua

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
