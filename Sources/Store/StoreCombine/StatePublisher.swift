import OpenCombine
import StoreCore

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

/// Brings the states of a store to one subscriber, as many as it asked for.
///
/// The store tells of states, and the subscriber asks and cancels, on any thread and from within one another. Whoever finds
/// something to deliver and nobody delivering does so until nothing is left, without holding the lock.
final class StateDelivery<State: Sendable>: CombineSubscription, Sendable {
  private let progress: Lock<Progress>

  init<Downstream: Subscriber>(to subscriber: Downstream)
  where Downstream.Input == State, Downstream.Failure == Never {
    progress = Lock(
      Progress(
        receiver: Receiver(
          receive: { subscriber.receive($0) }, finish: { subscriber.receive(completion: .finished) })))
  }

  /// Subscribes to the store, unless the subscriber has cancelled already.
  func start(
    _ subscribe: (@escaping @Sendable (State) -> Void, @escaping @Sendable () -> Void) -> StoreCore.Subscription
  ) {
    guard progress.withLock({ $0.receiver != nil }) else { return }
    let subscription = subscribe({ self.offer($0) }, { self.end() })
    let isWanted = progress.withLock { progress in
      guard progress.receiver != nil else { return false }
      progress.subscription = subscription
      return true
    }
    if !isWanted { subscription.cancel() }
  }

  func request(_ demand: Subscribers.Demand) {
    deliver { progress in
      progress.demand += demand
      guard progress.demand > 0, let latest = progress.latest.take() else { return }
      progress.demand -= 1
      progress.due.append(latest)
    }
  }

  func cancel() {
    // The states taken out are let go of outside the lock: a deinitialiser of theirs may call back.
    let rest = progress.withLock { $0.close() }
    rest.subscription?.cancel()
  }

  private func offer(_ state: State) {
    deliver { progress in
      guard progress.receiver != nil else { return }
      if progress.demand > 0 {
        progress.demand -= 1
        progress.due.append(state)
      } else {
        progress.latest = state
      }
    }
  }

  private func end() { deliver { $0.isEnded = true } }

  /// Notes something and then, unless somebody else is at it, delivers what is due.
  private func deliver(after note: (inout Progress) -> Void) {
    let isMyTurn = progress.withLock { progress in
      note(&progress)
      guard !progress.isDelivering else { return false }
      progress.isDelivering = true
      return true
    }
    guard isMyTurn else { return }
    while let step = progress.withLock({ $0.step() }) {
      switch step {
      case .state(let state, let receiver):
        let more = receiver.receive(state)
        if more > 0 { request(more) }
      case .end(let rest):
        rest.receiver?.finish()
      }
    }
  }

  private struct Receiver: @unchecked Sendable {
    // Safe: only the one that delivers calls them, and calls of different threads follow one another by way of the lock.
    let receive: (State) -> Subscribers.Demand
    let finish: () -> Void
  }

  private enum Step {
    case state(State, Receiver)
    case end(Rest)
  }

  private struct Rest {
    let receiver: Receiver?
    let subscription: StoreCore.Subscription?
    let states: [State]
    let latest: State?
  }

  private struct Progress: Sendable {
    /// Nil: cancelled or finished.
    var receiver: Receiver?
    var subscription: StoreCore.Subscription?
    /// The number of states that the subscriber has asked for beyond `due`.
    var demand = Subscribers.Demand.none
    /// The states asked for and not delivered yet: first `next`, last one first, then `due`. So taking one never moves
    /// the rest.
    var next: [State] = []
    var due: [State] = []
    /// The newest state, if it came when the subscriber had not asked for any.
    var latest: State?
    var isEnded = false
    var isDelivering = false

    /// The next thing to deliver; nil gives the turn back.
    mutating func step() -> Step? {
      if next.isEmpty, !due.isEmpty {
        next = due.reversed()
        due.removeAll(keepingCapacity: true)
      }
      if let receiver, let state = next.popLast() { return .state(state, receiver) }
      if isEnded, receiver != nil { return .end(close()) }
      isDelivering = false
      return nil
    }

    mutating func close() -> Rest {
      let rest = Rest(receiver: receiver, subscription: subscription, states: next + due, latest: latest)
      (receiver, subscription, next, due, latest) = (nil, nil, [], [], nil)
      return rest
    }
  }
}
