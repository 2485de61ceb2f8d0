import ShellLanguage
import StoreCore
import StorePlugins
import StoreSchema

/// Spans of a store in a file that Perfetto and `chrome://tracing` show: a JSON array in the Trace Event Format. What nests
/// stands on one track; waiting actions and effects, which do not, are asynchronous; arrows lead from causes to what they
/// caused. The file is there once the trace has ended.
final class ChromeTrace {
  /// The file as it was given.
  let path: String
  /// How many actions were processed.
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
    file = try ReplacingFile(path)
    file.bytes.append(UInt8(ascii: "["))
  }

  deinit { try? end() }

  /// What hands the spans over; its clock begins now.
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
      if isBegin, event.cause != nil {
        caused.insert(event.number)
        write("s", "cause", "cause", event, id: "\(event.number)")
      }
      write(isBegin ? "b" : "e", "queue", "wait", event, id: "\(event.number)")
    case .effect:
      write(isBegin ? "b" : "e", "effect", event.unit ?? "effect", event, id: "\(event.number)/\(event.unit ?? "")")
    case .action:
      write(isBegin ? "B" : "E", "action", "#\(event.number)", event)
      guard isBegin else { break }
      count += 1
      if caused.remove(event.number) != nil { write("f", "cause", "cause", event, id: "\(event.number)") }
    default: write(isBegin ? "B" : "E", event.phase.rawValue, event.unit ?? event.phase.rawValue, event)
    }
    do throws(FileError) {
      try file.passOn()
    } catch {
      failure = error
    }
  }

  /// Writes an event of the format: its phase, category and name.
  private func write(_ phase: String, _ category: String, _ name: String, _ event: SpanEvent, id: String? = nil) {
    var fields: [(name: String, value: Value)] = [
      ("ph", .string(phase)), ("cat", .string(category)), ("name", .string(name)), ("pid", .int(1)), ("tid", .int(1)),
      ("ts", .double(event.time / .microseconds(1))),
    ]
    if let id { fields.append(("id", .string(id))) }
    // The arrow ends at the span that it meets, not at the next.
    if phase == "f" { fields.append(("bp", .string("e"))) }
    if let action = event.action, phase == "b" {
      let cause: [(String, Value)] = event.cause.map { [("cause", .int($0))] } ?? []
      let arguments = [("action", Value.string(TraceText.name(of: action)))] + cause
      fields.append(("args", .record(Record(arguments))))
    }
    file.bytes += Array((file.bytes.last == UInt8(ascii: "[") ? "\n" : ",\n").utf8)
    JSON.append(Record(fields), to: &file.bytes)
  }
}

extension Record {
  fileprivate init(_ fields: [(name: String, value: Value)]) {
    self.init(RecordLayout(name: "", fields: fields.map(\.name)), fields.map(\.value))
  }
}

extension Session {
  /// Ends the trace that is written into a file, if there is one.
  ///
  /// - Returns: 0, or 1 where it could not be written, which is reported.
  public func endTrace() -> Int32 {
    do throws(FileError) {
      try finishTrace()
      return 0
    } catch {
      writeError(ShellError(error))
      return 1
    }
  }

  /// Writes spans into a file from now on.
  func startTrace(_ path: String) throws(FileError) {
    let trace = try ChromeTrace(path)
    chromeTrace = trace
    store.setSpans(trace.listener)
  }

  /// Ends the trace that is written into a file.
  ///
  /// - Returns: the trace, where there was one.
  @discardableResult
  func finishTrace() throws(FileError) -> ChromeTrace? {
    guard let trace = chromeTrace else { return nil }
    chromeTrace = nil
    store.setSpans(nil)
    console.prepareTelling()
    try trace.end()
    return trace
  }
}
