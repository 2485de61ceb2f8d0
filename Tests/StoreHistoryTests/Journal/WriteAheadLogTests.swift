import Glibc
import Testing

@testable import StoreHistory

/// What the write-ahead log beside a file shows, if it is missing or another file's.
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

  @Test func aLogIsTakenInOnce() throws {
    try killed()
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
    // As if the machine had been started anew since.
    let other = String(repeating: "0", count: 36)
    let boot = try #require(JournalMeta.presentBoot)
    var bytes = try folder.bytes("killed.db")
    while let range = bytes.firstRange(of: Array(boot.utf8)) { bytes.replaceSubrange(range, with: other.utf8) }
    try folder.write("killed.db", bytes)
    #expect(try folder.open("killed.db").found?.loss == .unknown)
  }

  @Test func theWriteAheadLogOfAnotherFileIsToldOf() throws {
    try killed()
    for suffix in ["", "-wal", "-shm"] { try folder.write("other.db\(suffix)", try folder.bytes("killed.db\(suffix)")) }
    let foreign = "its write-ahead log is that of another file"
    try killed("b.db", line: 7)
    try folder.write("killed.db-wal", try folder.bytes("other.db-wal"))
    let last = try #require(try folder.lastGood("killed.db", foreign))
    #expect((200..<400).contains(last))
    // Without what SQLite keeps beside it, the rows show it.
    unlink(folder["killed.db-shm"])
    #expect(try folder.lastGood("killed.db", foreign) == last)
  }

  /// SQLite reads up to the first frame that is not what was written, and is silent about those behind.
  @Test func framesThatCannotBeReadAreToldOf() throws {
    try killed()
    let log = try folder.bytes("killed.db-wal")
    let count = (log.count - 32) / 4120
    func loss(_ offset: Int) throws -> (frames: Int?, last: Int?) {
      var bytes = log
      bytes[offset] ^= 1
      for suffix in ["", "-shm"] { try folder.write("b.db\(suffix)", try folder.bytes("killed.db\(suffix)")) }
      try folder.write("b.db-wal", bytes)
      let archive = try JournalArchive(folder["b.db"])
      defer { archive.close() }
      #expect(archive.damage == nil)
      #expect(try folder.bytes("b.db-wal") == bytes)
      guard case .frames(let frames) = archive.contents.loss else { return (nil, archive.contents.last) }
      return (frames, archive.contents.last)
    }
    // The version and the salts in its head; the salts, the number and the content of the first frame.
    for offset in [5, 17, 21, 33, 41, 45, 60, 4000] {
      let (frames, last) = try loss(offset)
      #expect(frames == count, "\(offset)")
      #expect((200..<400).contains(last ?? 0), "\(offset): \(String(describing: last))")
    }
    let middle = try loss(32 + count / 2 * 4120 + 30)
    #expect((count / 2..<count).contains(middle.frames ?? 0))
    #expect((201..<400).contains(middle.last ?? 0))
    // With the last frame, all of its transaction.
    let end = try loss(log.count - 1)
    #expect((1..<count / 2).contains(end.frames ?? 0))
    #expect(end.last == 380)
    // Of one that was cut nothing tells.
    try folder.write("b.db-wal", Array(log.prefix(32 + count / 2 * 4120)))
    #expect(try JournalArchive(folder["b.db"]).contents.loss == nil)
  }

  /// Else they were found again behind what the next session wrote, as a loss of that.
  @Test func framesThatCannotBeReadAreToldOfOnce() throws {
    try killed()
    var log = try folder.bytes("killed.db-wal")
    log[log.count / 2] ^= 1
    try folder.write("killed.db-wal", log)
    let journal = try folder.open("killed.db")
    let last = try #require(journal.found?.last)
    #expect(journal.found?.loss != nil)
    journal.append(Sample.entry(last + 1))
    journal.settle()
    #expect(journal.failure == nil)
    try folder.copy("killed.db", to: "b.db")
    let again = try folder.open("b.db")
    #expect(again.found?.loss == nil)
    #expect(again.found?.last == last + 1)
    try again.end()
    try journal.end()
  }

  @Test func whatIsLeftOfALogThatWasBegunAnewIsNoLoss() throws {
    let journal = try folder.open()
    Sample.fill(journal, 400)
    journal.settle()
    try DatabaseQueue(path: folder["a.db"]).use { try $0.execute(sql: "PRAGMA wal_checkpoint") }
    let size = try folder.bytes("a.db-wal").count
    journal.append(Sample.entry(401))
    journal.settle()
    #expect(try folder.bytes("a.db-wal").count == size)
    try folder.copy("a.db", to: "b.db")
    let again = try folder.open("b.db")
    #expect(again.found?.loss == nil)
    #expect(again.found?.last == 401)
    try again.end()
    try journal.end()
  }

  /// Such a file would be made anew over what its log holds.
  @Test func aFileWhoseTablesAreInALogThatCannotBeReadIsDamaged() throws {
    let file = try JournalFile(folder["a.db"], durability: .normal, header: Sample.header)
    try folder.copy("a.db", to: "b.db")
    file.close()
    var log = try folder.bytes("b.db-wal")
    log[100] ^= 1
    try folder.write("b.db-wal", log)
    let before = try folder.bytes("b.db")
    for open in [{ _ = try folder.open("b.db") }, { _ = try JournalArchive(folder["b.db"]) }] as [() throws -> Void] {
      let error = #expect(throws: JournalError.self) { try open() }
      #expect(error?.reason == JournalContents.unread(frames: (log.count - 32) / 4120))
    }
    #expect(try folder.bytes("b.db") == before)
    #expect(try folder.bytes("b.db-wal") == log)
  }

  /// The file came to its end since: its log is only in the way.
  @Test func aLogThatIsOlderThanAFileThatEndedIsSaidToBeInTheWay() throws {
    let journal = try folder.open()
    Sample.fill(journal, 50)
    journal.settle()
    let log = try folder.bytes("a.db-wal")
    for number in 51...60 { journal.append(Sample.entry(number)) }
    try journal.end(number: 60, Sample.slices(after: 60))
    try folder.write("a.db-wal", log)
    #expect(
      try folder.lastGood("a.db", "\(folder["a.db-wal"]) is that of another file; it is whole without") == 60)
    unlink(folder["a.db-wal"])
    #expect(try folder.open().found?.last == 60)
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
