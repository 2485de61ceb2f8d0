// A reducer of one element as a reducer of the state that holds it (R17). In place, whatever the collection; the first match
// wins, and where there is no such element nothing happens.

extension Reducer {
  /// Makes this reducer one of a larger state (R17): `lift(action: { $0.row }, element: .of(\.rows))`. The reducer runs
  /// on the element that an action is for, if there is one.
  ///
  /// - Parameters:
  ///   - action: the id and the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus>(
    action: @escaping @Sendable (GlobalAction) -> ElementAction<Elements.Key, Action>?, element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Key: Hashable & SendableMetatype {
    lift(action: { global in action(global).map { ($0.id, $0.action) } }, focus: elements)
  }

  /// Makes this reducer one of a larger state, the action and its id given as a pair; see ``lift(action:element:)``.
  @inlinable
  public func lift<GlobalAction, Elements: StateFocus>(
    action: @escaping @Sendable (GlobalAction) -> (Elements.Key, Action)?, element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: action, focus: elements)
  }

  /// Makes this reducer one of a larger state: it runs on every element, in order (R17).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalAction, Elements: ElementsFocus>(
    action: @escaping @Sendable (GlobalAction) -> Action?, each elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: { global in action(global).map { ((), $0) } }, focus: EachFocus(elements))
  }
}
