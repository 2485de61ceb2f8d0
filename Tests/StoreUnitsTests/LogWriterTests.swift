import StoreCore
import StoreUnits
import Testing

/// Collects what a log writes, one element a write.
final class WrittenLog: LogDestination {
  private let collected = Lock<[String]>([])

  var writes: [String] { collected.withLock { $0 } }
  var lines: [String] {
    writes.joined().split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  func write(_ lines: String) throws { collected.withLock { $0.append(lines) } }
}

/// Rows 135 and 139.
@Suite struct LogWriterTests {
  private struct Full: Error {}

  @Test func entriesAreWrittenInOrderAsWholeLines() {
    let log = WrittenLog()
    let writer = LogWriter(to: log)
    for index in 0..<500 { writer.write { index.isMultiple(of: 7) ? nil : "\(index)" } }
    writer.flush()
    #expect(log.lines == (0..<500).filter { !$0.isMultiple(of: 7) }.map { "\($0)" })
    #expect(log.writes.allSatisfy { $0.hasSuffix("\n") })
    #expect(writer.dropped == 0)
  }

  /// The destination stands still, the store goes on, and the log says how much is missing and where.
  @Test func aSlowDestinationCostsEntriesAndNoTime() {
    let (log, entered, released) = (WrittenLog(), Flag(), Flag())
    let isFirst = Lock(true)
    let writer = LogWriter(
      to: ClosureDestination { lines in
        let waits = isFirst.withLock { first in
          defer { first = false }
          return first
        }
        if waits {
          entered.raise()
          released.wait()
        }
        try log.write(lines)
      }, capacity: 4)
    writer.write { "1" }
    entered.wait()
    for index in 2...10 { writer.write { "\(index)" } }
    #expect(writer.dropped == 6)
    released.raise()
    writer.flush()
    #expect(log.lines == ["1", "2", "3", "4", "… 6 log entries dropped"])
    writer.write { "11" }
    writer.flush()
    #expect(log.lines.last == "11")
    #expect(writer.dropped == 6)
  }

  @Test func whatIsDroppedIsMadeNoTextOf() {
    let (entered, released) = (Flag(), Flag())
    let made = Lock<[Int]>([])
    let writer = LogWriter(to: WrittenLog(), capacity: 1)
    writer.write {
      entered.raise()
      released.wait()
      return "0"
    }
    entered.wait()
    for index in 1...3 {
      writer.write {
        made.withLock { $0.append(index) }
        return "\(index)"
      }
    }
    released.raise()
    writer.flush()
    #expect(made.withLock { $0 }.isEmpty)
    #expect(writer.dropped == 3)
  }

  @Test func aStampBeginsEveryEntry() {
    let log = WrittenLog()
    let ticks = Lock(0)
    let writer = LogWriter(
      to: log,
      stamp: {
        ticks.withLock { ticks in
          ticks += 1
          return "[\(ticks)]"
        }
      })
    writer.write { "a" }
    writer.write { nil }
    writer.write { "b\n  c" }
    writer.flush()
    #expect(log.lines == ["[1] a", "[2] b", "  c"])
  }

  @Test func whatTheDestinationThrowsIsToldAndTheLogGoesOn() {
    let log = WrittenLog()
    let (failures, isBroken) = (Notes(), Notes())
    isBroken.note("yes")
    let writer = LogWriter(
      to: ClosureDestination { lines in
        if isBroken.all.last == "yes" { throw Full() }
        try log.write(lines)
      }, onError: { failures.note("\($0)") })
    writer.write { "lost" }
    writer.flush()
    isBroken.note("no")
    writer.write { "kept" }
    writer.flush()
    #expect(failures.all == ["Full()"])
    #expect(log.lines == ["kept"])
  }

  @Test func manyThreadsMayWrite() async {
    let log = WrittenLog()
    let writer = LogWriter(to: log, capacity: 10_000)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask { for index in 0..<200 { writer.write { "\(thread) \(index)" } } }
      }
    }
    writer.flush()
    #expect(log.lines.count == 1600)
    for thread in 0..<8 {
      #expect(log.lines.filter { $0.hasPrefix("\(thread) ") } == (0..<200).map { "\(thread) \($0)" })
    }
  }
}

/// A place for what happens on whatever thread.
final class Notes: Sendable {
  private let collected = Lock<[String]>([])

  var all: [String] { collected.withLock { $0 } }
  func note(_ note: String) { collected.withLock { $0.append(note) } }
}
