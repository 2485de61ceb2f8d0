// A handler of one element as a handler of the state that holds it (R17), both halves by one declaration. The reducer
// follows the rules of `Reducer.lift(action:element:)`, the middleware those of
// `Middleware.lift(input:output:element:)`.

extension Handler {
  /// Makes this handler one of a larger state: it runs on the element that an action is for, if there is one (R17).
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus & ElementReading>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.ID, Action>?,
    embed: @escaping @Sendable (Elements.ID, Action) -> GlobalAction, element elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole>
  where Elements.Part == State, Elements.Element == State, Elements.Key == Elements.ID {
    Handler<GlobalAction, Elements.Whole>(
      reducer: reducer.lift(action: action, element: elements),
      middleware: middleware.lift(input: action, output: embed, element: elements))
  }

  /// Makes this handler one of a larger state: it runs on every element (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: ElementsFocus & ElementReading>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    embed: @escaping @Sendable (Elements.ID, Action) -> GlobalAction, each elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Element == State {
    Handler<GlobalAction, Elements.Whole>(
      reducer: reducer.lift(action: action, each: elements),
      middleware: middleware.lift(input: action, output: embed, each: elements))
  }

  /// Makes this handler one of a larger state that may hold a slice or not. The handler runs on the slice while there
  /// is one, and does nothing otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the handler is skipped.
  ///   - embed: the global action that stands for a local one.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?, embed: @escaping @Sendable (Action) -> GlobalAction,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    Handler<GlobalAction, GlobalState>(
      reducer: reducer.liftOptional(action: action, state: state),
      middleware: middleware.liftOptional(input: action, output: embed, state: { $0[keyPath: state] }))
  }

  /// Makes this handler one of an optional state.
  @inlinable
  public func liftOptional() -> Handler<Action, State?> {
    Handler<Action, State?>(reducer: reducer.liftOptional(), middleware: middleware.liftOptional())
  }
}
