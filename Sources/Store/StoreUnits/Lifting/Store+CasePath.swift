import StoreCore
import StoreSchema

extension StoreProtocol {
  /// A view of one module of the store (R26): `projection(action: \.movies, state: \.movies)`.
  ///
  /// - Parameters:
  ///   - action: the case that wraps the view's actions.
  ///   - state: the slice that the view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    action: KeyPath<Action.Cases, CasePath<Action, Local>>, state: KeyPath<State, Part> & Sendable
  ) -> StoreProjection<Local, Part> where Action: CasePathable {
    let embed = Action.cases[keyPath: action].embed
    return projection(action: { embed($0) }, state: { $0[keyPath: state] })
  }
}

extension Store {
  /// Binds something of the state to the case that sets it: `binding(\.movies.filter, set: \.movies.setFilter)`.
  ///
  /// - Parameters:
  ///   - get: the value in the state.
  ///   - action: the case that holds a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: KeyPath<Action.Cases, CasePath<Action, Value>>
  ) -> Binding<Value> where Action: CasePathable {
    binding(get, set: Action.cases[keyPath: action].embed)
  }
}

extension StoreProjection {
  /// A view of one module of this view.
  ///
  /// - Parameters:
  ///   - action: the case that wraps the new view's actions.
  ///   - state: the slice that the new view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    action: KeyPath<Action.Cases, CasePath<Action, Local>>, state: KeyPath<State, Part> & Sendable
  ) -> StoreProjection<Local, Part> where Action: CasePathable {
    let embed = Action.cases[keyPath: action].embed
    return projection(action: { embed($0) }, state: { $0[keyPath: state] })
  }

  /// Binds something of the projected state to the case of the view's actions that sets it.
  ///
  /// - Parameters:
  ///   - get: the value in the projected state.
  ///   - action: the case that holds a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: KeyPath<Action.Cases, CasePath<Action, Value>>
  ) -> Binding<Value> where Action: CasePathable {
    binding(get, set: Action.cases[keyPath: action].embed)
  }
}
