extension Middleware {
  /// Makes this middleware one of a larger state that may hold a slice or not (row 78 of <doc:Coverage>).
  /// The middleware runs on the slice while there is one; otherwise it is not asked, and nothing of it runs.
  ///
  /// The IO of an action that made the slice go sees what it was when the unit was asked. After it the unit's effects are
  /// cancelled: they end by themselves or with their owner (R18), which is the slice.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one.
  ///   - state: the slice; nil: there is none.
  @inlinable
  public func liftOptional<GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?, output: @escaping @Sendable (Output) -> GlobalOutput,
    state: @escaping @Sendable (GlobalState) -> State?
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftUnits({ _, local in output(local) }, OptionalValue(state), isAddressed: false) { all, global, context in
      guard let local = input(global) else { return nil }
      return all.handle(.value, local, context)
    }
  }

  /// Makes this middleware one of an optional state.
  @inlinable
  public func liftOptional() -> Middleware<Input, Output, State?> {
    liftOptional(input: { $0 }, output: { $0 }, state: { $0 })
  }
}
