import StoreCore
import StoreSchema

extension SpanRecorder {
  /// The spans as the JSON of Chrome's trace event format, which Chrome (`chrome://tracing`) and Perfetto read.
  ///
  /// Actions and what nests in them are complete events (`X`) of one thread, waits and effects asynchronous ones (`b`, `e`).
  /// It makes a text of spans that memory holds; the shell writes them into a file one by one, of the same `ChromeTraceEvent`.
  /// An arrow (`s`, `f`) leads from where an action was dispatched to where it was taken up. Times are in microseconds.
  public func chromeTrace(process: String = "store") -> String {
    let spans = spans
    var events = [
      ChromeTraceEvent(.metadata, "process_name", arguments: [("name", .string(process))]),
      ChromeTraceEvent(.metadata, "thread_name", arguments: [("name", .string("actions"))]),
    ]
    var done: [Int: PhaseSpan] = [:]
    var queued: [Int: PhaseSpan] = [:]
    for span in spans {
      events += span.events
      if span.phase == .queue { queued[span.number] = span }
      if span.phase == .action { done[span.number] = span }
    }
    for span in spans where span.phase == .action {
      guard let cause = span.cause, let origin = done[cause] else { continue }
      // An arrow starts in a span: that of an action which an effect emitted later, at the end of its cause.
      let start = min(max(queued[span.number]?.begin ?? origin.end, origin.begin), origin.end)
      let id = Value.int(span.number)
      events.append(ChromeTraceEvent(.arrowStart, "cause", category: "cause", at: start, id: id))
      events.append(ChromeTraceEvent(.arrowEnd, "cause", category: "cause", at: span.begin, id: id))
    }
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n\(events.map(\.json).joined(separator: ",\n"))\n]}\n"
  }
}

extension PhaseSpan {
  fileprivate var events: [ChromeTraceEvent] {
    let category = phase.rawValue
    let arguments = [("number", Value.int(number))] + (cause.map { [("cause", Value.int($0))] } ?? [])
    guard phase == .queue || phase == .effect else {
      return [
        ChromeTraceEvent(
          .complete, title, category: category, at: begin, duration: duration, arguments: arguments)
      ]
    }
    let id = Value.string("\(category) \(number) \(unit ?? "")")
    return [
      ChromeTraceEvent(.asynchronousBegin, title, category: category, at: begin, id: id, arguments: arguments),
      ChromeTraceEvent(.asynchronousEnd, title, category: category, at: end, id: id),
    ]
  }

  private var title: String {
    switch phase {
    case .action: action ?? "action \(number)"
    default: unit.map { "\(phase.rawValue) \($0)" } ?? phase.rawValue
    }
  }
}
