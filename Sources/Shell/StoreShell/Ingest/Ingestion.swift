import DequeModule
import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StoreModules
import StoreSchema

/// Dispatches one action a record.
struct Ingestion {
  let session: Session
  let type: ActionType
  let file: String
  /// The format that the file's name or its start shows, where it is read as another; nil: they show no other.
  let otherFormat: RecordFormat?
  let keepsGoing: Bool
  /// The number of bad records that are expected; nil: they are an error.
  let mostBad: Int?
  /// Gets the records that are left out; nil: nobody wants them.
  let rejected: RejectedRecords?

  /// The number of bad records that a person is shown before they are only counted.
  private static let shownFaults = 20

  /// A record whose action is on its way to the log of a shared store.
  private struct PendingRecord {
    /// Where it is on its way, or why it could not be handed on.
    let dispatch: Result<PendingDispatch, any Error>
    let line: Int
    /// The bytes of its lines; nil: they are not wanted.
    let text: [UInt8]?
  }

  private struct FreshRecords {
    var actions: [(HostAction, ActionSource)] = []
    /// The bytes of their lines; empty: they are not wanted.
    var texts: [[UInt8]] = []
  }

  /// The number of records that may be on their way, and of those that are handed on together.
  private static let (mostPending, longestRun) = (4_096, 512)

  /// - Returns: the counts of the records.
  func run(_ lines: LineReader, _ records: inout any RecordReading) throws -> CommandResult {
    var tally = IngestTally()
    do {
      try takeAll(lines, &records, &tally)
    } catch {
      throw endingRejects(behind: error)
    }
    try rejected?.finish()
    var remarks = tally.remarks(of: file)
    let isExpected = mostBad != nil && tally.processed > 0
    if isExpected { remarks += tally.badText(of: file).map { [$0] } ?? [] }
    if tally.dropped > 0 { session.outcome.lastDropped = remarks.first }
    if !session.options.isJSON {
      for remark in remarks { session.console.writeError("\(remark)\n") }
      if tally.blank > 0 { session.console.write(note: tally.blankText(of: file)) }
    }
    let json = session.givesData ? JSON.text(of: tally.value(type.fullName)) : nil
    if !session.answersInJSON { session.console.write(summary(tally) + "\n") }
    if var error = tally.error(of: file, isBadExpected: isExpected) {
      error.data = json
      throw error
    }
    return CommandResult(json: json)
  }

  /// Writes the records that were left out before it had to end.
  ///
  /// - Returns: why it ends.
  private func endingRejects(behind error: any Error) -> any Error {
    do throws(ShellError) {
      try rejected?.finish()
      return error
    } catch let failure {
      var error = ShellError(describing: error)
      error.details.append(failure.message)
      return error
    }
  }

  private func takeAll(
    _ lines: LineReader, _ records: inout any RecordReading, _ tally: inout IngestTally
  ) throws {
    var progress = session.console.showsProgress ? IngestProgress(session.console, size: lines.size) : nil
    defer { session.console.hideProgress() }
    var hasBegun = false
    // A shared store takes many records in one message. Which record ends it by --max-bad shows too late for that.
    let series = mostBad == nil && session.store.isShared ? DispatchSeries(stopsAtFailure: !keepsGoing) : nil
    defer { if let series { session.store.noteDispatched(in: series) } }
    // A record of a stream may be the last for long.
    let longestRun = lines.size == nil ? 1 : Self.longestRun
    var fresh = FreshRecords()
    var pending: Deque<PendingRecord> = []
    var isAtEnd = false
    // What is wrong with a record is told behind those before it.
    var unread: (any Error)?
    var settled: (line: Int, text: [UInt8]?)?
    var settling = 0
    let given = session.running.origin
    let origin = session.knownOrigins.origin(
      file: file, function: "ingest", kind: given.isThroughDoor ? .remote : given.kind)
    while true {
      do {
        if settled != nil { settled = nil }
        if pending.isEmpty, fresh.actions.isEmpty {
          if let error = unread {
            unread = nil
            throw error
          }
          if isAtEnd { break }
        }
        if !isAtEnd, unread == nil, pending.count < Self.mostPending {
          do {
            if !hasBegun {
              hasBegun = true
              try records.begin()
            }
            if rejected != nil { lines.kept = [] }
            let next = try records.next()
            noteBlanks(lines, &tally)
            switch consume next {
            case .action(let call):
              let source = ActionSource(origin, line: records.line)
              if series != nil {
                fresh.actions.append((try session.store.action(call), source))
                if let text = lines.kept { fresh.texts.append(text) }
                if fresh.actions.count < longestRun { continue }
              } else {
                try dispatch(call, source, lines.kept, &tally)
              }
            case .leftOut: tally.filtered += 1
            case .end: isAtEnd = true
            }
          } catch  where !(pending.isEmpty && fresh.actions.isEmpty) {
            unread = error
          }
        }
        let isOver = isAtEnd || unread != nil
        if let series, isOver || fresh.actions.count >= longestRun { begin(&fresh, behind: &pending, in: series) }
        if let series, isOver || pending.count >= Self.mostPending, !pending.isEmpty {
          if settling == 0 {
            settling = min(Self.longestRun, pending.count)
            // For the last of them: else each would be waited for.
            if case .success(let dispatch) = pending[settling - 1].dispatch { session.store.wait(for: dispatch) }
          }
          settling -= 1
          let first = pending.removeFirst()
          settled = (first.line, first.text)
          try settle(session.store.report(of: first.dispatch.get(), in: series), at: first.line, first.text, &tally)
        }
        guard (tally.processed + tally.filtered).isMultiple(of: 256) else { continue }
        if session.interrupts.take() {
          withdraw(&pending, of: series, &tally)
          throw interrupted(tally)
        }
        progress?.show(records: tally.count, bytes: lines.offset)
      } catch {
        noteBlanks(lines, &tally)
        if session.isInterrupted {
          withdraw(&pending, of: series, &tally)
          throw interrupted(tally)
        }
        if error is FileError || ShellError(describing: error).code == .interrupted { throw error }
        var fault = BadRecord(error, file: file, line: settled?.line ?? records.line, type: type)
        if tally.processed + tally.bad == 0, fault.isOfFormat, let format = otherFormat {
          fault.hint = "is it \(format.rawValue)? --format \(format.rawValue)"
        }
        // Also the one that ends it: who mends the file needs its text.
        if fault.code == nil, !(error is FileFault), let kept = settled.map(\.text) ?? lines.kept {
          rejected?.add(line: fault.line, reason: fault.message, text: kept)
        }
        // The records may be bad; their plugin may not be off.
        let isWithinBound = mostBad.map { tally.bad < $0 || fault.code != nil } ?? keepsGoing
        let goesOn = isWithinBound && !fault.isOfLog && (keepsGoing || !fault.isOfPlugin)
        if !goesOn || error is FileFault {
          let count = tally.count
          withdraw(&pending, of: series, &tally)
          var ending = fault.error(behind: count, more: tally.count - count)
          if let mostBad, mostBad < .max {
            ending.details.append("\(mostBad) bad \(mostBad == 1 ? "record was" : "records were") expected (--max-bad)")
          }
          throw ending
        }
        tally.note(fault)
        tell(of: fault, tally.bad + tally.besides)
      }
    }
  }

  /// Counts the blank lines that were passed over.
  private func noteBlanks(_ lines: LineReader, _ tally: inout IngestTally) {
    guard !lines.blanks.isEmpty else { return }
    for number in lines.takeBlanks() {
      tally.blank += 1
      rejected?.add(line: number, reason: "blank", text: [])
    }
  }

  /// Tells of a bad record that is left out, or of one beside which something went wrong; a person is not told of too many.
  private func tell(of record: BadRecord, _ number: Int) {
    if session.options.isJSON {
      session.console.writeEvent(
        JSONReport.badRecord(
          file: file, line: record.line, message: record.message, hint: record.hint, isProcessed: record.code != nil))
    } else if rejected != nil, record.code == nil {
      // The file tells of it.
      return
    } else if number <= Self.shownFaults {
      session.console.writeError("\(record.sentence)\n")
    } else if number == Self.shownFaults + 1 {
      session.console.write(note: "further bad records are only counted")
    }
  }

  /// The error of Ctrl-C, with the tally of the records so far.
  private func interrupted(_ tally: IngestTally) -> ShellError {
    var error = ShellError.interrupted
    let stay =
      switch tally.count {
      case 0: ""
      case 1: ", which stays; undo takes it back"
      default: ", which stay; undo takes them back"
      }
    error.details = ["\(summary(tally))\(stay)"] + tally.failures(of: file)
    return error
  }

  /// Hands records on to the log, all or, for one reason, none.
  private func begin(
    _ fresh: inout FreshRecords, behind pending: inout Deque<PendingRecord>, in series: DispatchSeries
  ) {
    let begun = Result { try session.store.begin(fresh.actions, in: series) }
    for index in fresh.actions.indices {
      pending.append(
        PendingRecord(
          dispatch: begun.map { $0[index] }, line: fresh.actions[index].1.line,
          text: fresh.texts.isEmpty ? nil : fresh.texts[index]))
    }
    (fresh.actions, fresh.texts) = ([], [])
  }

  /// Lets no more of the records happen that are on their way, and counts those that did.
  private func withdraw(_ pending: inout Deque<PendingRecord>, of series: DispatchSeries?, _ tally: inout IngestTally) {
    guard let series else { return }
    series.end()
    while let record = pending.popFirst() {
      guard case .success(let dispatch) = record.dispatch else { continue }
      let report = session.store.report(of: dispatch, in: series)
      // What went wrong beside the one that ended it is told of that one.
      if report.number != nil, report.failure == nil {
        try? settle(report, at: record.line, record.text, &tally)
      }
    }
  }

  /// Has the action of a record processed at once.
  // A function of its own: the parts of an argument are not counted.
  @inline(never)
  private func dispatch(
    _ call: consuming ActionCall, _ source: ActionSource, _ text: [UInt8]?, _ tally: inout IngestTally
  ) throws {
    let report = session.store.dispatch(try session.action(call), source, answer: .number)
    try settle(report, at: source.line, text, &tally)
  }

  /// Counts a record whose action was processed.
  private func settle(
    _ report: DispatchReport, at line: Int, _ text: [UInt8]?, _ tally: inout IngestTally
  ) throws {
    session.tellOthers()
    // The work that a record caused may have been stopped; the record itself stands.
    if let failure = report.failure, !(failure is StoreError) || report.number == nil { throw failure }
    if let interceptor = report.droppedBy {
      tally.drop(by: interceptor)
      if let text { rejected?.add(line: line, reason: "dropped by \(interceptor)", text: text) }
    } else if let entry = report.entry, entry.original != nil, entry.action != type.fullName {
      tally.replace(by: entry.action)
    } else {
      tally.last = report.number ?? tally.last
      tally.first = tally.first ?? tally.last
      tally.count += 1
    }
    if let fault = report.failure ?? report.faults.first {
      throw BesideRecord(error: fault, isIngested: report.droppedBy == nil)
    }
  }

  private func summary(_ tally: IngestTally) -> String {
    let text = "ingested \(tally.count) \(tally.count == 1 ? "record" : "records") as \(type.fullName)"
    guard let first = tally.first else { return text }
    return text + (first == tally.last ? " (#\(first))" : " (#\(first)-#\(tally.last))")
  }
}
