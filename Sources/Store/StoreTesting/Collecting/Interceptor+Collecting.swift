import StoreCore

extension Interceptor {
  /// The same interceptor, what it and its effects dispatch kept by a collector instead of being enqueued. A caller
  /// that waits until an action is done waits until it was received.
  func collecting(_ collector: EmissionCollector<Action>) -> Interceptor {
    let name = name
    return mapAttachment { attachment in
      let output = ActionHandler<Action> { dispatched in
        // The store refuses what is dispatched while the chain is built.
        guard collector.isBuilt else { return attachment.output.dispatch(dispatched) }
        collector.collect(dispatched, from: name, cause: attachment.context()?.number)
      }
      return attachment.leading(
        to: output,
        outputOfAction: { context in
          ActionHandler { collector.collect($0, from: name, cause: context.number) }
        },
        wait: { dispatched, _ in
          await withCheckedContinuation { continuation in
            collector.collect(dispatched, from: name, cause: nil) { continuation.resume(returning: $0) }
          }
        })
    }
  }
}
