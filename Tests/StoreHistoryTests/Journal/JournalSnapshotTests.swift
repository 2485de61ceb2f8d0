import Testing

@testable import StoreHistory

@Suite struct JournalSnapshotTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func open() throws -> Journal { try Journal(folder["a.db"], header: Sample.header) }

  @Test func theLatestUpToAnActionIsFound() throws {
    let journal = try open()
    Sample.fill(journal, 10, snapshots: [4, 8])
    for (number, snapshot) in [(0, 0), (3, 0), (4, 4), (7, 4), (8, 8), (10, 8)] {
      let found = try #require(try journal.reader.snapshot(upTo: number))
      #expect(found.number == snapshot)
      #expect(
        found.slices == [
          .init(module: "counter", state: "{\"value\":\(Sample.sum(snapshot))}"),
          .init(module: "other", state: "{\"text\":\"same\"}"),
        ])
    }
    try journal.end()
  }

  @Test func whatDidNotChangeIsNotWrittenAgain() throws {
    let journal = try open()
    Sample.fill(journal, 10, snapshots: [2, 4, 6, 8])
    try journal.end()
    let slices = try DatabaseQueue(path: folder["a.db"]).use { db in
      try Row.fetchAll(db, sql: "SELECT module, count(*) FROM slices GROUP BY module ORDER BY module")
    }
    #expect(
      try slices.map { "\(try $0.checked(0) as String) \(try $0.checked(1) as Int)" } == ["counter 5", "other 1"])
  }

  @Test func aModuleThatComesAndGoesIsPartOfSomeOnly() throws {
    let journal = try open()
    journal.append(stateAfter: 0, Array(Sample.slices(after: 0).prefix(1)))
    journal.append(Sample.entry(1))
    journal.append(stateAfter: 1, Sample.slices(after: 1))
    journal.append(Sample.entry(2))
    journal.append(stateAfter: 2, Array(Sample.slices(after: 2).prefix(1)))
    let modules = try (0...2).map { number in try journal.reader.snapshot(upTo: number)?.slices.map(\.module) }
    let expected: [[String]?] = [["counter"], ["counter", "other"], ["counter"]]
    #expect(modules == expected)
    try journal.end()
  }

  @Test func anEarlierOneStandsInForOneThatIsDamaged() throws {
    let journal = try open()
    Sample.fill(journal, 10, snapshots: [4, 8])
    try journal.end()
    try DatabaseQueue(path: folder["a.db"]).write { db in
      try db.execute(sql: "UPDATE slices SET state = replace(state, '36', '37')")
    }
    let again = try open()
    #expect(try again.reader.snapshot(upTo: 10)?.number == 4)
    try again.end()
  }

  @Test func smallStatesAreWrittenOftenAndLargeOnesSeldom() {
    func due(after size: Int, row: Int) -> Int {
      var schedule = SnapshotSchedule()
      schedule.wrote("m", bytes: size)
      for number in 1... {
        schedule.add(1, bytes: row)
        schedule.change("m")
        if schedule.isDue { return number }
      }
      return 0
    }
    #expect(due(after: 300, row: 150) == 256)
    #expect(due(after: 10_000, row: 150) == 534)
    #expect(due(after: 1_000_000, row: 150) == SnapshotSchedule.longest)
    #expect(due(after: 3_000_000, row: 150) == 20_000)
  }

  @Test func oneIsAskedForOnceUntilItIsWritten() {
    var schedule = SnapshotSchedule()
    schedule.wrote("m", bytes: 10)
    func add(_ count: Int) {
      for _ in 0..<count {
        schedule.add(1, bytes: 100)
        schedule.change("m")
      }
    }
    add(SnapshotSchedule.shortest)
    var asked = [schedule.takeIsDue()]
    // What is queued before it makes it no more urgent.
    add(10)
    asked.append(schedule.takeIsDue())
    schedule.restart()
    add(SnapshotSchedule.shortest)
    asked.append(schedule.takeIsDue())
    #expect(asked == [true, false, true])
  }

  @Test func modulesThatDoNotChangeDoNotWeigh() {
    var schedule = SnapshotSchedule()
    schedule.wrote("large", bytes: 10_000_000)
    schedule.wrote("small", bytes: 10)
    for _ in 1...255 {
      schedule.add(1, bytes: 100)
      schedule.change("small")
    }
    #expect(!schedule.isDue)
    schedule.add(1, bytes: 100)
    #expect(schedule.isDue)
    schedule.restart()
    #expect(!schedule.isDue)
  }

  @Test func theStateIsAskedForWhenItIsDue() throws {
    let journal = try open()
    journal.append(stateAfter: 0, Sample.slices(after: 0))
    var asked: [Int] = []
    for number in 1...1000 {
      journal.append(Sample.entry(number))
      journal.settle()
      if journal.takeWantsSnapshot() {
        asked.append(number)
        journal.append(stateAfter: number, Sample.slices(after: number))
      }
    }
    #expect(asked == [256, 512, 768])
    try journal.end()
  }

  @Test func aStateOfAnotherTypeStartsAnewAndTheOldFileIsKept() throws {
    let journal = try open()
    Sample.fill(journal, 5)
    var header = Sample.header
    header.schemaHash = "def"
    // What is left where a process was killed while it wrote the copy.
    try folder.write("old.db.part", Array("half".utf8))
    try folder.write("old.db.part-journal", Array("half".utf8))
    try journal.rebase(header, keeping: folder["old.db"], [StateSlice(module: "new") { $0 += Array("{}".utf8) }])
    journal.append(Sample.entry(6))
    try journal.end()
    let again = try open()
    #expect(again.found?.base == 5)
    #expect(again.found?.header == header)
    #expect(try again.reader.snapshot(upTo: 6)?.slices == [.init(module: "new", state: "{}")])
    #expect(try Sample.numbers(in: again, 1...6).count == 6)
    let old = try JournalArchive(folder["old.db"])
    #expect(old.contents.header == Sample.header)
    #expect(old.contents.last == 5)
    old.close()
    try again.end()
    #expect(folder.names == ["a.db", "old.db"])
  }
}
