import StoreCore

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// The states of a store, or of a view of it, as a publisher: the current one first, then each change.
///
/// A subscriber that asks for values one by one gets the newest state each time it asks, and none twice: states for which
/// it had not asked are left out. It is told on the thread that processes actions, or on its own where it asks for a state
/// that is there already; never two values at a time. The publisher finishes when the store goes away, which it does not
/// keep from happening.
public struct StatePublisher<State: Sendable>: Publisher, Sendable {
  /// A state.
  public typealias Output = State
  /// It cannot fail.
  public typealias Failure = Never

  private let subscribe:
    @Sendable (@escaping @Sendable (State) -> Void, @escaping @Sendable () -> Void) -> StoreCore.Subscription

  init<Action>(of connection: StoreConnection<Action, State>) { subscribe = connection.subscribe }

  /// Begins a subscription to the store for a subscriber.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == State, Downstream.Failure == Never {
    let delivery = StateDelivery<State>(to: subscriber)
    subscriber.receive(subscription: delivery)
    delivery.start(subscribe)
  }
}

extension StoreConnection {
  /// The states as a publisher; see ``StatePublisher``.
  public var publisher: StatePublisher<State> { StatePublisher(of: self) }
}
