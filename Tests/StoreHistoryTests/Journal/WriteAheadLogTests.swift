import Glibc
import Testing

@testable import StoreHistory

/// What the write-ahead log beside a file shows, whoever altered, cut or exchanged it.
@Suite struct WriteAheadLogTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  /// A file that was killed behind another session: as it stands then, with its log and what SQLite keeps beside it.
  private func killed(_ name: String = "a.db", line: Int? = nil) throws {
    let first = try folder.open(name)
    first.append(stateAfter: 0, Sample.slices(after: 0))
    for number in 1...200 { first.append(Sample.entry(number, line: line)) }
    try first.end()
    let second = try folder.open(name)
    for number in 201...400 {
      second.append(Sample.entry(number, line: line))
      if number.isMultiple(of: 20) { second.settle() }
    }
    second.settle()
    for suffix in ["", "-wal", "-shm"] { try folder.write("killed.db\(suffix)", try folder.bytes(name + suffix)) }
    try second.end()
  }

  /// Has some actions written in one transaction, however slow this thread is.
  private func fillAtOnce(_ journal: Journal) {
    journal.file.database.use { _ in Sample.fill(journal, 50) }
    journal.settle()
  }

  @Test func aWriteAheadLogThatIsMissingIsNoticed() throws {
    let journal = try folder.open()
    Sample.fill(journal, 10)
    journal.settle()
    try folder.copy("a.db", to: "killed.db")
    try folder.write("alone.db", try folder.bytes("a.db"))
    try journal.end()
    try folder.copy("a.db", to: "ended.db")
    #expect(try folder.open("killed.db").found?.loss == nil)
    #expect(try folder.open("ended.db").found?.loss == nil)
    #expect(try JournalArchive(folder["alone.db"]).contents.loss == .log)
    #expect(try folder.open("alone.db").found?.loss == .log)
  }

  @Test func theLogOfAnEmptyFileStays() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    try folder.write("killed.db", [])
    #expect(throws: JournalError.self) { try folder.open("killed.db") }
    #expect(throws: JournalError.self) { try JournalArchive(folder["killed.db"]) }
    #expect(try folder.bytes("killed.db-wal") == log)
  }

  @Test func aWriteAheadLogThatIsNotWhatWasWrittenIsToldOf() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let unread = "its write-ahead log is damaged"
    for bytes in [[UInt8](repeating: 0, count: log.count), Array(log.prefix(20)), [1, 2, 3] + log.dropFirst(3)] {
      try folder.write("killed.db-wal", bytes)
      let last = try #require(try folder.lastGood("killed.db", unread))
      #expect((200..<400).contains(last))
    }
    try folder.write("killed.db-wal", Array(log.prefix(log.count / 2)))
    let cut = try #require(try folder.lastGood("killed.db", "its write-ahead log has lost its end"))
    #expect((201..<400).contains(cut))
    var spoilt = log
    spoilt[log.count / 2] ^= 0xFF
    try folder.write("killed.db-wal", spoilt)
    #expect(try folder.lastGood("killed.db", "its write-ahead log is damaged behind that") == cut)
    try folder.write("killed.db-wal", log)
    let whole = try folder.open("killed.db")
    #expect(whole.found?.last == 400)
    #expect(whole.found?.loss == nil)
    try whole.end(number: 400)
    // Nothing was written, but its log was taken in: that is no loss to be told of.
    let again = try folder.open("killed.db")
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
    #expect(try folder.open("b.db").found?.loss == .unknown)
    try folder.copy("killed.db", to: "c.db")
    try folder.write("c.db-wal", [UInt8](repeating: 0, count: log.count))
    #expect(try folder.open("c.db").found?.loss == .log)
    try folder.copy("killed.db", to: "d.db")
    var spoilt = log
    spoilt[log.count / 2] ^= 0xFF
    try folder.write("d.db-wal", spoilt)
    let journal = try folder.open("d.db")
    #expect(journal.found?.loss == .endOfLog)
    #expect((201..<400).contains(journal.found?.last ?? 0))
  }

  @Test func theWriteAheadLogOfAnotherFileIsToldOf() throws {
    try killed()
    for suffix in ["", "-wal", "-shm"] { try folder.write("other.db\(suffix)", try folder.bytes("killed.db\(suffix)")) }
    let foreign = "its write-ahead log is damaged or that of another file"
    try killed("b.db", line: 7)
    try folder.write("killed.db-wal", try folder.bytes("other.db-wal"))
    let last = try #require(try folder.lastGood("killed.db", foreign))
    #expect((200..<400).contains(last))
    // Without what SQLite keeps beside it, the rows show it.
    unlink(folder["killed.db-shm"])
    #expect(try folder.lastGood("killed.db", foreign) == last)
  }

  /// Without what SQLite keeps beside it, its frames alone show that it held more.
  @Test func aLogThatLostBytesInItsMiddleIsToldOf() throws {
    try killed()
    unlink(folder["killed.db-shm"])
    var log = try folder.bytes("killed.db-wal")
    log.removeSubrange(log.count / 2..<log.count / 2 + 8)
    try folder.write("killed.db-wal", log)
    let last = try folder.lastGood("killed.db", "its write-ahead log is damaged behind that")
    #expect((201..<400).contains(try #require(last)))
  }

  /// All of the log was taken into the file; what is left of it is older.
  @Test(arguments: [true, false]) func aLogThatIsShorterThanItWasIsNotCalledForeign(keepsIndex: Bool) throws {
    let journal = try folder.open()
    fillAtOnce(journal)
    for suffix in ["", "-wal", "-shm"] { try folder.write("b.db\(suffix)", try folder.bytes("a.db\(suffix)")) }
    try journal.end()
    try folder.write("b.db-wal", try folder.bytes("b.db-wal").dropLast(672))
    if !keepsIndex { unlink(folder["b.db-shm"]) }
    #expect(try folder.lastGood("b.db", "its write-ahead log has lost its end") == 50)
  }

  /// The file came to its end since: its log is only in the way.
  @Test func aLogThatIsOlderThanAFileThatEndedIsSaidToBeInTheWay() throws {
    let journal = try folder.open()
    fillAtOnce(journal)
    let log = try folder.bytes("a.db-wal")
    try journal.end(number: 50, Sample.slices(after: 50))
    try folder.write("a.db-wal", Array(log.dropLast(672)))
    let reason = "\(folder["a.db-wal"]) is older than it and has lost its end; it is whole without"
    #expect(try folder.lastGood("a.db", reason) == 50)
    unlink(folder["a.db-wal"])
    #expect(try folder.open().found?.last == 50)
  }

  /// Without what SQLite keeps beside it, it could have held any number of actions.
  @Test func howMuchALogHeldIsNotClaimedWhereNobodyKnows() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let frame = 24 + 4096
    let cut = log.dropLast(frame * 3)
    let losses = [
      log.dropLast(), cut + [UInt8](repeating: 0, count: frame), cut + [UInt8](repeating: 0, count: 100),
      log.dropLast(frame + 1000) + [UInt8](repeating: 0, count: 1000),
    ]
    for (number, bytes) in losses.enumerated() {
      try folder.write("\(number).db", try folder.bytes("killed.db"))
      try folder.write("\(number).db-wal", Array(bytes))
      #expect(try JournalArchive(folder["\(number).db"]).contents.loss == .unknown)
    }
  }

  /// On a full disk frames are written of a transaction that then fails; the next is written over the first of them.
  @Test func whatIsLeftOfATransactionThatFailedIsNoDamage() throws {
    let file = try JournalFile(folder["a.db"], durability: .normal, header: Sample.header)
    let writer = try JournalWriter(file)
    writer.append(.snapshot(number: 0, slices: Sample.slices(after: 0)))
    for number in 1...50 { writer.append(.entry(Sample.entry(number))) }
    writer.settle()
    try file.database.use { db in
      try db.execute(sql: "PRAGMA cache_size = 10; BEGIN")
      for number in 51...2000 {
        try db.execute(sql: "INSERT INTO plugins VALUES (?, 'v', '1', hex(zeroblob(500)), '')", arguments: [number])
      }
      try db.execute(sql: "ROLLBACK")
    }
    writer.append(.entry(Sample.entry(51)))
    writer.settle()
    try folder.copy("a.db", to: "b.db")
    #expect(try folder.bytes("b.db-wal").count > 1_000_000)
    let journal = try folder.open("b.db")
    #expect(journal.found?.last == 51)
    #expect(journal.found?.loss == nil)
    journal.append(Sample.entry(52))
    try journal.end()
    #expect(try JournalArchive(folder["b.db"]).damage == nil)
  }

  @Test func aFileThatIsNotTakenUpKeepsItsLog() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let before = try folder.bytes("killed.db")
    try folder.open("killed.db").end()
    #expect(try folder.bytes("killed.db") == before)
    #expect(try folder.bytes("killed.db-wal") == log)
  }
}
