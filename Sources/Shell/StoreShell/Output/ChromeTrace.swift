import Platform
import StoreCore
import StoreUnits

/// Spans of a store in a file that Perfetto and `chrome://tracing` show, as `SpanRecorder` tells them. The file is there once
/// the trace has ended: spans go there as they end, so that a trace of any length takes no memory.
final class ChromeTrace {
  /// The file as it was given.
  let path: String
  /// The number of processed actions.
  private(set) var count = 0
  private let file: ReplacingFile
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

  var receiver: (SpanEvent) -> Void {
    // Events bring their times, so the recorder's own clock is never asked.
    let recorder = SpanRecorder(clock: { .zero }, naming: { TraceText.name(of: $0) })
    return { [self] event in
      recorder.receive(event)
      for span in recorder.takeEnded() { add(span) }
    }
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

  private func add(_ span: PhaseSpan) {
    guard !hasEnded, failure == nil else { return }
    if span.phase == .action { count += 1 }
    for event in span.traceEvents {
      file.bytes += Array((file.bytes.last == UInt8(ascii: "[") ? "\n" : ",\n").utf8)
      file.bytes += Array(event.json.utf8)
    }
    do throws(FileError) {
      try file.passOn()
    } catch {
      failure = error
    }
  }
}
