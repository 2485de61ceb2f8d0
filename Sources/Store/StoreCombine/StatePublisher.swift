import StoreCore

import OpenCombine

/// The states of a store, or of a view of it, as a publisher: the current one first, then each change.
///
/// A subscriber that asks for values one by one gets the newest state each time, and none twice. States in between are
/// left out. States arrive on the thread that processes actions, never two at a time. A state that is there already
/// arrives on the thread that asks for it. The publisher finishes when the store goes away, which it does not keep from
/// happening.
public struct StatePublisher<State: Sendable>: Publisher, Sendable {
  /// A state.
  public typealias Output = State
  /// A publisher of states cannot fail.
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
