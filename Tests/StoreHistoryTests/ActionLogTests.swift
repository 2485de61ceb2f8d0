import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

@Suite struct ActionLogTests {
  static func entry(
    _ number: Int, _ action: String = "tick", quiet: Bool = true, plugin: String? = "clock", unit: String? = nil,
    function: String = "tick", line: Int = 1, changes: [Change] = [], failure: String? = nil
  ) -> LoggedEntry {
    LoggedEntry(
      number: number, time: .seconds(number),
      source: ActionSource(file: "f", function: function, line: line, kind: .effect, plugin: plugin, unit: unit),
      action: action,
      arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: quiet, changes: changes, failure: failure)
  }

  static func change(_ field: String) -> Change {
    Change(Path([.field(field)]), .replace(from: .int(0), to: .int(1)))
  }

  @Test func theOldestGoFirst() {
    var log = ActionLog(limit: 3)
    for number in 1...5 { log.append(ActionLogTests.entry(number)) }
    #expect(log.entries.map(\.number) == [3, 4, 5])
    #expect(log.last?.number == 5)
    #expect(log[number: 2] == nil)
    #expect(log[number: 4]?.number == 4)
    #expect(log[number: 6] == nil)
  }

  @Test func aLimitThatIsLoweredHoldsFromTheNextEntryOn() {
    var log = ActionLog(limit: 5)
    for number in 1...5 { log.append(ActionLogTests.entry(number)) }
    log.limit = 2
    log.append(ActionLogTests.entry(6))
    #expect(log.entries.map(\.number) == [5, 6])
    log.limit = 0
    log.append(ActionLogTests.entry(7))
    #expect(log.entries.map(\.number) == [7])
  }

  @Test func anEntryIsFoundWhereNumbersAreMissing() {
    var log = ActionLog()
    for number in [2, 3, 7, 8] { log.append(ActionLogTests.entry(number)) }
    for number in 0...9 {
      #expect(log[number: number]?.number == ([2, 3, 7, 8].contains(number) ? number : nil), "\(number)")
    }
    #expect(ActionLog()[number: 1] == nil)
    #expect(ActionLog().last == nil)
  }

  /// Copies go on from where they were made, each for itself, whatever they share.
  @Test func logsAndTheirCopiesAreTheSameAsLists() {
    var logs = Array(repeating: (log: ActionLog(limit: .max), list: [Int]()), count: 3)
    var generator = SeededGenerator(seed: 47)
    for number in 1...12_000 {
      let index = Int.random(in: 0..<3, using: &generator)
      if Int.random(in: 0..<100, using: &generator) == 0 { logs[index] = logs[(index + 1) % 3] }
      logs[index].log.append(ActionLogTests.entry(number))
      logs[index].list.append(number)
      if Int.random(in: 0..<300, using: &generator) == 0 {
        let count = Int.random(in: 0...min(600, logs[index].list.count - 1), using: &generator)
        logs[index].log.limit = logs[index].list.count - count
        logs[index].log.append(ActionLogTests.entry(number + 20_000))
        logs[index].list.removeFirst(count + 1)
        logs[index].list.append(number + 20_000)
        logs[index].log.limit = .max
      }
      guard number.isMultiple(of: 97) else { continue }
      for (log, list) in logs {
        #expect(log.entries.map(\.number) == list)
        #expect(log.last?.number == list.last)
      }
    }
  }

  /// A copy shares the memory to which another thread adds.
  @Test func copiesAreReadWhileTheLogGoesOn() async {
    let shown = Lock(ActionLog(limit: 700))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...5_000 {
          let entry = ActionLogTests.entry(number, changes: [ActionLogTests.change("n\(number % 40)")])
          shown.withLock { _ = $0.append(entry) }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var last = 0
          while last < 5_000 {
            let log = shown.withLock { $0 }
            let entries = Array(log.entries)
            guard let first = entries.first?.number else { continue }
            #expect(entries.map(\.number) == Array(first..<first + entries.count))
            #expect(entries.allSatisfy { $0.changes == [ActionLogTests.change("n\($0.number % 40)")] })
            last = log.last?.number ?? 0
          }
        }
      }
    }
  }

  @Test func aLogIsFedByAStoreWithWhatFailedToo() throws {
    struct No: Error {}
    let store = try Store(
      initial: 0,
      reducer: Reducer<Int, Int>.throwing("r") { action, state, _ in
        state += action
        if action < 0 { throw No() }
      })
    nonisolated(unsafe) var log = ActionLog()  // Safe: one thread.
    store.setRecorder { record in
      log.append(
        LoggedEntry(
          number: record.context.number, time: record.context.time, source: record.context.source,
          action: "add", arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: false,
          changes: record.before == record.after
            ? [] : [Change(Path(), .replace(from: .int(record.before), to: .int(record.after)))],
          failure: record.failure.map { "\($0)" }))
    }
    for action in [1, -1, 0, 2] { store.dispatch(action) }
    #expect(log.entries.map(\.number) == [1, 2, 3, 4])
    #expect(log.entries.map(\.changes.count) == [1, 0, 0, 1])
    #expect(log.entries.map { $0.failure != nil } == [false, true, false, false])
  }
}

@Suite struct FoldingTests {
  @Test func aRunOfOneQuietActionIsOneLine() {
    let lines = (1...4).map { ActionLogTests.entry($0, changes: [ActionLogTests.change($0 == 3 ? "b" : "a")]) }.folded()
    #expect(lines.map(\.count) == [4])
    #expect(lines[0].first.number == 1)
    #expect(lines[0].last.number == 4)
    #expect(lines[0].paths == [Path([.field("a")]), Path([.field("b")])])
  }

  @Test func whatDiffersStartsANewLine() {
    let entries = [
      ActionLogTests.entry(1), ActionLogTests.entry(2, "tock"), ActionLogTests.entry(3, "tock", quiet: false),
      ActionLogTests.entry(4, "tock"), ActionLogTests.entry(5, "tock", plugin: nil),
      ActionLogTests.entry(6, "tock", plugin: nil, function: "other"),
      ActionLogTests.entry(7, "tock", plugin: nil, function: "other", failure: "no"),
      ActionLogTests.entry(8, "tock", plugin: nil, function: "other"),
      // 9 is missing: something else came in between.
      ActionLogTests.entry(10, "tock", plugin: nil, function: "other"),
      ActionLogTests.entry(11, "tock", plugin: nil, function: "other", line: 7),
    ]
    let lines = entries.folded()
    #expect(lines.map(\.first.number) == [1, 2, 3, 4, 5, 6, 7, 8, 10])
    #expect(lines.map(\.count) == [1, 1, 1, 1, 1, 1, 1, 1, 2])
  }

  @Test func loudActionsNeverFold() {
    #expect((1...3).map { ActionLogTests.entry($0, quiet: false) }.folded().map(\.count) == [1, 1, 1])
    #expect([LoggedEntry]().folded().isEmpty)
  }

  @Test func whatTwoUnitsDoInTheSameWayIsNotFoldedIntoOne() {
    let entries = ["one", "one", "two"].enumerated().map { ActionLogTests.entry($0 + 1, unit: $1) }
    #expect(entries.folded().map(\.count) == [2, 1])
  }
}
