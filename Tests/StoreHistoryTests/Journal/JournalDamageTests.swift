import GRDB
import Glibc
import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

@Suite struct JournalDamageTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func open(_ name: String = "a.db") throws -> Journal { try Journal(folder[name], header: Sample.header) }

  private func filled(_ count: Int = 400) throws {
    let journal = try open()
    Sample.fill(journal, count)
    try journal.end()
  }

  @Test(arguments: ["hello\n", String(repeating: "x", count: 5000), "SQLite format 3\0"])
  func whatIsNoJournalIsRefusedAndKept(_ text: String) throws {
    try folder.write("a.db", Array(text.utf8))
    #expect(throws: JournalError.notAJournal(path: folder["a.db"])) { try open() }
    #expect(try folder.bytes("a.db") == Array(text.utf8))
  }

  @Test func anotherDatabaseIsRefusedAndKept() throws {
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: "CREATE TABLE actions (number)") }
    let before = try folder.bytes("a.db")
    #expect(throws: JournalError.notAJournal(path: folder["a.db"])) { try open() }
    #expect(try folder.bytes("a.db") == before)
  }

  @Test func aLaterFormatIsRefused() throws {
    try filled(1)
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: "PRAGMA user_version = 99") }
    #expect(throws: JournalError.unknownFormat(path: folder["a.db"], version: 99)) { try open() }
  }

  @Test func aTornFileIsReportedWithItsLastGoodActionAndKept() throws {
    try filled()
    let whole = try folder.bytes("a.db")
    var seen: [Int?] = []
    // At the ends of pages, and within the page of names and values.
    for kept in [5000, 6000] + stride(from: 4096, to: whole.count, by: 4096) {
      try folder.write("torn.db", Array(whole.prefix(kept)))
      do {
        _ = try open("torn.db")
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
      if last > 0 { try archive.visit(1...last) { _ in read += 1 } }
      #expect(read == last)
      #expect(try folder.bytes("torn.db") == Array(whole.prefix(kept)))
    }
    #expect(Set(seen).count > 3)
  }

  @Test func aRowThatIsNotWhatWasWrittenIsNoticed() throws {
    try filled(20)
    for (column, value) in [
      ("arguments", "'{\"by\":13}'"), ("changes", "NULL"), ("line", "14"), ("cause", "1"), ("failure", "'x'"),
    ] {
      try folder.copy("a.db", to: "b.db")
      try DatabaseQueue(path: folder["b.db"]).write { db in
        try db.execute(sql: "UPDATE actions SET \(column) = \(value) WHERE number = 13")
      }
      let journal = try open("b.db")
      #expect(try Sample.numbers(in: journal, 1...12).count == 12)
      var read: [Int] = []
      let error = #expect(throws: JournalError.self) { try journal.visit(10...20) { read.append($0.number) } }
      guard case .damaged(_, 12, _) = error else {
        Issue.record("\(column): \(String(describing: error))")
        continue
      }
      #expect(read == [10, 11, 12])
      try journal.end()
    }
  }

  @Test func aRowThatIsMissingIsNoticed() throws {
    try filled(20)
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: "DELETE FROM actions WHERE number = 7") }
    let journal = try open()
    let error = #expect(throws: JournalError.self) { try journal.visit(1...20) { _ in } }
    guard case .damaged(_, 6, "#8 is not what was written, or one before it is missing") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
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

  @Test func aWriteAheadLogThatIsMissingIsNoticed() throws {
    let journal = try open()
    Sample.fill(journal, 10)
    journal.settle()
    try folder.copy("a.db", to: "killed.db")
    try folder.write("alone.db", try folder.bytes("a.db"))
    try journal.end()
    try folder.copy("a.db", to: "ended.db")
    #expect(try open("killed.db").found?.loss == nil)
    #expect(try open("ended.db").found?.loss == nil)
    #expect(try JournalArchive(folder["alone.db"]).contents.loss == .log)
    #expect(try open("alone.db").found?.loss == .log)
  }

  /// A file that was killed behind another session: as it stands then, with its log and what SQLite keeps beside it.
  private func killed(_ name: String = "a.db", line: Int? = nil) throws {
    let first = try open(name)
    first.append(stateAfter: 0, Sample.slices(after: 0))
    for number in 1...200 { first.append(Sample.entry(number, line: line)) }
    try first.end()
    let second = try open(name)
    for number in 201...400 {
      second.append(Sample.entry(number, line: line))
      if number.isMultiple(of: 20) { second.settle() }
    }
    second.settle()
    for suffix in ["", "-wal", "-shm"] { try folder.write("killed.db\(suffix)", try folder.bytes(name + suffix)) }
    try second.end()
  }

  /// What is said of a damaged file, which must stay as it is, and what of it can be read.
  private func lastGood(_ name: String, _ reason: String) throws -> Int? {
    let names = folder.names
    let before = try names.map { try folder.bytes($0) }
    let error = #expect(throws: JournalError.self) { try open(name) }
    guard case .damaged(_, let last, let found) = error else {
      Issue.record("\(String(describing: error))")
      return nil
    }
    #expect(found == reason)
    let archive = try JournalArchive(folder[name])
    #expect(archive.damage == reason)
    #expect(archive.contents.last == last)
    #expect(try archive.snapshot(upTo: archive.contents.last) != nil)
    if let numbers = archive.contents.numbers { #expect(try Sample.numbers(in: archive, numbers) == Array(numbers)) }
    archive.close()
    #expect(folder.names == names)
    #expect(try names.map { try folder.bytes($0) } == before)
    return last
  }

  /// Such a file would read as one of a shorter history.
  @Test func anEndThatIsNotWhatWasWrittenIsToldOf() throws {
    try filled(50)
    let whole = try folder.bytes("a.db")
    var seen = 0
    for size in [512, 2048, 4096] {
      for page in stride(from: 4096, to: whole.count, by: 4096) {
        var bytes = whole
        let end = page + 4096
        bytes.replaceSubrange(end - size..<end, with: repeatElement(0, count: size))
        try folder.write("b.db", bytes)
        do {
          let journal = try open("b.db")
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

  @Test func theLogOfAnEmptyFileStays() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    try folder.write("killed.db", [])
    #expect(throws: JournalError.self) { try open("killed.db") }
    #expect(throws: JournalError.self) { try JournalArchive(folder["killed.db"]) }
    #expect(try folder.bytes("killed.db-wal") == log)
  }

  @Test func aWriteAheadLogThatIsNotWhatWasWrittenIsToldOf() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let unread = "its write-ahead log is not what was written"
    for bytes in [[UInt8](repeating: 0, count: log.count), Array(log.prefix(20)), [1, 2, 3] + log.dropFirst(3)] {
      try folder.write("killed.db-wal", bytes)
      let last = try #require(try lastGood("killed.db", unread))
      #expect((200..<400).contains(last))
    }
    try folder.write("killed.db-wal", Array(log.prefix(log.count / 2)))
    let cut = try #require(try lastGood("killed.db", "its write-ahead log has lost its end"))
    #expect((201..<400).contains(cut))
    var spoilt = log
    spoilt[log.count / 2] ^= 0xFF
    try folder.write("killed.db-wal", spoilt)
    #expect(try lastGood("killed.db", "its write-ahead log is not what was written behind that") == cut)
    try folder.write("killed.db-wal", log)
    let whole = try open("killed.db")
    #expect(whole.found?.last == 400)
    #expect(whole.found?.loss == nil)
    try whole.end(number: 400)
    // Nothing was written, but its log was taken in: that is no loss to be told of.
    let again = try open("killed.db")
    #expect(again.found?.hasEnded == true)
    #expect(again.found?.loss == nil)
    #expect(again.found?.last == 400)
    try again.end()
  }

  @Test func whatTheEndOfTheMachineTookIsNoDamage() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    // As if the machine had been started anew since.
    let other = String(repeating: "0", count: 36)
    let boot = try #require(FileEvidence.boot)
    for name in ["killed.db", "killed.db-wal"] {
      var bytes = try folder.bytes(name)
      while let range = bytes.firstRange(of: Array(boot.utf8)) { bytes.replaceSubrange(range, with: other.utf8) }
      // The log's own checksums are not those of the changed pages; its frames hold none of that page.
      if name == "killed.db" { try folder.write(name, bytes) } else { #expect(bytes == log) }
    }
    try folder.copy("killed.db", to: "b.db")
    #expect(try open("b.db").found?.loss == .unknown)
    try folder.copy("killed.db", to: "c.db")
    try folder.write("c.db-wal", [UInt8](repeating: 0, count: log.count))
    #expect(try open("c.db").found?.loss == .log)
    try folder.copy("killed.db", to: "d.db")
    var spoilt = log
    spoilt[log.count / 2] ^= 0xFF
    try folder.write("d.db-wal", spoilt)
    let journal = try open("d.db")
    #expect(journal.found?.loss == .endOfLog)
    #expect((201..<400).contains(journal.found?.last ?? 0))
  }

  @Test func theWriteAheadLogOfAnotherFileIsToldOf() throws {
    try killed()
    for suffix in ["", "-wal", "-shm"] { try folder.write("other.db\(suffix)", try folder.bytes("killed.db\(suffix)")) }
    let foreign = "its write-ahead log is that of another file"
    try killed("b.db", line: 7)
    try folder.write("killed.db-wal", try folder.bytes("other.db-wal"))
    let last = try #require(try lastGood("killed.db", foreign))
    #expect((200..<400).contains(last))
    // Without what SQLite keeps beside it, the rows show it.
    unlink(folder["killed.db-shm"])
    #expect(try lastGood("killed.db", foreign) == last)
  }

  @Test func whicheverPageIsLostTheOthersAreRead() throws {
    let journal = try open()
    Sample.fill(journal, 400, snapshots: [100, 200, 300, 400])
    try journal.end()
    let whole = try folder.bytes("a.db")
    for start in stride(from: 0, to: whole.count, by: 4096) {
      try folder.write(
        "b.db", Array(whole.prefix(start)) + [UInt8](repeating: 0, count: 4096) + whole.dropFirst(start + 4096))
      let archive: JournalArchive
      do {
        archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
      } catch {
        Issue.record("page \(start / 4096 + 1): \(error)")
        continue
      }
      #expect(archive.damage != nil, "page \(start / 4096 + 1)")
      let last = archive.contents.last
      let snapshot = try archive.snapshot(upTo: last)
      #expect(snapshot?.slices.first?.state == "{\"value\":\(Sample.sum(snapshot?.number ?? 0))}")
      guard let numbers = archive.contents.numbers else { continue }
      #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
      // Of 400 actions, no page holds more than a hundred.
      #expect(numbers.count >= 150)
    }
  }

  /// Of a state that is too long for its row's page all others are read.
  @Test func aPageThatTellsOfPluginsIsDamageToo() throws {
    let journal = try open()
    Sample.fill(journal, 50)
    for number in 51...60 {
      journal.append(Sample.entry(number))
      let state = Sample.slices(after: number, other: String(repeating: "x", count: 3000) + "\(number)")
      journal.append(stateAfter: number, state.map { StateSlice(module: $0.module, isWhole: true, write: $0.write) })
    }
    try journal.end()
    var bytes = try folder.bytes("a.db")
    let mark = try #require(bytes.firstRange(of: Array("xx55\"}".utf8)))
    let start = mark.lowerBound / 4096 * 4096
    bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
    try folder.write("b.db", bytes)
    let archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage != nil)
    #expect(archive.contents.numbers == 1...60)
    #expect(try archive.states(of: "other").count == 10)
  }

  @Test func rowsAreReadWhereNothingLeadsToThem() throws {
    let journal = try open()
    Sample.fill(journal, 20_000)
    try journal.end()
    let whole = try folder.bytes("a.db")
    try folder.write("b.db", Array(whole.prefix(whole.count / 4)))
    let archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
    let numbers = try #require(archive.contents.numbers)
    #expect(numbers.lowerBound == 1)
    #expect(numbers.count > 3000)
    #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
  }

  /// Without what SQLite keeps beside it, its frames alone show that it held more.
  @Test func aLogThatLostBytesInItsMiddleIsToldOf() throws {
    try killed()
    unlink(folder["killed.db-shm"])
    var log = try folder.bytes("killed.db-wal")
    log.removeSubrange(log.count / 2..<log.count / 2 + 8)
    try folder.write("killed.db-wal", log)
    let last = try lastGood("killed.db", "its write-ahead log is not what was written behind that")
    #expect((201..<400).contains(try #require(last)))
  }

  @Test func aFileThatIsNotTakenUpKeepsItsLog() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let before = try folder.bytes("killed.db")
    try open("killed.db").end()
    #expect(try folder.bytes("killed.db") == before)
    #expect(try folder.bytes("killed.db-wal") == log)
  }

  @Test func theFirstActionsAreReadWhereNoStateCanBe() throws {
    try filled(50)
    try spoil("a.db", "UPDATE slices SET state = replace(state, 'same', 'odd')")
    let archive = try JournalArchive(folder["a.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage == JournalReader.noState)
    #expect(archive.contents.numbers == 1...50)
    #expect(try archive.snapshot(upTo: 50)?.number == 0)
  }

  @Test func whatIsReadBeforeARowThatCannotBeIsGood() throws {
    let journal = try open()
    Sample.fill(journal, 60)
    let undo = LoggedEntry(
      number: 61, time: .zero, source: .here(), action: UndoLine.restoreAction,
      arguments: Record(RecordLayout(name: "restore", fields: ["to"]), [.int(59)]), isQuiet: false, changes: [],
      failure: nil)
    journal.append(undo, state: Sample.slices(after: 59))
    try journal.end()
    let sound = try JournalArchive(folder["a.db"])
    #expect(try sound.restores().map(\.target) == [59])
    sound.close()
    try spoil("a.db", "UPDATE actions SET arguments = '{' WHERE number = 61")
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == "#61 is not what was written, or one before it is missing")
    #expect(archive.contents.numbers == 1...60)
  }

  @Test func aStateThatIsNotWhatWasWrittenIsNotGiven() throws {
    let journal = try open()
    Sample.fill(journal, 20, snapshots: [10, 20])
    try journal.end()
    try spoil("a.db", "UPDATE slices SET state = 'x' WHERE state = '{\"value\":55}'")
    let again = try open()
    #expect(try again.states(of: "counter").map(\.number) == [0, 20])
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
    let journal = try open()
    Sample.fill(journal, 50, snapshots: [20, 30])
    try journal.end()
    try spoil("a.db", sql)
    let before = try folder.bytes("a.db")
    let again = try open()
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

  /// Files of earlier versions have no checksum there.
  @Test func aSnapshotWithoutAChecksumIsRead() throws {
    try filled(20)
    try spoil("a.db", "UPDATE snapshots SET slices = '[1,2]'")
    let journal = try open()
    #expect(try journal.snapshot(upTo: 20)?.slices.map(\.module) == ["counter", "other"])
    journal.append(Sample.entry(21))
    try journal.end()
    #expect(try JournalArchive(folder["a.db"]).damage == nil)
  }

  /// An inner page that leads to another page of rows than it did.
  @Test func rowsThatNothingLeadsToAreNotCalledDamaged() throws {
    try filled(4000)
    var bytes = try folder.bytes("a.db")
    let image = try #require(FileImage(folder["a.db"], nil))
    // The kind of an inner page of rows; its cells begin with the number of a page.
    let pages = bytes.count / image.pageSize
    let inner = try #require((1..<pages).map { $0 * image.pageSize }.first { bytes[$0] == 0x05 })
    let cells = (10...11).map { inner + (image.number(inner + 12 + $0 * 2, 2) ?? 0) }
    bytes.replaceSubrange(cells[0]..<cells[0] + 4, with: bytes[cells[1]..<cells[1] + 4])
    try folder.write("a.db", bytes)
    let archive = try JournalArchive(folder["a.db"])
    let reason = try #require(archive.damage)
    #expect(reason.contains("2nd reference to page"))
    #expect(archive.contents.numbers == 1...4000)
    let journal = try open()
    journal.append(Sample.entry(4001))
    journal.settle()
    #expect(journal.failure == .damaged(path: folder["a.db"], lastGood: 4000, reason: reason))
    #expect(throws: JournalError.self) { try journal.end(number: 4001) }
  }

  private func spoil(_ name: String = "a.db", _ sql: String) throws {
    try DatabaseQueue(path: folder[name]).write { try $0.execute(sql: sql) }
  }

  @Test func aFileThatIsDamagedAnywhereIsNotWritten() throws {
    try filled(400)
    try spoil("a.db", "UPDATE actions SET arguments = '{}' WHERE number = 100")
    let (names, before) = (folder.names, try folder.bytes("a.db"))
    let journal = try open()
    #expect(journal.found?.last == 400)
    journal.append(Sample.entry(401))
    journal.settle()
    let damage = JournalError.damaged(
      path: folder["a.db"], lastGood: 99, reason: "#100 is not what was written, or one before it is missing")
    #expect(journal.failure == damage)
    #expect(journal.takeFailure() == damage)
    #expect(journal.takeFailure() == nil)
    journal.append(Sample.entry(402))
    #expect(throws: damage) { try journal.end(number: 402, Sample.slices(after: 402)) }
    #expect(folder.names == names)
    #expect(try folder.bytes("a.db") == before)
  }

  @Test func damageIsFoundWhenThereIsTime() throws {
    try filled(400)
    try spoil("a.db", "DELETE FROM actions WHERE number = 100")
    let journal = try open()
    while journal.failure == nil { usleep(1000) }
    guard case .damaged(_, 99, _) = journal.takeFailure() else {
      Issue.record("\(String(describing: journal.failure))")
      return
    }
    // Nobody wanted anything written.
    try journal.end(number: 400)
  }

  @Test func aStateThatIsLostIsNoticedWhereNothingElseTellsOfIt() throws {
    let journal = try open()
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
    try spoil("a.db", "UPDATE slices SET state = replace(state, 'new', 'odd')")
    let again = try open()
    again.append(Sample.entry(21))
    again.settle()
    let reason = "the state after #10 is not what was written"
    #expect(again.failure == .damaged(path: folder["a.db"], lastGood: 9, reason: reason))
    #expect(throws: JournalError.self) { try again.end() }
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == reason)
    #expect(archive.contents.numbers == 1...9)
  }

  @Test func eachGoodPartOfAFileWithAHoleCanBeOpened() throws {
    let journal = try open()
    Sample.fill(journal, 400, snapshots: [250])
    try journal.end()
    try spoil("a.db", "UPDATE actions SET changes = NULL WHERE number = 180")
    func opened(_ number: Int?) throws -> JournalArchive {
      let archive = try JournalArchive(folder["a.db"], upTo: number)
      let numbers = try #require(archive.contents.numbers)
      #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
      #expect(archive.damage != nil)
      return archive
    }
    let longest = try opened(nil)
    #expect(longest.contents.numbers == 1...179)
    #expect(longest.otherParts == [251..<401])
    let later = try opened(400)
    #expect(later.contents.numbers == 251...400)
    #expect(later.contents.base == 250)
    #expect(later.damage?.hasSuffix("; it goes back to #250") == true)
    #expect(later.otherParts == [1..<180])
    let earlier = try opened(300)
    #expect(earlier.contents.numbers == 251...300)
    #expect(earlier.lastGood == 400)
    #expect(try opened(200).contents.numbers == 1...179)
    #expect(try opened(7).contents.numbers == 1...7)
  }

  @Test func readingLeavesNothingBehind() throws {
    try filled(20)
    let before = folder.names
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    #expect(try Sample.numbers(in: archive, 1...20).count == 20)
    archive.close()
    #expect(folder.names == before)
  }

  @Test func aRowThatIsDamagedIsFoundWhenTheFileIsOnlyRead() throws {
    try filled(400)
    try DatabaseQueue(path: folder["a.db"]).write {
      try $0.execute(sql: "UPDATE actions SET arguments = '{}' WHERE number = 300")
    }
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage != nil)
    #expect(archive.contents.numbers == 1...299)
  }

  @Test func aDiskThatIsFullLosesNothingAndIsToldOnce() throws {
    let path = folder["a.db"]
    let file = try JournalFile(path, durability: .normal, header: Sample.header)
    let writer = try JournalWriter(file)
    func limit(_ pages: Int) throws {
      try file.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
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
