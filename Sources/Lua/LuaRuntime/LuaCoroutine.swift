import CLua

/// A Lua function that can pause. Each `resume` is a call with budgets of its own.
public final class LuaCoroutine {
  /// The end of a `resume`.
  public enum Outcome {
    /// The function returned.
    case finished([LuaValue])
    /// The function paused, by `coroutine.yield` or by a host function that yields.
    case yielded([LuaValue])
  }

  private let reference: LuaReference
  // By way of the link: an object that anything refers to weakly is slow to count.
  private var state: LuaState? { reference.link.state }

  init(_ state: LuaState, _ reference: Int32) {
    self.reference = LuaReference(state.link, reference)
  }

  /// Starts the function with the arguments that are written, or continues it with them as the results of its `yield`.
  public func resume(arguments write: (inout LuaWriter) -> Void) throws(LuaError) -> Outcome {
    guard let state else { throw LuaError(kind: .runtime, message: "the coroutine's Lua state is gone") }
    state.link.dropReleased()
    let mark = state.write(write)
    var first: Int32 = 0
    var count: Int32 = 0
    let status = clua_resume(state.machine, reference.reference, mark, &first, &count)
    try state.check(status)
    defer { clua_drop(state.machine, first) }
    let values = try state.values(first, count)
    return status == .yielded ? .yielded(values) : .finished(values)
  }

  /// Ends the coroutine where it paused and runs what its `<close>` variables ask for.
  public func close() throws(LuaError) {
    guard let state else { return }
    try state.check(clua_closeCoroutine(state.machine, reference.reference))
  }
}
