/// A store or a projection of it, as a bridge to another library needs it: a way in and a way out, as closures.
///
/// A publisher, an observable or a signal is a page of code on top of it. A connection does not keep its store alive; once
/// the store is gone, what is dispatched is dropped, and subscriptions end. The idea, a core that talks to reactive
/// libraries by small wrappers of closures, is SwiftRex's.
public struct StoreConnection<Action: Sendable, State: Sendable>: Sendable {
  /// True while the store exists.
  public let isOpen: @Sendable () -> Bool
  /// Has an action processed, with its source unchanged; from any thread. Nil: it was dropped by a projection's map, or
  /// because the store is gone.
  public let dispatch: @Sendable (DispatchedAction<Action>) -> DispatchResult?
  /// Tells a subscriber of the state: at once, then after each change, until the subscription is cancelled or released.
  /// `onEnd` tells it once that the store is gone, and is not called after a cancellation.
  ///
  /// `onChange` runs on the thread that processes actions, one call at a time, and may dispatch and cancel.
  /// A call that another thread has begun when the subscription is cancelled runs to its end.
  public let subscribe:
    @Sendable (
      _ onChange: @escaping @Sendable (State) -> Void, _ onEnd: @escaping @Sendable () -> Void
    ) -> Subscription

  /// Joins the closures, for example of a store in another process or in a test.
  public init(
    isOpen: @escaping @Sendable () -> Bool,
    dispatch: @escaping @Sendable (DispatchedAction<Action>) -> DispatchResult?,
    subscribe:
      @escaping @Sendable (
        _ onChange: @escaping @Sendable (State) -> Void, _ onEnd: @escaping @Sendable () -> Void
      ) -> Subscription
  ) {
    self.isOpen = isOpen
    self.dispatch = dispatch
    self.subscribe = subscribe
  }

  /// A connection to a store that is watched in one way.
  init<Whole: Sendable>(
    to store: Store<Action, Whole>,
    _ watch:
      @escaping @Sendable (
        Store<Action, Whole>, @escaping @Sendable (Notification<State>) -> Void
      ) -> Subscription
  ) {
    self.init(
      isOpen: { [owner = store.owner] in owner.held() != nil },
      dispatch: { [owner = store.owner] action in owner.withStore { $0.dispatch(action) } },
      subscribe: { [owner = store.owner] onChange, onEnd in
        let end = SubscriptionEnd(onEnd)
        let guardian = EndGuardian(end)
        let watching = owner.withStore { store in
          watch(store) { notification in withExtendedLifetime(guardian) { onChange(notification.new) } }
        }
        guard let watching else {
          end.happen()
          return Subscription {}
        }
        return Subscription {
          end.dismiss()
          watching.cancel()
        }
      })
  }
}

extension Store {
  /// The connection of this store for a bridge to another library. Subscribers are told as watchers are (R10, R11).
  public var connection: StoreConnection<Action, State> {
    StoreConnection(to: self) { store, onChange in store.watch("connection", onChange) }
  }
}

extension StoreProjection where State: Equatable {
  /// The connection of this view for a bridge to another library. Subscribers are told when the projected state differs
  /// (R26).
  public var connection: StoreConnection<Action, State> { connection(isDifferent: { $0 != $1 }) }
}

extension StoreProjection {
  /// The connection of this view for a bridge to another library.
  ///
  /// - Parameter isDifferent: true if subscribers are told of the change from one projected state to another; nil: they
  ///   are told after each commit that the store's emission policy lets through.
  public func connection(
    isDifferent: (@Sendable (State, State) -> Bool)?
  ) -> StoreConnection<Action, State> {
    connection("connection", { $0 }, isDifferent: isDifferent)
  }
}

extension StoreConnection {
  /// Dispatches the actions of an asynchronous sequence as they come, until it ends, the task is cancelled or the store is
  /// gone. While the store's queue is full it takes none (R2). An action that is dispatched when nobody takes actions any more ends it; waiting for the next one is ended by
  /// cancelling the task.
  ///
  /// - Parameter actions: each has the line of this call as its source, of kind `effect`.
  /// - Throws: the sequence's error.
  public nonisolated(nonsending) func dispatch<Actions: AsyncSequence>(
    each actions: Actions, info: String? = nil, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) async throws(Actions.Failure) where Actions.Element == Action {
    let source = ActionSource(file: file, function: function, line: line, info: info, kind: .effect)
    for try await action in actions {
      guard await pass(DispatchedAction(action, source: source)) else { return }
    }
  }

  /// Dispatches the actions of an asynchronous sequence as they come, each with the source that it bears; see
  /// ``dispatch(each:info:file:function:line:)``.
  ///
  /// - Throws: the sequence's error.
  public nonisolated(nonsending) func dispatch<Actions: AsyncSequence>(
    each actions: Actions
  ) async throws(Actions.Failure) where Actions.Element == DispatchedAction<Action> {
    for try await dispatched in actions {
      guard await pass(dispatched) else { return }
    }
  }

  /// Dispatches one action of a sequence, once the store's queue has room for it.
  ///
  /// - Returns: true if the next one is wanted.
  private nonisolated(nonsending) func pass(_ dispatched: DispatchedAction<Action>) async -> Bool {
    while !Task.isCancelled, isOpen() {
      guard case .stopped(.queueFull)? = dispatch(dispatched)?.outcome else { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}
