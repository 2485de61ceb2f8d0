import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

import Glibc

@Suite struct JournalTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func open(_ name: String = "a.db", _ durability: Durability = .normal) throws -> Journal {
    try Journal(folder[name], durability: durability, header: Sample.header)
  }

  @Test(arguments: Durability.allCases) func whatIsAppendedIsThereWhenTheFileIsOpenedAgain(_ durability: Durability)
    throws
  {
    let journal = try open(durability)
    #expect(journal.found == nil)
    Sample.fill(journal, 5)
    try journal.end()
    let again = try open(durability)
    #expect(again.found?.numbers == 1...5)
    #expect(again.found?.hasEnded == true)
    #expect(again.found?.header == Sample.header)
    #expect(try Sample.numbers(in: again, 1...5) == [1, 2, 3, 4, 5])
    #expect(try Sample.numbers(in: again, 2...3) == [2, 3])
    again.append(Sample.entry(6))
    #expect(try Sample.numbers(in: again, 5...6) == [5, 6])
    try again.end()
  }

  private func open(_ durability: Durability) throws -> Journal { try open("a.db", durability) }

  /// However the program ends: what leads to the next place is written with it.
  @Test func theFileOfANodeEndsAtAPlaceOfItsLog() throws {
    let journal = try open()
    journal.note(place: "none")
    for number in 1...3 { journal.append(Sample.entry(number)) }
    journal.settle()
    #expect(journal.last == 0)
    journal.note(place: "three")
    journal.append(Sample.entry(4))
    journal.settle()
    #expect(journal.last == 3)
    try journal.end()
    let again = try open()
    #expect(again.found?.last == 3 && again.found?.place == "three")
    again.note(place: "three")
    // Another history takes the place of this one with its first place, and not before.
    again.restart(
      after: 9, [], plugins: [JournaledPlugin(number: 9, name: "p", version: "1", directory: "/", digest: "d")])
    #expect(try Sample.numbers(in: again, 1...3) == [1, 2, 3])
    again.note(place: "nine")
    again.append(Sample.entry(10))
    again.note(place: "ten")
    #expect(try Sample.numbers(in: again, 1...10) == [10])
    try again.end()
    #expect(try open().found?.place == "ten")
  }

  /// An argument of that name says nothing of it.
  @Test func whetherAnActionWasDroppedIsReadFromItsEntry() throws {
    let journal = try open()
    let arguments = Record(RecordLayout(name: "set", fields: ["droppedBy"]), [.string("guard")])
    for (number, interceptor) in [(1, nil), (2, "guard")] {
      journal.append(
        LoggedEntry(
          number: number, time: .zero, source: Sample.entry(1).source, action: "shell.set", arguments: arguments,
          isQuiet: false, changes: [], failure: nil, digest: "0123", droppedBy: interceptor))
    }
    var rows: [JournalRow] = []
    try journal.reader.visit(1...2) { rows.append($0) }
    #expect(rows.map { $0.entry?.contains("\"droppedBy\":") } == [true, true])
    #expect(rows.map(\.changesMore) == [true, false])
  }

  @Test func aRowIsAllOfItsAction() throws {
    let journal = try open()
    let entry = LoggedEntry(
      number: 7, time: .seconds(3) + .nanoseconds(1),
      source: ActionSource(
        file: "öäü \"quoted\"", function: "f", line: 12, info: "by hand", kind: .plugin, plugin: "p", unit: "u",
        cause: 6),
      action: "tasks.add", arguments: Record(RecordLayout(name: "add", fields: ["title"]), [.string("a'b\"c\u{0}d")]),
      isQuiet: true, changes: [], failure: "plugin-runtime", digest: "0123")
    journal.append(entry)
    var rows: [JournalRow] = []
    try journal.reader.visit(7...7) { rows.append($0) }
    let row = try #require(rows.first)
    #expect(row.number == 7)
    #expect(row.time == entry.time)
    #expect(row.source == entry.source)
    #expect(row.action == "tasks.add")
    #expect(row.isQuiet)
    #expect(row.failure == "plugin-runtime")
    #expect(row.changes == nil)
    let reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    #expect(try reader.arguments(of: #require(row.arguments), action: row.action)["title"] == .string("a'b\"c\u{0}d"))
  }

  @Test func anyoneWithSQLiteCanReadIt() throws {
    let journal = try open()
    Sample.fill(journal, 4, snapshots: [3])
    journal.settle()
    // While it is open for writing, too.
    let rows = try DatabaseQueue(path: folder["a.db"]).use { db in
      try Row.fetchAll(db, sql: "SELECT number, source, cause, action, changes FROM log ORDER BY number")
    }
    #expect(rows.count == 4)
    #expect(try rows[2].checked(1) == "sample.stsh:3")
    #expect(try rows[2].checked(2) == 2)
    #expect(try rows[2].checked(3) == "counter.increment")
    #expect(try rows[2].checked(4) == #"[{"op":"replace","path":"counter.value","from":3,"to":6}]"#)
    let states = try DatabaseQueue(path: folder["a.db"]).use { db in
      try String.fetchAll(db, sql: "SELECT number || module || state FROM states ORDER BY number, module")
    }
    #expect(
      states == [
        #"0counter{"value":0}"#, #"0other{"text":"same"}"#, #"3counter{"value":6}"#, #"3other{"text":"same"}"#,
      ])
    try journal.end()
  }

  @Test func onlyItsOwnerMayReadIt() throws {
    let journal = try open()
    Sample.fill(journal, 1)
    journal.settle()
    for name in folder.names {
      var status = stat()
      #expect(stat(folder[name], &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
    try journal.end()
    #expect(folder.names == ["a.db"])
  }

  @Test func aSecondWriterIsRefused() throws {
    let journal = try open()
    Sample.fill(journal, 1)
    journal.settle()
    #expect(throws: JournalError.inUse(path: folder["a.db"], process: Int(getpid()))) { try open() }
    try journal.end()
    let second = try open()
    #expect(second.found?.last == 1)
    try second.end()
  }

  @Test func aJournalThatIsLetGoOfEndsInOrder() throws {
    do {
      let journal = try open()
      Sample.fill(journal, 3)
    }
    #expect(folder.names == ["a.db"])
    let again = try open()
    #expect(again.found?.hasEnded == true)
    #expect(again.found?.last == 3)
    try again.end()
  }

  @Test(arguments: Durability.allCases) func whatWasSettledSurvivesTheEndOfTheProcess(_ durability: Durability) throws {
    let journal = try open(durability)
    Sample.fill(journal, 40)
    journal.settle()
    try folder.copy("a.db", to: "b.db")
    journal.append(Sample.entry(41))
    let killed = try open("b.db")
    #expect(killed.found?.hasEnded == false)
    #expect(killed.found?.numbers == 1...40)
    #expect(try Sample.numbers(in: killed, 1...40) == Array(1...40))
    try killed.end()
    try journal.end()
  }

  @Test func moreThanTheQueueHoldsIsAllThere() throws {
    let journal = try open("a.db", .off)
    let count = JournalQueue.bound * 2 + 100
    Sample.fill(journal, count)
    #expect(try Sample.numbers(in: journal, 1...count).count == count)
    try journal.end()
  }

  @Test func manySourcesAndActionsKeepTheirNames() throws {
    let journal = try open()
    for number in 1...200 {
      var source = Sample.entry(number).source
      source.file = "file\(number % 7)"
      source.info = number.isMultiple(of: 5) ? "info\(number % 3)" : nil
      journal.append(
        LoggedEntry(
          number: number, time: .zero, source: source, action: "m.action\(number % 11)",
          arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: number % 11 == 4, changes: [],
          failure: nil))
      if number == 100 { journal.settle() }
    }
    try journal.reader.visit(1...200) { row in
      #expect(row.source.file == "file\(row.number % 7)")
      #expect(row.source.line == row.number)
      #expect(row.source.info == (row.number.isMultiple(of: 5) ? "info\(row.number % 3)" : nil))
      #expect(row.action == "m.action\(row.number % 11)")
      #expect(row.isQuiet == (row.number % 11 == 4))
    }
    try journal.end()
    let again = try open()
    let sources = try DatabaseQueue(path: folder["a.db"]).use {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM sources")
    }
    again.append(Sample.entry(201))
    again.settle()
    #expect(try #require(sources) <= 28)
    try again.end()
  }

  @Test func pluginsAreNoted() throws {
    let journal = try open()
    let plugins = [3, 5].map {
      JournaledPlugin(number: $0, name: "p\($0)", version: "0.1.0", directory: "/plugins/p\($0)", digest: "d\($0)")
    }
    for number in 1...5 { journal.append(Sample.entry(number), plugin: plugins.first { $0.number == number }) }
    #expect(try journal.plugins(upTo: 4) == [plugins[0]])
    #expect(try journal.plugins(upTo: 5) == plugins)
    try journal.end()
  }

  @Test func numbersMayHaveGaps() throws {
    let journal = try open()
    for number in [1, 2, 5, 9] { journal.append(Sample.entry(number)) }
    #expect(try Sample.numbers(in: journal, 1...9) == [1, 2, 5, 9])
    #expect(try Sample.numbers(in: journal, 3...8) == [5])
    #expect(try Sample.numbers(in: journal, 6...8) == [])
    try journal.end()
  }

  @Test func aJournalThatIsWrittenCanBeRead() throws {
    let journal = try open()
    Sample.fill(journal, 5, snapshots: [4])
    journal.settle()
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.contents.numbers == 1...5)
    #expect(archive.damage == nil)
    #expect(try archive.reader.snapshot(upTo: 5)?.number == 4)
    journal.append(Sample.entry(6))
    journal.settle()
    var numbers: [Int] = []
    try archive.reader.visit(4...6) { numbers.append($0.number) }
    #expect(numbers == [4, 5, 6])
    try journal.end()
  }

  /// A process that is killed while it makes the file leaves a first page, and what takes that back: nothing is in it.
  @Test func aFileThatWasOnlyBeingMadeIsNew() throws {
    let whole = try open("whole.db")
    Sample.fill(whole, 1)
    try whole.end()
    try folder.write("half.db", Array(try folder.bytes("whole.db").prefix(4096)))
    // Of no page before, with sectors of 512 bytes and pages of 4096.
    var rollback: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]
    rollback += [0, 0, 2, 0, 0, 0, 16, 0]
    try folder.write("half.db-journal", rollback + [UInt8](repeating: 0, count: 512 - rollback.count))
    let half = try open("half.db")
    #expect(half.found == nil)
    Sample.fill(half, 3)
    try half.end()
    #expect(try open("half.db").found?.numbers == 1...3)
  }
}
