/// A state together with the action that led to it.
public struct CommittedState<Action: Sendable, State: Sendable>: Sendable {
  /// The state after the action.
  public let state: State
  /// The action that was committed; nil where none led to the state: at first, and after a replay.
  public let action: Action?
}

extension CommittedState: Equatable where Action: Equatable, State: Equatable {}

extension Store {
  /// The states together with the actions that led to them, as an asynchronous sequence; see ``StateStream``. Both come
  /// from one commit. The idea is RxState's `CurrentStateLastAction`.
  ///
  /// - Parameter buffering: the fate of states that come faster than they are taken. By default all are kept, so that no
  ///   action is missed that changed something.
  public func statesWithActions(
    buffering: StateStream<CommittedState<Action, State>>.Buffering = .unbounded
  ) -> StateStream<CommittedState<Action, State>> {
    let connection = StoreConnection<Action, CommittedState<Action, State>>(to: self) { store, onChange in
      store.watchWithAction("states") { notification, action in
        let committed = CommittedState(state: notification.new, action: action)
        onChange(Notification(old: nil, new: committed, context: notification.context))
      }
    }
    return connection.states(buffering: buffering)
  }
}
