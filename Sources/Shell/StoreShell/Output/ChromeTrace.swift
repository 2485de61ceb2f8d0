import Platform
import ShellLanguage
import StoreCore
import StoreSchema
import StoreUnits

/// Spans of a store in a file that Perfetto and `chrome://tracing` show: a JSON array in the Trace Event Format. Nested
/// spans stand on one track. Waiting actions and effects do not nest and are asynchronous; arrows lead from causes to
/// their effects. The file is there once the trace has ended: spans go there one by one, so that a trace of any length takes no
/// memory, where `SpanRecorder.chromeTrace` makes a text of those that it holds.
final class ChromeTrace {
  /// The file as it was given.
  let path: String
  /// The number of processed actions.
  private(set) var count = 0
  private let file: ReplacingFile
  /// The actions that wait for the end of the arrow from what caused them.
  private var caused: Set<Int> = []
  private var failure: FileError?
  private var hasEnded = false

  /// Begins a trace.
  ///
  /// - Throws: `FileError` where the file cannot be made.
  init(_ path: String) throws(FileError) {
    self.path = path
    // It is written by and by, and nothing would end the wait for whoever reads it.
    if Files.isPipe(path) { throw FileError(path: path, code: EINVAL, .writing) }
    file = try ReplacingFile(path)
    file.bytes.append(UInt8(ascii: "["))
  }

  deinit { try? end() }

  /// The listener that hands the spans over; its clock begins now.
  var listener: SpanListener {
    let start = ContinuousClock.now
    return SpanListener(clock: { start.duration(to: .now) }, receive: { [self] event in add(event) })
  }

  /// Writes what is left and gives the file its name.
  ///
  /// - Throws: `FileError` for whatever could not be written.
  func end() throws(FileError) {
    guard !hasEnded else { return }
    hasEnded = true
    if let failure { throw failure }
    file.bytes += Array("\n]\n".utf8)
    try file.finish()
  }

  private func add(_ event: SpanEvent) {
    guard !hasEnded, failure == nil else { return }
    let isBegin = event.edge == .begin
    switch event.phase {
    case .queue:
      let id = "\(event.number)"
      if isBegin, event.cause != nil {
        caused.insert(event.number)
        write(.arrowStart, "cause", "cause", event, id: id)
      }
      write(isBegin ? .asynchronousBegin : .asynchronousEnd, "queue", "wait", event, id: id)
    case .effect:
      let id = "\(event.number)/\(event.unit ?? "")"
      write(isBegin ? .asynchronousBegin : .asynchronousEnd, "effect", event.unit ?? "effect", event, id: id)
    case .action:
      write(isBegin ? .begin : .end, "action", "#\(event.number)", event)
      guard isBegin else { break }
      count += 1
      if caused.remove(event.number) != nil { write(.arrowEnd, "cause", "cause", event, id: "\(event.number)") }
    default: write(isBegin ? .begin : .end, event.phase.rawValue, event.unit ?? event.phase.rawValue, event)
    }
    do throws(FileError) {
      try file.passOn()
    } catch {
      failure = error
    }
  }

  private func write(
    _ kind: ChromeTraceEvent.Kind, _ category: String, _ name: String, _ event: SpanEvent, id: String? = nil
  ) {
    var arguments: [(String, Value)] = []
    if let action = event.action, kind == .asynchronousBegin {
      arguments = [("action", .string(TraceText.name(of: action)))] + (event.cause.map { [("cause", .int($0))] } ?? [])
    }
    let traced = ChromeTraceEvent(
      kind, name, category: category, at: event.time, id: id.map(Value.string), arguments: arguments)
    file.bytes += Array((file.bytes.last == UInt8(ascii: "[") ? "\n" : ",\n").utf8)
    file.bytes += Array(traced.json.utf8)
  }
}
