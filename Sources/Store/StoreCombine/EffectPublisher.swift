import OpenCombine
import StoreCore

extension Effect where Output: Sendable {
  /// Emits what a publisher publishes, in order and none left out, until it finishes or the effect is cancelled, which
  /// cancels the subscription.
  ///
  /// - Parameter make: makes the publisher when the effect starts. Its values have the line of this call as their source.
  public static func publisher<Values: Publisher & SendableMetatype>(
    file: String = #fileID, function: String = #function, line: Int = #line,
    _ make: @escaping @Sendable (EffectContext<Dependencies, Output>) -> Values
  ) -> Effect where Values.Output == Output, Values.Failure == Never {
    .run { context in
      let (stream, values) = AsyncStream.makeStream(of: Output.self)
      // Safe: it is only cancelled, which subscriptions bear on any thread.
      nonisolated(unsafe) let subscription = make(context).sink(
        receiveCompletion: { _ in values.finish() }, receiveValue: { values.yield($0) })
      // At the cancellation itself rather than after the loop, which a store that is gone does not run any more.
      values.onTermination = { _ in subscription.cancel() }
      for await value in stream { context.send(value, file: file, function: function, line: line) }
    }
  }
}

extension Publisher where Failure == Never {
  /// Dispatches published values into a store. Ends when the publisher finishes, the result is cancelled or released,
  /// or the store is gone when a value comes.
  ///
  /// Each action has the line of this call as its source, of kind `effect`. Values published while the store is busy
  /// are enqueued, in order.
  public func dispatch<State>(
    to connection: StoreConnection<Output, State>, info: String? = nil, file: String = #fileID,
    function: String = #function, line: Int = #line
  ) -> AnyCancellable {
    let source = ActionSource(file: file, function: function, line: line, info: info, kind: .effect)
    return map { DispatchedAction($0, source: source) }.dispatch(to: connection)
  }

  /// Dispatches what is published into a store, each action with the source that it bears; see
  /// ``dispatch(to:info:file:function:line:)``.
  public func dispatch<Action, State>(
    to connection: StoreConnection<Action, State>
  ) -> AnyCancellable where Output == DispatchedAction<Action> {
    prefix { _ in connection.isOpen() }.sink { _ = connection.dispatch($0) }
  }
}

extension IO {
  /// Dispatches what a publisher publishes, from the commit until it finishes.
  ///
  /// Nothing cancels it, and it goes on when its unit is replaced. Take ``Effect/publisher(file:function:line:_:)`` for
  /// work that is to be cancelled or to end with its unit.
  ///
  /// - Parameter publisher: its values have the line of this call as their source, of kind `effect`, and this action as
  ///   their cause.
  public static func publisher<Values: Publisher>(
    _ publisher: Values, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> IO where Values.Output == Output, Values.Failure == Never {
    let source = ActionSource(file: file, function: function, line: line, info: info, kind: .effect)
    return .publisher(publisher.map { DispatchedAction($0, source: source) })
  }

  /// Dispatches what a publisher publishes, each action with the source that it bears, from the commit until it finishes.
  public static func publisher<Values: Publisher>(
    _ publisher: Values
  ) -> IO where Values.Output == DispatchedAction<Output>, Values.Failure == Never {
    IO { output in
      publisher.subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { output.dispatch($0) }))
    }
  }
}
