import StoreCore

import OpenCombine

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
