import StoreCore
import StoreSchema

extension Middleware {
  /// Makes this middleware one of a larger store by case paths and a key path (R14):
  /// `lift(input: \.tasks, output: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: { $0[keyPath: state] })
  }

  /// Makes this middleware one of a larger state that may hold a slice or not; see `liftOptional(input:output:state:)` of
  /// StoreCore.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State?> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftOptional(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: { $0[keyPath: state] })
  }

  /// Makes this middleware one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise. Its effects end when the state becomes another case.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalInput, GlobalOutput, GlobalState: CasePathable>(
    input: @escaping @Sendable (GlobalInput) -> Input?, output: @escaping @Sendable (Output) -> GlobalOutput,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftOptional(input: input, output: output, state: GlobalState.cases[keyPath: state].extract)
  }

  /// Makes this middleware one of an enum, by cases of the actions and a case of the state.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState: CasePathable>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftCase(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed, state: state)
  }
}

extension Middleware where Input == Output {
  /// Makes a middleware whose actions go in and out one of a larger store: `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this middleware's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> {
    lift(input: action, output: action, state: state)
  }

  /// Makes a middleware whose actions go in and out one of a store with more actions and the same state:
  /// `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this middleware's, in and out; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>
  ) -> Middleware<GlobalAction, GlobalAction, State> {
    let path = GlobalAction.cases[keyPath: action]
    return lift(input: path.extract, output: path.embed, state: { $0 })
  }
}

extension Middleware where Output == Never {
  /// Makes a middleware that cannot dispatch (R15) one of a larger store by a case path and a key path.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the larger store's actions.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>, to output: GlobalOutput.Type = GlobalOutput.self,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    lift(input: GlobalInput.cases[keyPath: input].extract, to: output, state: { $0[keyPath: state] })
  }
}

extension Middleware {
  /// Says that an output map is missing, where the compiler would find fault with the types.
  @available(
    *, unavailable,
    message: "this middleware dispatches actions: say by 'output:' which case of the larger store's wraps them"
  )
  public func lift<GlobalInput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalInput, GlobalState> { .identity }

  /// Says the words of this middleware's lift, where the compiler would find fault with the types.
  @available(
    *, unavailable,
    message:
      "this middleware's actions in and out are of two types: say by 'input:' and 'output:' which cases hold them"
  )
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> { .identity }
}
