import StoreCore
import StoreSchema

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
