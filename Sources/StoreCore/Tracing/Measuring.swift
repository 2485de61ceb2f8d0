/// What a composition does while somebody listens to spans, so that the one for when nobody does has no tests for it.
struct Measuring<Action: Sendable, State: Sendable> {
  let trace: TracePoint

  /// Nil while nobody listens to spans.
  init?(_ trace: TracePoint) {
    guard trace.isMeasuring else { return nil }
    self.trace = trace
  }

  /// - Parameter isIntercepted: whether actions are taken up before, by the interceptors.
  func handle(
    _ handle: @escaping Composition<Action, State>.Handle, isIntercepted: Bool
  ) -> Composition<Action, State>.Handle {
    guard !isIntercepted else { return handle }
    let trace = trace
    return { action, context, pending in
      trace.taken(context.number)
      handle(action, context, &pending)
    }
  }

  func recorder(
    _ recorder: ((ActionRecord<Action, State>) -> Void)?
  ) -> (ActionRecord<Action, State>) -> Void {
    let trace = trace
    return { record in
      guard record.failure == nil, record.droppedBy == nil else {
        recorder?(record)
        return
      }
      trace.begin(.commit, number: record.context.number)
      recorder?(record)
      trace.end(.commit, number: record.context.number)
    }
  }

  func predicate(
    _ emits: @escaping @Sendable (State, State) -> Bool, _ name: String
  ) -> @Sendable (State, State) -> Bool {
    let trace = trace
    return { before, now in
      trace.begin(.notify, number: trace.current, unit: name)
      defer { trace.end(.notify, number: trace.current, unit: name) }
      return emits(before, now)
    }
  }

  func watchers(_ watchers: [Watcher<State>]) -> [Watcher<State>] {
    let trace = trace
    return watchers.map { watcher in
      Watcher(name: watcher.name) { before, now, context in
        trace.begin(.notify, number: context.number, unit: watcher.name)
        watcher.notify(before, now, context)
        trace.end(.notify, number: context.number, unit: watcher.name)
      }
    }
  }
}
