import StoreCore
import StorePlugins
import StoreSchema

/// Dispatches one action a record.
struct Ingestion {
  let session: Session
  let type: ActionType
  /// How errors and sources name the file.
  let file: String
  let keepsGoing: Bool

  /// How many bad records are shown before they are only counted.
  private static let shownFaults = 20

  /// - Returns: what was done, in words.
  func run(_ lines: LineReader, _ records: inout any RecordReading) throws -> String {
    var tally = Tally()
    var progress = session.console.showsProgress ? IngestProgress(session.console, size: lines.size) : nil
    defer { session.console.hideProgress() }
    while true {
      do {
        guard let call = try records.next() else { break }
        try take(call, at: records.line, &tally)
        guard tally.count.isMultiple(of: 256) else { continue }
        if session.takeInterrupt() { throw ShellError.interrupted }
        progress?.show(records: tally.count, bytes: lines.offset)
      } catch {
        if error is FileError || (error as? ShellError)?.code == ShellError.interrupted.code { throw error }
        let fault = self.error(error, at: records.line, done: tally.count)
        if !keepsGoing || error is HeaderFault { throw fault }
        tally.bad += 1
        guard tally.bad <= Self.shownFaults else { continue }
        session.console.writeError("\(fault.message)\n")
      }
    }
    let bad = tally.bad
    if bad > 0 { session.console.writeError("\(bad) bad \(bad == 1 ? "record" : "records") of \(file) left out\n") }
    return summary(tally)
  }

  private struct Tally {
    var count = 0
    var first: Int?
    var last = 0
    var bad = 0
  }

  private func take(_ call: ActionCall, at line: Int, _ tally: inout Tally) throws {
    let source = ActionSource(file: file, function: "ingest", line: line, kind: session.origin.kind)
    let report = session.store.dispatch(call, source: source)
    if let failure = report.failure { throw failure }
    if let fault = report.faults.first { throw fault }
    tally.last = report.number ?? tally.last
    tally.first = tally.first ?? tally.last
    tally.count += 1
  }

  private func summary(_ tally: Tally) -> String {
    let text = "ingested \(tally.count) \(tally.count == 1 ? "record" : "records") as \(type.fullName)"
    guard let first = tally.first else { return text }
    return text + (first == tally.last ? " (#\(first))" : " (#\(first)-#\(tally.last))")
  }

  /// What does not fit, in the words of a dispatch.
  private func message(of error: SchemaError) -> String {
    switch error.problem {
    case .missingField(let name, let fieldType) where error.path.isEmpty:
      "\(type.fullName) needs '\(name)' (\(fieldType))"
    case .unknownField(_, let name, _) where error.path.isEmpty: "\(type.fullName) has no argument '\(name)'"
    default: error.message
    }
  }

  private func error(_ error: any Error, at line: Int, done: Int) -> ShellError {
    var hint: String?
    let message: String
    switch (error as? HeaderFault)?.error ?? error {
    case let error as RecordFault: message = error.message
    case let error as JSONError: message = "not JSON at column \(error.offset + 1): \(error.message)"
    case let error as SchemaError:
      message = self.message(of: error)
      hint = "usage: dispatch \(type.signature)"
    default:
      let described = ShellError(describing: error)
      message = described.message
      hint = described.hint
    }
    return ShellError(
      code: "bad-record", message: "\(file):\(line): \(message)", place: .line,
      details: ["\(done) \(done == 1 ? "record" : "records") before it \(done == 1 ? "was" : "were") ingested"],
      hint: hint)
  }
}
