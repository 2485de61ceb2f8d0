import Glibc
import Platform
import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

/// Files whose rows or states are not what was written, or that cannot be written: told of with the last good action, and kept.
@Suite struct JournalDamageTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  @Test(arguments: ["hello\n", String(repeating: "x", count: 5000), "SQLite format 3\0"])
  func whatIsNoJournalIsRefusedAndKept(_ text: String) throws {
    try folder.write("a.db", Array(text.utf8))
    #expect(throws: JournalError.notAJournal(path: folder["a.db"])) { try folder.open() }
    #expect(try folder.bytes("a.db") == Array(text.utf8))
  }

  /// A pipe that nobody writes must not keep whoever opens it waiting.
  @Test func whatIsNoFileIsRefused() throws {
    #expect(mkfifo(folder["a.db"], 0o600) == 0)
    let refusal = JournalError.cannotOpen(path: folder["a.db"], reason: "it is not a regular file")
    #expect(throws: refusal) { try folder.open() }
    #expect(throws: JournalError.notAJournal(path: folder["a.db"])) { try JournalArchive(folder["a.db"]) }
  }

  @Test func anotherDatabaseIsRefusedAndKept() throws {
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: "CREATE TABLE actions (number)") }
    let before = try folder.bytes("a.db")
    #expect(throws: JournalError.notAJournal(path: folder["a.db"])) { try folder.open() }
    #expect(try folder.bytes("a.db") == before)
  }

  /// Format 4 may stand on a file that an earlier program made and that a later one wrote into.
  @Test(arguments: [
    ("PRAGMA user_version = 99", 99), ("PRAGMA user_version = 3", 3),
    ("UPDATE meta SET value = '2' WHERE name = 'format'", 2),
  ])
  func anotherFormatIsRefusedAndKept(change: String, version: Int) throws {
    try folder.fill(1)
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: change) }
    let before = try folder.bytes("a.db")
    let refusal = JournalError.unknownFormat(path: folder["a.db"], version: version, program: "tests")
    #expect(throws: refusal) { try folder.open() }
    #expect(throws: refusal) { try JournalArchive(folder["a.db"]) }
    #expect(try folder.bytes("a.db") == before)
  }

  @Test func aTornFileIsReportedWithItsLastGoodActionAndKept() throws {
    try folder.fill()
    let whole = try folder.bytes("a.db")
    var seen: [Int?] = []
    // At the ends of pages, and within the page of names and values.
    for kept in [5000, 6000] + stride(from: 4096, to: whole.count, by: 4096) {
      try folder.write("torn.db", Array(whole.prefix(kept)))
      do {
        _ = try folder.open("torn.db")
        Issue.record("a file of \(kept) bytes of \(whole.count) was taken for whole")
      } catch let error as JournalError {
        guard case .damaged(_, let last, _) = error else {
          Issue.record("\(error)")
          continue
        }
        seen.append(last)
        if let last { #expect((0..<400).contains(last)) }
      }
      #expect(try folder.bytes("torn.db") == Array(whole.prefix(kept)))
      // What is good of it can be read.
      guard let last = seen.last ?? nil else { continue }
      let archive = try JournalArchive(folder["torn.db"])
      #expect(archive.damage != nil)
      #expect(archive.contents.last == last)
      var read = 0
      if last > 0 { try archive.reader.visit(1...last) { _ in read += 1 } }
      #expect(read == last)
      #expect(try folder.bytes("torn.db") == Array(whole.prefix(kept)))
    }
    #expect(Set(seen).count > 3)
  }

  @Test func aRowThatIsNotWhatWasWrittenIsNoticed() throws {
    try folder.fill(20)
    for (column, value) in [(7, #"{"by":13}"#), (8, "null"), (5, "14"), (6, "1"), (9, #""x""#), (1, "1"), (3, "2")] {
      try folder.copy("a.db", to: "b.db")
      try folder.spoil("b.db", action: 13, column: column, value)
      let journal = try folder.open("b.db")
      #expect(try Sample.numbers(in: journal, 1...12).count == 12)
      var read: [Int] = []
      let error = #expect(throws: JournalError.self) { try journal.reader.visit(10...20) { read.append($0.number) } }
      guard case .damaged(_, 12, _) = error else {
        Issue.record("\(column): \(String(describing: error))")
        continue
      }
      #expect(read == [10, 11, 12])
      try journal.end()
    }
  }

  @Test func aRowThatIsMissingIsNoticed() throws {
    try folder.fill(20)
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: "DELETE FROM blocks WHERE first = 7") }
    let journal = try folder.open()
    let error = #expect(throws: JournalError.self) { try journal.reader.visit(1...20) { _ in } }
    guard case .damaged(_, 6, "#8 is damaged, or an action before it is missing") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// One number of one row says where the actions begin, or end.
  @Test(
    arguments: [
      ("first = -5 WHERE first = 22", 21), ("first = 0 WHERE first = 22", 21), ("first = 1 << 60 WHERE first = 22", 21),
      ("first = first + (1 << 20) WHERE first = 22", 21), ("last = -5 WHERE first = 22", 21),
      ("checksum = 'x' WHERE first = 22", 21), ("first = -5 WHERE first = 50", 49),
      ("first = 1 << 60 WHERE first = 50", 49),
      ("first = first + (1 << 20) WHERE first = 50", 49), ("last = last - 32768 WHERE first = 50", 49),
      ("last = 0 WHERE first = 50", 49), ("last = 1 << 60 WHERE first = 50", 49), ("last = 51 WHERE first = 50", 49),
      ("last = 'x' WHERE first = 50", 49), ("checksum = 'x' WHERE first = 50", 49),
      ("behind = 'x' WHERE first = 50", 49),
      ("first = -5 WHERE first = 1", 0), ("last = 0 WHERE first = 1", 0),
    ], [true, false])
  func aRowThatIsDamagedDoesNotRuleTheOthers(_ change: (sql: String, lastGood: Int), hasEnded: Bool) throws {
    let running = try folder.open()
    Sample.fill(running, 50, snapshots: [30])
    running.settle()
    if !hasEnded { try folder.copy("a.db", to: "b.db") }
    try running.end()
    if hasEnded { try folder.copy("a.db", to: "b.db") }
    try folder.spoil("b.db", "UPDATE blocks SET \(change.sql)")
    let before = try folder.bytes("b.db")
    let archive = try JournalArchive(folder["b.db"], upTo: max(change.lastGood, 1), initial: Sample.slices(after: 0))
    #expect(archive.damage != nil)
    #expect(archive.lastGood == change.lastGood)
    if change.lastGood > 0 {
      #expect(archive.contents.numbers == 1...change.lastGood)
      #expect(try Sample.numbers(in: archive, 1...change.lastGood) == Array(1...change.lastGood))
    }
    if change.lastGood < 30 { #expect(archive.otherParts == [31..<51]) }
    archive.close()
    let error = #expect(throws: JournalError.self) {
      let journal = try folder.open("b.db")
      journal.append(Sample.entry(51))
      try journal.end()
    }
    if case .damaged(_, change.lastGood, _)? = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try folder.bytes("b.db") == before)
  }

  /// Its beginning says that it is none, while what it says of itself is sound.
  @Test func aFileWhoseBeginningIsDamagedIsNotTakenForAnother() throws {
    try folder.fill(50)
    var bytes = try folder.bytes("a.db")
    bytes[69] ^= 4
    try folder.write("a.db", bytes)
    #expect(try folder.lastGood("a.db", "its beginning is damaged") == 50)
  }

  @Test func aFileThatIsTakenAwayIsToldOfOnceAndWrittenWhenItIsBack() throws {
    let file = try JournalFile(folder["a.db"], durability: .normal, header: Sample.header)
    let writer = try JournalWriter(file)
    func append(_ numbers: ClosedRange<Int>) {
      for number in numbers { writer.append(.entry(Sample.entry(number))) }
      writer.settle()
    }
    append(1...10)
    #expect(writer.failure == nil)
    #expect(rename(folder["a.db"], folder["b.db"]) == 0)
    append(11...20)
    let failure = JournalError.cannotWrite(path: folder["a.db"], last: 10, reason: "the file is no longer there")
    #expect(writer.takeFailure() == failure)
    append(21...30)
    #expect(writer.takeFailure() == nil)
    #expect(rename(folder["b.db"], folder["a.db"]) == 0)
    writer.commit(isFinal: true)
    #expect(writer.failure == nil)
    #expect(writer.last == 30)
    try file.reader.visit(1...30) { _ in }
  }

  /// Such a file would read as one of a shorter history.
  @Test func anEndThatIsNotWhatWasWrittenIsToldOf() throws {
    try folder.fill(50)
    let whole = try folder.bytes("a.db")
    var seen = 0
    for size in [512, 2048, 4096] {
      for page in stride(from: 4096, to: whole.count, by: 4096) {
        var bytes = whole
        let end = page + 4096
        bytes.replaceSubrange(end - size..<end, with: repeatElement(0, count: size))
        try folder.write("b.db", bytes)
        do {
          let journal = try folder.open("b.db")
          #expect(journal.found?.last == 50)
          try journal.end()
        } catch JournalError.damaged {
          seen += 1
          #expect(try folder.bytes("b.db") == bytes)
        }
      }
    }
    #expect(seen > 0)
  }

  @Test func aStateThatIsNotWhatWasWrittenIsNotGiven() throws {
    let journal = try folder.open()
    Sample.fill(journal, 20, snapshots: [10, 20])
    try journal.end()
    try folder.spoil("a.db", "UPDATE slices SET state = 'x' WHERE state = '{\"value\":55}'")
    let again = try folder.open()
    #expect(try again.reader.states(of: "counter").map(\.number) == [0, 20])
    try again.end()
  }

  @Test(arguments: [
    "UPDATE snapshots SET slices = '[' || slices WHERE number = 0",
    "UPDATE snapshots SET slices = replace(slices, '1', '3') WHERE number = 0",
    "UPDATE snapshots SET slices = '[99,98]' WHERE number = 0",
    "UPDATE snapshots SET slices = '[1,1]' WHERE number = 0",
    "DELETE FROM snapshots WHERE number = 0",
    "UPDATE slices SET module = 'dounter' WHERE id = 1",
    "UPDATE snapshots SET slices = '[' || slices WHERE number = 30",
    "UPDATE slices SET state = 'x' WHERE id = (SELECT max(id) FROM slices)",
  ])
  func aStateThatNoActionNeedsIsDamageWhereItIsNotWhatWasWritten(_ sql: String) throws {
    let journal = try folder.open()
    Sample.fill(journal, 50, snapshots: [20, 30])
    try journal.end()
    try folder.spoil("a.db", sql)
    let before = try folder.bytes("a.db")
    let again = try folder.open()
    again.append(Sample.entry(51))
    again.settle()
    guard case .damaged(_, 50, let reason) = again.failure else {
      Issue.record("\(String(describing: again.failure))")
      return
    }
    #expect(throws: JournalError.self) { try again.end(number: 51) }
    #expect(try folder.bytes("a.db") == before)
    let archive = try JournalArchive(folder["a.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage == reason)
    #expect(archive.contents.numbers == 1...50)
  }

  @Test func aDefinitionThatNobodyUnderstandsIsDamage() throws {
    try folder.fill(20)
    var bytes = try folder.bytes("a.db")
    let range = try #require(bytes.firstRange(of: Array("CREATE VIEW log".utf8)))
    bytes[range.upperBound + 4] = UInt8(ascii: "{")
    try folder.write("a.db", bytes)
    #expect(try folder.lastGood("a.db", "its pages are damaged (SQLite code 11)") == 20)
  }

  /// Another file is copied over it while it is written, by whoever does not know.
  @Test(arguments: [true, false]) func aFileThatIsOverwrittenIsNotWritten(isOlder: Bool) throws {
    try folder.fill(30)
    try folder.copy("a.db", to: "other.db")
    let journal = try folder.open()
    for number in 31...60 { journal.append(Sample.entry(number)) }
    journal.settle()
    #expect(journal.failure == nil)
    if !isOlder {
      let other = try folder.open("new.db")
      Sample.fill(other, 500)
      try other.end()
    }
    let bytes = try folder.bytes(isOlder ? "other.db" : "new.db")
    try folder.write("a.db", bytes)
    let failure = JournalError.cannotWrite(
      path: folder["a.db"], last: 60, reason: "another file was written over it")
    if isOlder {
      journal.append(Sample.entry(61))
      journal.settle()
      #expect(journal.failure == failure)
      #expect(journal.takeFailure() == failure)
    }
    // At the latest the end tells.
    #expect(throws: failure) { try journal.end(number: 61, Sample.slices(after: 61)) }
    #expect(try folder.bytes("a.db") == bytes)
  }

  /// Its log is taken away while it is written.
  @Test(arguments: [true, false]) func aLogThatIsTakenAwayIsNoticed(isRemoved: Bool) throws {
    let journal = try folder.open()
    for number in 1...30 {
      journal.append(Sample.entry(number))
      journal.settle()
    }
    #expect(journal.failure == nil)
    if isRemoved {
      for ending in ["-wal", "-shm"] { #expect(unlink(folder["a.db"] + ending) == 0) }
    } else {
      #expect(truncate(folder["a.db"] + "-wal", 0) == 0)
    }
    let failure = JournalError.cannotWrite(
      path: folder["a.db"], last: 30, reason: "its write-ahead log was \(isRemoved ? "removed" : "emptied")")
    for number in 31...32 {
      journal.append(Sample.entry(number))
      journal.settle()
      #expect(journal.failure == failure)
    }
    #expect(throws: failure) { try journal.end(number: 32, Sample.slices(after: 32)) }
    // What was in it is in the file, where it could be saved.
    guard isRemoved else { return }
    let again = try folder.open()
    #expect(again.found?.last == 30)
    try again.end()
  }

  @Test func aLogThatSomebodyElseHadTakenInIsNoOtherFile() throws {
    try folder.fill(30)
    let journal = try folder.open()
    for number in 31...40 { journal.append(Sample.entry(number)) }
    journal.settle()
    try folder.spoil("a.db", "CREATE INDEX mine ON blocks (at)")
    try DatabaseQueue(path: folder["a.db"]).use { try $0.execute(sql: "PRAGMA wal_checkpoint") }
    journal.append(Sample.entry(41))
    journal.settle()
    #expect(journal.failure == nil)
    try journal.end(number: 41, Sample.slices(after: 41))
    #expect(try JournalArchive(folder["a.db"]).damage == nil)
  }

  @Test func aFileThatIsDamagedAnywhereIsNotWritten() throws {
    try folder.fill(400)
    try folder.spoil(action: 100, column: 7, "{}")
    let (names, before) = (folder.names, try folder.bytes("a.db"))
    let journal = try folder.open()
    #expect(journal.found?.last == 400)
    journal.append(Sample.entry(401))
    journal.settle()
    let damage = JournalError.damaged(
      path: folder["a.db"], lastGood: 99, reason: "#100 is damaged, or an action before it is missing")
    #expect(journal.failure == damage)
    #expect(journal.takeFailure() == damage)
    #expect(journal.takeFailure() == nil)
    journal.append(Sample.entry(402))
    #expect(throws: damage) { try journal.end(number: 402, Sample.slices(after: 402)) }
    #expect(folder.names == names)
    #expect(try folder.bytes("a.db") == before)
  }

  @Test func damageIsFoundWhenThereIsTime() throws {
    try folder.fill(400)
    try folder.spoil("a.db", "DELETE FROM blocks WHERE first = 100")
    let journal = try folder.open()
    while journal.failure == nil { usleep(1000) }
    guard case .damaged(_, 99, _) = journal.takeFailure() else {
      Issue.record("\(String(describing: journal.failure))")
      return
    }
    // Nobody wanted anything written.
    try journal.end(number: 400)
  }

  @Test func aStateThatIsLostIsNoticedWhereNothingElseTellsOfIt() throws {
    let journal = try folder.open()
    Sample.fill(journal, 9)
    let set = LoggedEntry(
      number: 10, time: .zero, source: .here(), action: "shell.set", arguments: Record(Sample.layout, []),
      isQuiet: false, changes: [], failure: nil)
    let state = Sample.slices(after: 9, other: "new").map {
      StateSlice(module: $0.module, isWhole: true, write: $0.write)
    }
    journal.append(set, state: state)
    for number in 11...20 { journal.append(Sample.entry(number)) }
    try journal.end()
    try folder.spoil("a.db", "UPDATE slices SET state = replace(state, 'new', 'odd')")
    let again = try folder.open()
    again.append(Sample.entry(21))
    again.settle()
    let reason = "the state after #10 is damaged"
    #expect(again.failure == .damaged(path: folder["a.db"], lastGood: 9, reason: reason))
    #expect(throws: JournalError.self) { try again.end() }
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == reason)
    #expect(archive.contents.numbers == 1...9)
  }

  @Test func aDiskThatIsFullLosesNothingAndIsToldOnce() throws {
    let path = folder["a.db"]
    let file = try JournalFile(path, durability: .normal, header: Sample.header)
    let writer = try JournalWriter(file)
    func limit(_ pages: Int) throws {
      try file.database.use { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
    for number in 1...50 { writer.append(.entry(Sample.entry(number))) }
    writer.settle()
    #expect(writer.last == 50)
    #expect(writer.failure == nil)
    try limit(1)
    for number in 51...500 {
      writer.append(.entry(Sample.entry(number)))
      if number.isMultiple(of: 20) { writer.settle() }
    }
    writer.settle()
    let last = writer.last
    #expect((50..<500).contains(last))
    guard case .cannotWrite(path, last, _) = writer.takeFailure() else {
      Issue.record("the failure was not told")
      return
    }
    #expect(writer.takeFailure() == nil)
    #expect(writer.failure != nil)
    // What was acknowledged is in the file, whatever happens next.
    try folder.copy("a.db", to: "b.db")
    let copy = try Journal(folder["b.db"], header: Sample.header)
    #expect(try Sample.numbers(in: copy, 1...last) == Array(1...last))
    try copy.end()
    // When there is space again, nothing is missing.
    try limit(10_000)
    writer.commit(isFinal: true)
    #expect(writer.failure == nil)
    #expect(writer.last == 500)
    try file.reader.visit(1...500) { _ in }
  }
}
