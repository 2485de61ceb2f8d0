/// A phase of an action that a span times, of one unit where there is one.
public enum SpanPhase: String, CaseIterable, Sendable {
  /// An action waits, from the dispatch until it is taken up or dropped.
  case queue
  /// An action is processed, from being taken up until it is done or has failed.
  case action
  /// An interceptor and all that it wraps.
  case intercept
  /// A middleware is asked.
  case handle
  /// A reducer runs.
  case reduce
  /// The commit is recorded.
  case commit
  /// A watcher is told, what it compares included; or the emission policy decides whether watchers are told.
  case notify
  /// An IO closure runs.
  case io
  /// An effect runs, from its start until it is done or cancelled.
  case effect
}

/// The beginning or the end of a span.
///
/// Spans of one action, phase and unit do not overlap. All spans nest, but for the phases `queue` and `effect`.
public struct SpanEvent {
  /// The edge: begin or end.
  public let edge: Edge
  /// The phase that the span times.
  public let phase: SpanPhase
  /// The action's number.
  public let number: Int
  /// The unit or watcher, where there is one; of an effect `unit/token`.
  public let unit: String?
  /// The time on the listener's clock.
  public let time: Duration
  /// The action, where a span of phase `queue` begins.
  public let action: Any?
  /// The number of the action that caused it, where a span of phase `queue` begins.
  public let cause: Int?

  /// The two ends of a span.
  public enum Edge: Sendable {
    /// The span begins.
    case begin
    /// The span ends.
    case end
  }

  init(
    _ edge: Edge, _ phase: SpanPhase, _ number: Int, _ unit: String?, _ time: Duration, action: Any? = nil,
    cause: Int? = nil
  ) {
    self.edge = edge
    self.phase = phase
    self.number = number
    self.unit = unit
    self.time = time
    self.action = action
    self.cause = cause
  }
}

/// Somebody who gets the spans of a store.
public struct SpanListener {
  let clock: @Sendable () -> Duration
  let receive: (SpanEvent) -> Void

  /// Makes a listener.
  ///
  /// - Parameters:
  ///   - clock: a monotonic clock; asked only while the listener listens, from any thread.
  ///   - receive: gets both ends of every span, on the thread that processes actions.
  public init(clock: @escaping @Sendable () -> Duration, receive: @escaping (SpanEvent) -> Void) {
    self.clock = clock
    self.receive = receive
  }
}

extension Store {
  /// Has the phases of every action timed; nil: no longer. Nothing is timed, and no clock read, while nobody listens.
  public func setSpans(_ listener: SpanListener?) {
    exclusively {
      trace.setListener(listener)
      recompose()
    }
  }
}

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
    _ recorder: Composition<Action, State>.Recorder?, _ trace: TracePoint
  ) -> Composition<Action, State>.Recorder {
    { action, context, before, after, exception in
      let isCommitted = exception?.failure == nil && exception?.droppedBy == nil
      if isCommitted { trace.begin(.commit, number: context.number) }
      recorder?(action, context, before, after, exception)
      if isCommitted { trace.end(.commit, number: context.number) }
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
