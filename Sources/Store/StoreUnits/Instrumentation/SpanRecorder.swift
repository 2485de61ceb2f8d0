import StoreCore

/// Keeps the spans of a store, and what they come to per unit. The idea is SwiftRex's InstrumentationMiddleware, which times
/// one unit's IO; here each phase is timed where it happens.
///
/// ```swift
/// let recorder = SpanRecorder(clock: { clock.now })
/// store.setSpans(recorder.listener)
/// …
/// print(recorder.totals, recorder.chromeTrace())
/// ```
public final class SpanRecorder: Sendable {
  private struct Key: Hashable {
    let phase: SpanPhase
    let number: Int
    let unit: String?
  }

  private struct Row: Hashable {
    let phase: SpanPhase
    let unit: String?
  }

  private struct Waiting {
    let action: String
    let cause: Int?
  }

  private struct Recorded {
    /// The times at which the spans began that have not ended.
    var begun: [Key: [Duration]] = [:]
    /// The facts about actions that are not done.
    var actions: [Int: Waiting] = [:]
    var totals: [Row: SpanTotal] = [:]
    var spans: [PhaseSpan] = []
    var ended = 0
  }

  private let recorded = Lock(Recorded())
  private let clock: @Sendable () -> Duration
  private let limit: Int
  private let actionName: @Sendable (Any) -> String

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - clock: a monotonic clock.
  ///   - limit: the number of spans kept; the oldest go first. Totals count all; with 0 there are only totals.
  ///   - actionName: the name of an action in spans.
  public init(
    clock: @escaping @Sendable () -> Duration, limit: Int = 100_000,
    naming actionName: @escaping @Sendable (Any) -> String = { ActionName.of($0) }
  ) {
    self.clock = clock
    self.limit = limit
    self.actionName = actionName
  }

  /// The listener that a store is to report to.
  public var listener: SpanListener { SpanListener(clock: clock) { [self] in receive($0) } }

  /// The spans that are kept, in the order of their beginnings, the outer before the inner.
  public var spans: [PhaseSpan] {
    recorded.withLock { recorded in
      recorded.spans.enumerated().sorted { left, right in
        let (a, b) = (left.element, right.element)
        if a.begin != b.begin { return a.begin < b.begin }
        if a.end != b.end { return a.end > b.end }
        // Of two that coincide, the inner one ended first, unless they only follow each other.
        return (a.number, a.phase.depth, left.offset) < (b.number, b.phase.depth, right.offset)
      }.map(\.element)
    }
  }

  /// The number of spans let go for lack of room.
  public var dropped: Int { recorded.withLock { $0.ended - $0.spans.count } }

  /// The totals of the spans, the dearest first.
  public var totals: [SpanTotal] {
    recorded.withLock { recorded in
      recorded.totals.values.sorted { left, right in
        if left.total != right.total { return left.total > right.total }
        if left.phase != right.phase { return left.phase.depth < right.phase.depth }
        return (left.unit ?? "") < (right.unit ?? "")
      }
    }
  }

  /// Forgets everything that was recorded.
  public func reset() { recorded.withLock { $0 = Recorded() } }

  /// Takes out the spans that have ended since the last call, in the order of their ends.
  package func takeEnded() -> [PhaseSpan] {
    recorded.withLock { recorded in
      recorded.ended -= recorded.spans.count
      defer { recorded.spans.removeAll(keepingCapacity: true) }
      return recorded.spans
    }
  }

  /// Takes note of a span's beginning or end.
  package func receive(_ event: SpanEvent) {
    let key = Key(phase: event.phase, number: event.number, unit: event.unit)
    switch event.edge {
    case .begin:
      let action = limit > 0 ? event.action.map { Waiting(action: actionName($0), cause: event.cause) } : nil
      recorded.withLock { recorded in
        recorded.begun[key, default: []].append(event.time)
        if let action { recorded.actions[event.number] = action }
      }
    case .end: recorded.withLock { end(key, event.time, &$0) }
    }
  }

  private func end(_ key: Key, _ time: Duration, _ recorded: inout Recorded) {
    // Whoever starts to listen in the middle of an action sees ends without beginnings.
    guard let begin = recorded.begun[key]?.popLast() else { return }
    if recorded.begun[key]?.isEmpty == true { recorded.begun[key] = nil }
    let known = recorded.actions[key.number]
    let span = PhaseSpan(
      phase: key.phase, number: key.number, unit: key.unit, action: known?.action, cause: known?.cause, begin: begin,
      end: time)
    if key.phase == .action { recorded.actions[key.number] = nil }
    let row = Row(phase: key.phase, unit: key.unit)
    recorded.totals[row, default: SpanTotal(phase: key.phase, unit: key.unit)].add(span.duration)
    if recorded.spans.count < limit {
      recorded.spans.append(span)
    } else if limit > 0 {
      recorded.spans[recorded.ended % limit] = span
    }
    recorded.ended += 1
  }
}

extension SpanTotal {
  fileprivate mutating func add(_ duration: Duration) {
    count += 1
    total += duration
    max = Swift.max(max, duration)
  }
}

extension SpanPhase {
  /// The place of the phase among all phases of an action.
  var depth: Int { SpanPhase.allCases.firstIndex(of: self) ?? 0 }
}
