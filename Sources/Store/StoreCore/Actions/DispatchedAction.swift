/// An action together with where it comes from.
public struct DispatchedAction<Action> {
  /// The action.
  public let action: Action
  /// The place that the action comes from.
  public let source: ActionSource

  /// Joins an action and its source.
  @inlinable
  public init(_ action: Action, source: ActionSource) {
    self.action = action
    self.source = source
  }

  /// Another action from the same place.
  @inlinable
  public func map<Other>(_ transform: (Action) -> Other) -> DispatchedAction<Other> {
    DispatchedAction<Other>(transform(action), source: source)
  }

  /// Another action from the same place, or nil where there is none.
  @inlinable
  public func compactMap<Other>(_ transform: (Action) -> Other?) -> DispatchedAction<Other>? {
    transform(action).map { DispatchedAction<Other>($0, source: source) }
  }
}

extension DispatchedAction: Sendable where Action: Sendable {}
extension DispatchedAction: Equatable where Action: Equatable {}
extension DispatchedAction: Hashable where Action: Hashable {}
extension DispatchedAction: Encodable where Action: Encodable {}
extension DispatchedAction: Decodable where Action: Decodable {}
