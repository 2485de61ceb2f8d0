import StoreCore
import StoreSchema

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

/// A phase of an action, timed.
public struct PhaseSpan: Hashable, Sendable {
  /// The phase that was timed.
  public let phase: SpanPhase
  /// The action's number.
  public let number: Int
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// The action's name; nil where its dispatch was not seen.
  public let action: String?
  /// The number of the action that caused it.
  public let cause: Int?
  /// The time at which it began, on the clock of the listener.
  public let begin: Duration
  /// The time at which it ended.
  public let end: Duration

  /// The duration of the span.
  public var duration: Duration { end - begin }
}

/// The total of all spans of one unit in one phase.
public struct SpanTotal: Hashable, Sendable {
  /// The phase.
  public let phase: SpanPhase
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// The number of spans.
  public internal(set) var count = 0
  /// The sum of their durations.
  public internal(set) var total = Duration.zero
  /// The duration of the longest.
  public internal(set) var max = Duration.zero
}

extension SpanRecorder {
  /// The spans as the JSON of Chrome's trace event format, which Chrome (`chrome://tracing`) and Perfetto read.
  ///
  /// Actions and what nests in them are complete events (`X`) of one thread, waits and effects asynchronous ones (`b`, `e`).
  /// An arrow (`s`, `f`) leads from where an action was dispatched to where it was taken up. Times are in microseconds.
  public func chromeTrace(process: String = "store") -> String {
    let names = [("process_name", process), ("thread_name", "actions")].map {
      ChromeTraceEvent(.metadata, $0, arguments: [("name", .string($1))])
    }
    let events = (names + spans.flatMap(\.traceEvents)).map(\.json).joined(separator: ",\n")
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n\(events)\n]}\n"
  }
}

extension PhaseSpan {
  /// The events of the span in Chrome's trace event format; of the wait of an action with a cause, its arrow too.
  package var traceEvents: [ChromeTraceEvent] {
    let category = phase.rawValue
    let arguments = [("number", Value.int(number))] + (cause.map { [("cause", Value.int($0))] } ?? [])
    guard phase == .queue || phase == .effect else {
      return [
        ChromeTraceEvent(.complete, title, category: category, at: begin, duration: duration, arguments: arguments)
      ]
    }
    let id = Value.string("\(category) \(number) \(unit ?? "")")
    let wait = [
      ChromeTraceEvent(.asynchronousBegin, title, category: category, at: begin, id: id, arguments: arguments),
      ChromeTraceEvent(.asynchronousEnd, title, category: category, at: end, id: id),
    ]
    guard phase == .queue, cause != nil else { return wait }
    return wait
      + [(ChromeTraceEvent.Kind.arrowStart, begin), (.arrowEnd, end)].map {
        ChromeTraceEvent($0, "cause", category: "cause", at: $1, id: .int(number))
      }
  }

  private var title: String {
    switch phase {
    case .action: action ?? "action \(number)"
    default: unit.map { "\(phase.rawValue) \($0)" } ?? phase.rawValue
    }
  }
}

/// An event of Chrome's trace event format, which Chrome (`chrome://tracing`) and Perfetto read. All events are of one
/// thread.
package struct ChromeTraceEvent {
  /// The kind of the event, under the letter that the format has for it.
  package enum Kind: String {
    /// The name of the process or the thread.
    case metadata = "M"
    /// A span from its start to its end.
    case complete = "X"
    /// The start of a span that may overlap others.
    case asynchronousBegin = "b"
    /// The end of a span that may overlap others.
    case asynchronousEnd = "e"
    /// The start of an arrow.
    case arrowStart = "s"
    /// The end of an arrow, at the span that it meets, not at the next.
    case arrowEnd = "f"
  }

  private let kind: Kind
  private let name: String
  /// The group that the event belongs to; nil for metadata.
  private let category: String?
  /// The time of the event; nil for metadata.
  private let time: Duration?
  /// The duration of a complete span.
  private let duration: Duration?
  /// The common id of the two ends of an asynchronous span or of an arrow.
  private let id: Value?
  /// More facts, under names.
  private let arguments: [(name: String, value: Value)]

  package init(
    _ kind: Kind, _ name: String, category: String? = nil, at time: Duration? = nil, duration: Duration? = nil,
    id: Value? = nil, arguments: [(name: String, value: Value)] = []
  ) {
    self.kind = kind
    self.name = name
    self.category = category
    self.time = time
    self.duration = duration
    self.id = id
    self.arguments = arguments
  }

  /// The event as a JSON object in one line; times are in microseconds.
  package var json: String {
    JSON.object([
      "ph": .text(kind.rawValue), "bp": kind == .arrowEnd ? .text("e") : nil, "name": .text(name),
      "cat": category.map { .text($0) }, "pid": .number(1), "tid": .number(1),
      "ts": time.map { .json(Self.microseconds($0)) }, "dur": duration.map { .json(Self.microseconds($0)) },
      "id": id.map { .value($0) },
      "args": arguments.isEmpty ? nil : .value(.members(arguments.map { ($0.name, $0.value) })),
    ])
  }

  /// Three digits after the point.
  private static func microseconds(_ time: Duration) -> String {
    let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    let fraction = String(nanoseconds.magnitude % 1000)
    let sign = nanoseconds < 0 ? "-" : ""
    return "\(sign)\(nanoseconds.magnitude / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
  }
}
