extension Reducer {
  /// Something done around a reducer: gets the action, the state and its context. A wrapping runs the reducer by
  /// calling the last argument, at most once, and passes on its errors. No other error may be thrown.
  public typealias Wrapping =
    @Sendable (Action, inout State, ActionContext, _ reduce: (inout State) throws -> Void) throws -> Void

  /// This reducer with something done around it: before it, after it, or in its place. Traces show the parts as before.
  /// Around ``identity`` nothing is done: it stays neutral.
  @inlinable
  public func wrapped(_ wrapping: @escaping Wrapping) -> Reducer {
    if names.isEmpty { return self }
    let traced = traced
    return Reducer(names: names, plain: nil, canFail: canFail, fault: fault) { action, state, context, trace in
      try wrapping(action, &state, context) { try traced(action, &$0, context, trace) }
    }
  }
}
