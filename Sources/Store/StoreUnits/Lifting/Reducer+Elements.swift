import StoreCore
import StoreSchema

// The lifts to elements and entries (R17) with the action given by the name of its case, the element's action in an
// ``ElementAction`` or a pair of the case's two payloads.

extension Reducer {
  /// Makes this reducer one of a larger state, on one element: `lift(action: \.row, element: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's id and action; other cases skip the reducer.
  ///   - elements: where the elements are.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.Key, Action>>>,
    element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Key: Hashable & SendableMetatype {
    lift(action: GlobalAction.cases[keyPath: action].extract, element: elements)
  }

  /// Makes this reducer one of a larger state, on one element, out of a case with two payloads.
  ///
  /// - Parameters:
  ///   - action: the case that holds the element's id and, second, its action; other cases skip the reducer.
  ///   - elements: where the elements are.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, (Elements.Key, Action)>>, element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, element: elements)
  }

  /// Makes this reducer one of a larger state, on every element: `lift(action: \.all, each: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that holds the elements' action; other cases skip the reducer.
  ///   - elements: where the elements are.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: ElementsFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>, each elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, each: elements)
  }
}
