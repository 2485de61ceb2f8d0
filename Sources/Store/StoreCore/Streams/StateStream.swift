/// The states of a store, or of a view of it, as an asynchronous sequence: the current one first, then each change.
///
/// Each iteration is a subscription of its own. The subscription begins when its iterator is made, and ends when the
/// iterator is released or its task is cancelled. The sequence ends when the store is closed or goes away, which it
/// does not keep from happening.
public struct StateStream<State: Sendable>: AsyncSequence, Sendable {
  /// The fate of states that come faster than they are taken.
  public enum Buffering: Hashable, Sendable {
    /// The newest are kept, so many of them; older ones are dropped.
    case newest(Int)
    /// The oldest are kept, so many of them; newer ones are dropped.
    case oldest(Int)
    /// All are kept.
    case unbounded
  }

  /// Iterates the states of one subscription.
  public typealias AsyncIterator = AsyncStream<State>.Iterator
  /// A stream of states cannot fail.
  public typealias Failure = Never

  private let buffering: Buffering
  private let subscribe: @Sendable (@escaping @Sendable (State) -> Void, @escaping @Sendable () -> Void) -> Subscription

  init<Action>(of connection: StoreConnection<Action, State>, buffering: Buffering) {
    self.buffering = buffering
    subscribe = connection.subscribe
  }

  /// Subscribes. If another thread processes an action at this moment, this waits until it is done.
  public func makeAsyncIterator() -> AsyncIterator {
    let (stream, states) = AsyncStream.makeStream(of: State.self, bufferingPolicy: policy)
    let subscription = subscribe({ states.yield($0) }, { states.finish() })
    states.onTermination = { _ in subscription.cancel() }
    return stream.makeAsyncIterator()
  }

  private var policy: AsyncStream<State>.Continuation.BufferingPolicy {
    switch buffering {
    case .newest(let count): .bufferingNewest(count)
    case .oldest(let count): .bufferingOldest(count)
    case .unbounded: .unbounded
    }
  }
}

extension StoreConnection {
  /// The states as an asynchronous sequence; see ``StateStream``.
  ///
  /// - Parameter buffering: the fate of states that come faster than they are taken. By default the newest one is kept:
  ///   a slow consumer skips states and never works on a stale one.
  public func states(buffering: StateStream<State>.Buffering = .newest(1)) -> StateStream<State> {
    StateStream(of: self, buffering: buffering)
  }
}

extension StoreHandle {
  /// The states as they are shown, as an asynchronous sequence; see ``StateStream``.
  ///
  /// - Parameter buffering: the fate of states that come faster than they are taken; by default the newest one is kept.
  public func states(buffering: StateStream<State>.Buffering = .newest(1)) -> StateStream<State> {
    connection("states", { $0 }, isDifferent: nil).states(buffering: buffering)
  }

  /// A part of the states, now and each time that it changed, as an asynchronous sequence.
  ///
  /// - Parameters:
  ///   - part: the part.
  ///   - buffering: the fate of parts that come faster than they are taken; by default the newest one is kept.
  public func states<Part: Equatable & Sendable>(
    of part: @escaping @Sendable (State) -> Part, buffering: StateStream<Part>.Buffering = .newest(1)
  ) -> StateStream<Part> {
    connection("states", part, isDifferent: { $0 != $1 }).states(buffering: buffering)
  }
}

extension StoreHandle where State: Equatable {
  /// The states as they are shown, each time that they differ, as an asynchronous sequence; see ``StateStream``.
  ///
  /// - Parameter buffering: the fate of states that come faster than they are taken; by default the newest one is kept.
  public func states(buffering: StateStream<State>.Buffering = .newest(1)) -> StateStream<State> {
    states(of: { $0 }, buffering: buffering)
  }
}
