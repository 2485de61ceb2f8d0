/// Lifting before anything is built. Each axis has a lift of its own, so that any subset of the four is a chain of them.
extension MiddlewareReader {
  /// Makes this reader's middleware one of a larger store: other actions in, other actions out, a slice of the state
  /// (R14). Its dependencies come from the dependencies of the whole.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether.
  ///   - output: the global action that stands for a local one.
  ///   - state: the slice.
  ///   - dependencies: the dependencies of this reader.
  @inlinable
  public func lift<World, GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Output) -> GlobalOutput,
    state: @escaping @Sendable (GlobalState) -> State,
    dependencies: @escaping @Sendable (World) -> Dependencies
  ) -> MiddlewareReader<World, GlobalInput, GlobalOutput, GlobalState> {
    dimap(dependencies: dependencies) { $0.lift(input: input, output: output, state: state) }
  }

  /// The same with the dependencies as they are.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Output) -> GlobalOutput,
    state: @escaping @Sendable (GlobalState) -> State
  ) -> MiddlewareReader<Dependencies, GlobalInput, GlobalOutput, GlobalState> {
    mapMiddleware { $0.lift(input: input, output: output, state: state) }
  }

  /// The same with other actions in.
  @inlinable
  public func lift<GlobalInput>(
    input: @escaping @Sendable (GlobalInput) -> Input?
  ) -> MiddlewareReader<Dependencies, GlobalInput, Output, State> {
    mapMiddleware { $0.lift(input: input) }
  }

  /// The same with other actions out.
  @inlinable
  public func lift<GlobalOutput>(
    output: @escaping @Sendable (Output) -> GlobalOutput
  ) -> MiddlewareReader<Dependencies, Input, GlobalOutput, State> {
    mapMiddleware { $0.lift(output: output) }
  }

  /// The same over a larger state.
  @inlinable
  public func lift<GlobalState>(
    state: @escaping @Sendable (GlobalState) -> State
  ) -> MiddlewareReader<Dependencies, Input, Output, GlobalState> {
    mapMiddleware { $0.lift(state: state) }
  }

  /// The same from larger dependencies.
  @inlinable
  public func lift<World>(
    dependencies: @escaping @Sendable (World) -> Dependencies
  ) -> MiddlewareReader<World, Input, Output, State> {
    contramapDependencies(dependencies)
  }
}
