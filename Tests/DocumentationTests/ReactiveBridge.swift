import StoreCore

// What the article on bridges shows for ReactiveSwift, against a stand-in for it.

extension StoreConnection {
  var producer: SignalProducer<State, Never> {
    SignalProducer { observer, lifetime in
      nonisolated(unsafe) let observer = observer
      let subscription = subscribe({ observer.send(value: $0) }, { observer.sendCompleted() })
      lifetime.observeEnded { subscription.cancel() }
    }
  }
}

extension SignalProducerConvertible where Error == Never {
  @discardableResult
  func dispatch<State>(
    to connection: StoreConnection<Value, State>, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) -> any Disposable {
    let source = ActionSource(file: file, function: function, line: line, kind: .effect)
    return producer.take(while: { _ in connection.isOpen() })
      .startWithValues { _ = connection.dispatch(DispatchedAction($0, source: source)) }
  }
}

extension Effect where Output: Sendable {
  static func producer(
    file: String = #fileID, function: String = #function, line: Int = #line,
    _ make: @escaping @Sendable () -> SignalProducer<Output, Never>
  ) -> Effect {
    .run { context in
      let (stream, values) = AsyncStream.makeStream(of: Output.self)
      nonisolated(unsafe) let running = make().on(terminated: { values.finish() }).startWithValues { values.yield($0) }
      values.onTermination = { _ in running.dispose() }
      for await value in stream { context.send(value, file: file, function: function, line: line) }
    }
  }
}
