import StoreSchema

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

  /// Makes an event of a kind.
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
