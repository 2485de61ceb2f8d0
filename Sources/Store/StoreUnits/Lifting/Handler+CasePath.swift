import StoreCore
import StoreSchema

extension Handler {
  /// Makes this handler one of a larger store by a case path and a key path (R14): `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return lift(action: path.extract, embed: path.embed, state: state)
  }

  /// Makes this handler one of a store with more actions and the same state: `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this handler's, in and out; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>
  ) -> Handler<GlobalAction, State> {
    Handler<GlobalAction, State>(reducer: reducer.lift(action: action), middleware: middleware.lift(action: action))
  }

  /// Makes this handler one of a larger state that may hold a slice or not.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return liftOptional(action: path.extract, embed: path.embed, state: state)
  }

  /// Makes this handler one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalAction: CasePathable, GlobalState: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return Handler<GlobalAction, GlobalState>(
      reducer: reducer.liftCase(action: path.extract, state: state),
      middleware: middleware.liftCase(input: path.extract, output: path.embed, state: state))
  }

  /// Makes this handler one of a larger state, on one element: `lift(action: \.row, element: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that says which element and what is done to it, in and out; other cases skip the handler.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus & ElementReading>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.ID, Action>>>,
    element elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole>
  where Elements.Part == State, Elements.Element == State, Elements.Key == Elements.ID {
    let path = GlobalAction.cases[keyPath: action]
    return lift(action: path.extract, embed: path.embeddingElement(), element: elements)
  }
}
