/// Emits one action on behalf of an effect, and ends it. May be used from any thread.
public final class EffectPromise<Output>: Sendable {
  private let deliver: @Sendable (DispatchedAction<Output>) -> Void
  private let end: @Sendable () -> Void

  init<Dependencies>(_ context: EffectContext<Dependencies, Output>) {
    deliver = { dispatched in
      context.perform {
        guard !context.entry.isOver else { return }
        context.output.dispatch(dispatched)
        context.scope.unit.finish(context.entry)
      }
    }
    end = { context.finish() }
  }

  deinit { end() }

  /// Enqueues the action, unless the effect was cancelled or the promise was fulfilled before.
  public func fulfil(
    _ action: Output, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    deliver(
      DispatchedAction(
        action, source: ActionSource(file: file, function: function, line: line, info: info, kind: .effect)))
  }
}
