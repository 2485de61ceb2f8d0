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
    #expect(try open("killed.db").found?.lacksLog == false)
    #expect(try open("ended.db").found?.lacksLog == false)
    #expect(try open("alone.db").found?.lacksLog == true)
    #expect(try JournalArchive(folder["alone.db"]).contents.lacksLog)
  }

  @Test func aRowThatIsDamagedIsFoundWhenTheFileIsOnlyRead() throws {
    try filled(400)
    try DatabaseQueue(path: folder["a.db"]).write {
      try $0.execute(sql: "UPDATE actions SET arguments = '{}' WHERE number = 300")
    }
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage != nil)
    #expect(archive.contents.last == 299)
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
