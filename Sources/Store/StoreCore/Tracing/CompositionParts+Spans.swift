extension Composition {
  /// Reports that an action is taken up, then asks middlewares.
  static func taking(_ trace: TracePoint, then handle: @escaping Handle) -> Handle {
    { action, context, pending in
      trace.taken(context.number)
      handle(action, context, &pending)
    }
  }
}

extension CompositionParts {
  /// The same with spans reported of the consequences of commits. These parts are separate, so that the parts for when
  /// nobody listens have no tests for it.
  func measured(by trace: TracePoint) -> CompositionParts {
    var parts = self
    parts.recorder = Self.measured(recorder, trace)
    parts.emission = emission.measured(by: trace)
    parts.watchers = watchers.map { $0.measured(by: trace) }
    return parts
  }

  private static func measured(
    _ recorder: ((ActionRecord<Action, State>) -> Void)?, _ trace: TracePoint
  ) -> (ActionRecord<Action, State>) -> Void {
    { record in
      guard record.failure == nil, record.droppedBy == nil else {
        recorder?(record)
        return
      }
      trace.begin(.commit, number: record.context.number)
      recorder?(record)
      trace.end(.commit, number: record.context.number)
    }
  }
}

extension EmissionPolicy {
  fileprivate func measured(by trace: TracePoint) -> EmissionPolicy {
    let predicate: @Sendable (State, State) -> Bool
    switch decide {
    case .always, .never: return self
    case .when(let asked), .whenDifferent(let asked): predicate = asked
    }
    let name = name
    return EmissionPolicy(
      name: name,
      decide: .when { before, now in
        trace.begin(.notify, number: trace.current, unit: name)
        defer { trace.end(.notify, number: trace.current, unit: name) }
        return predicate(before, now)
      })
  }
}

extension Watcher {
  fileprivate func measured(by trace: TracePoint) -> Watcher {
    Watcher(name: name) { [self] before, now, context in
      trace.begin(.notify, number: context.number, unit: name)
      notify(before, now, context)
      trace.end(.notify, number: context.number, unit: name)
    }
  }
}
