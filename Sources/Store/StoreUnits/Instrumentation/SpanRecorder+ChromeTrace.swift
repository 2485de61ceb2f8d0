import StoreCore
import StoreSchema

extension SpanRecorder {
  /// The spans as the JSON of Chrome's trace event format, which Chrome (`chrome://tracing`) and Perfetto read.
  ///
  /// Actions and what nests in them are complete events (`X`) of one thread, waits and effects asynchronous ones (`b`, `e`).
  /// An arrow (`s`, `f`) leads from where an action was dispatched to where it was taken up. Times are in microseconds.
  public func chromeTrace(process: String = "store") -> String {
    let spans = spans
    var writer = ChromeTraceWriter()
    writer.metadata("process_name", process)
    writer.metadata("thread_name", "actions")
    var done: [Int: PhaseSpan] = [:]
    var queued: [Int: PhaseSpan] = [:]
    for span in spans {
      switch span.phase {
      case .queue:
        queued[span.number] = span
        writer.asynchronous(span)
      case .effect: writer.asynchronous(span)
      case .action:
        done[span.number] = span
        writer.complete(span)
      default: writer.complete(span)
      }
    }
    for span in spans where span.phase == .action {
      guard let cause = span.cause, let origin = done[cause] else { continue }
      // An arrow starts in a span: that of an action which an effect emitted later, at the end of its cause.
      let start = min(max(queued[span.number]?.begin ?? origin.end, origin.begin), origin.end)
      writer.arrow(to: span, from: start)
    }
    return writer.text
  }
}

/// Writes events of Chrome's trace format, one a line.
private struct ChromeTraceWriter {
  private var lines: [String] = []

  var text: String { "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n\(lines.joined(separator: ",\n"))\n]}\n" }

  mutating func metadata(_ name: String, _ value: String) {
    lines.append("{\"ph\":\"M\",\"name\":\"\(name)\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\(quoted(value))}}")
  }

  mutating func complete(_ span: PhaseSpan) {
    lines.append("\(start("X", span, at: span.begin)),\"dur\":\(microseconds(span.duration)),\(arguments(span))}")
  }

  mutating func asynchronous(_ span: PhaseSpan) {
    let id = "\"id\":\(quoted("\(span.phase.rawValue) \(span.number) \(span.unit ?? "")"))"
    lines.append("\(start("b", span, at: span.begin)),\(id),\(arguments(span))}")
    lines.append("\(start("e", span, at: span.end)),\(id)}")
  }

  mutating func arrow(to span: PhaseSpan, from begin: Duration) {
    let name = "\"name\":\"cause\",\"cat\":\"cause\",\"id\":\(span.number),\"pid\":1,\"tid\":1"
    lines.append("{\"ph\":\"s\",\(name),\"ts\":\(microseconds(begin))}")
    lines.append("{\"ph\":\"f\",\"bp\":\"e\",\(name),\"ts\":\(microseconds(span.begin))}")
  }

  private func start(_ kind: String, _ span: PhaseSpan, at time: Duration) -> String {
    "{\"ph\":\"\(kind)\",\"name\":\(quoted(name(span))),\"cat\":\"\(span.phase.rawValue)\",\"pid\":1,\"tid\":1,"
      + "\"ts\":\(microseconds(time))"
  }

  private func name(_ span: PhaseSpan) -> String {
    switch span.phase {
    case .action: span.action ?? "action \(span.number)"
    default: span.unit.map { "\(span.phase.rawValue) \($0)" } ?? span.phase.rawValue
    }
  }

  private func arguments(_ span: PhaseSpan) -> String {
    "\"args\":{\"number\":\(span.number)" + (span.cause.map { ",\"cause\":\($0)" } ?? "") + "}"
  }

  private func quoted(_ text: String) -> String { JSON.text(of: .string(text)) }

  /// Three digits behind the point.
  private func microseconds(_ time: Duration) -> String {
    let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    let fraction = String(nanoseconds.magnitude % 1000)
    let sign = nanoseconds < 0 ? "-" : ""
    return "\(sign)\(nanoseconds.magnitude / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
  }
}
