/// A middleware that still waits for its dependencies: a function from them to the middleware.
///
/// Readers are composed and lifted before anything is built; ``inject(_:)`` then builds all of it at once. Composing
/// before injecting gives the same as injecting before composing. The idea is SwiftRex's `MiddlewareReader`, which is
/// the reader monad.
public struct MiddlewareReader<Dependencies, Input, Output, State>: Composed, Sendable {
  @usableFromInline let build: @Sendable (Dependencies) -> Middleware<Input, Output, State>

  /// A middleware that is built from its dependencies when they are there. The closure is called once an injection.
  @inlinable
  public init(_ build: @escaping @Sendable (Dependencies) -> Middleware<Input, Output, State>) { self.build = build }

  /// Builds the middleware.
  @inlinable
  public func inject(_ dependencies: Dependencies) -> Middleware<Input, Output, State> { build(dependencies) }

  /// A middleware that needs no dependencies, as a reader.
  @inlinable
  public static func pure(_ middleware: Middleware<Input, Output, State>) -> MiddlewareReader {
    MiddlewareReader { _ in middleware }
  }

  // MARK: Composing

  /// Builds nothing; neutral on both sides of a composition.
  @inlinable public static var identity: MiddlewareReader { pure(.identity) }

  /// This reader's middleware, then another's.
  @inlinable
  public func appending(_ other: MiddlewareReader) -> MiddlewareReader {
    MiddlewareReader { inject($0).appending(other.inject($0)) }
  }

  // MARK: Mapping

  /// A reader of what is made of this one's middleware.
  @inlinable
  public func mapMiddleware<OtherInput, OtherOutput, OtherState>(
    _ transform:
      @escaping @Sendable (Middleware<Input, Output, State>) -> Middleware<OtherInput, OtherOutput, OtherState>
  ) -> MiddlewareReader<Dependencies, OtherInput, OtherOutput, OtherState> {
    MiddlewareReader<Dependencies, OtherInput, OtherOutput, OtherState> { transform(inject($0)) }
  }

  /// The same middleware from other dependencies, which include this one's.
  @inlinable
  public func contramapDependencies<World>(
    _ part: @escaping @Sendable (World) -> Dependencies
  ) -> MiddlewareReader<World, Input, Output, State> {
    MiddlewareReader<World, Input, Output, State> { inject(part($0)) }
  }

  /// Both at once: other dependencies in, another middleware out.
  @inlinable
  public func dimap<World, OtherInput, OtherOutput, OtherState>(
    dependencies part: @escaping @Sendable (World) -> Dependencies,
    middleware transform:
      @escaping @Sendable (Middleware<Input, Output, State>) -> Middleware<
        OtherInput, OtherOutput, OtherState
      >
  ) -> MiddlewareReader<World, OtherInput, OtherOutput, OtherState> {
    contramapDependencies(part).mapMiddleware(transform)
  }

  /// A reader that this one's middleware decides on; both get the same dependencies.
  @inlinable
  public func flatMap<OtherInput, OtherOutput, OtherState>(
    _ transform:
      @escaping @Sendable (Middleware<Input, Output, State>) -> MiddlewareReader<
        Dependencies, OtherInput, OtherOutput, OtherState
      >
  ) -> MiddlewareReader<Dependencies, OtherInput, OtherOutput, OtherState> {
    MiddlewareReader<Dependencies, OtherInput, OtherOutput, OtherState> { transform(inject($0)).inject($0) }
  }

  /// A reader of what is made of the middlewares of several, which may differ in actions and state.
  @inlinable
  public static func zip<each PartInput, each PartOutput, each PartState>(
    _ readers: repeat MiddlewareReader<Dependencies, each PartInput, each PartOutput, each PartState>,
    with join:
      @escaping @Sendable (repeat Middleware<each PartInput, each PartOutput, each PartState>) -> Middleware<
        Input, Output, State
      >
  ) -> MiddlewareReader {
    let parts = (repeat each readers)
    return MiddlewareReader { dependencies in join(repeat (each parts).inject(dependencies)) }
  }
}

/// Lists readers from top to bottom; middlewares that need no dependencies may stand among them.
public typealias MiddlewareReaderBuilder<Dependencies, Input, Output, State> = CompositionBuilder<
  MiddlewareReader<Dependencies, Input, Output, State>
>

extension CompositionBuilder {
  /// A middleware of effects, which gets its dependencies when it is injected.
  public static func buildExpression<Dependencies: Sendable, Input, Output, State>(
    _ middleware: EffectMiddleware<Dependencies, Input, Output, State>
  ) -> Part where Part == MiddlewareReader<Dependencies, Input, Output, State> { Part { middleware.inject($0) } }

  /// A middleware that needs no dependencies.
  public static func buildExpression<Dependencies, Input, Output, State>(
    _ middleware: Middleware<Input, Output, State>
  ) -> Part where Part == MiddlewareReader<Dependencies, Input, Output, State> { .pure(middleware) }
}

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

/// Reads the state of a store at the moment of the call (R8). In handle: before reducing; in IO: after the commit;
/// later: at that later moment.
public struct StateReader<State>: Sendable {
  @usableFromInline let get: @Sendable () -> State

  /// A reader that calls a closure.
  @inlinable
  public init(_ get: @escaping @Sendable () -> State) { self.get = get }

  /// The state now.
  @inlinable
  public func callAsFunction() -> State { get() }

  /// A reader of something that the state determines.
  @inlinable
  public func map<Part>(_ transform: @escaping @Sendable (State) -> Part) -> StateReader<Part> {
    StateReader<Part> { transform(get()) }
  }
}
