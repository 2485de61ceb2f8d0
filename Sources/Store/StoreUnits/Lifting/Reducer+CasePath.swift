import StoreCore
import StoreSchema

extension Reducer {
  /// Makes this reducer one of a larger state by a case path and a key path (R14): `lift(action: \.tasks.edit, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the slice, changed in place.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }

  /// Makes this reducer one of a store with more actions and the same state: `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this reducer's; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>
  ) -> Reducer<GlobalAction, State> {
    lift(action: GlobalAction.cases[keyPath: action].extract)
  }

  /// Makes this reducer one of a larger state that may hold a slice or not.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the slice, changed in place.
  @inlinable
  public func liftOptional<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    liftOptional(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }

  /// Makes this reducer one of a larger state, on one element (R17): `lift(action: \.list.row, element: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that says which element and what is done to it; other cases skip the reducer.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.Key, Action>>>,
    element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Key: Hashable & SendableMetatype {
    lift(action: GlobalAction.cases[keyPath: action].extract, element: elements)
  }

  /// Makes this reducer one of a larger state, on every element (R17).
  ///
  /// - Parameters:
  ///   - action: the case that holds the elements' action; other cases skip the reducer.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: ElementsFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>, each elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, each: elements)
  }

  /// Makes this reducer one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the case, changed in place.
  @inlinable
  public func liftCase<GlobalAction, GlobalState: CasePathable>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(
      action: { global in action(global).map { ((), $0) } }, focus: CaseFocus(GlobalState.cases[keyPath: state]))
  }

  /// Makes this reducer one of an enum, by a case of the actions and a case of the state.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the case, changed in place.
  @inlinable
  public func liftCase<GlobalAction: CasePathable, GlobalState: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Reducer<GlobalAction, GlobalState> {
    liftCase(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }
}

extension Reducer {
  /// Says the words of a reducer's lift, where the compiler would find no such function.
  @available(*, unavailable, message: "a reducer dispatches nothing: lift it by 'action:' and 'state:'")
  public func lift<GlobalAction: CasePathable, GlobalState>(
    input: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> { .identity }
}
