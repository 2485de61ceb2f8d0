import Testing

@testable import StoreHistory

/// The names that rows stand for by number are part of what was written.
@Suite struct RowNamesTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  @Test(arguments: [
    "UPDATE kinds SET action = 'counter.incremenu'", "UPDATE kinds SET quiet = 1",
    "UPDATE sources SET file = 'sampld.stsh'", "UPDATE sources SET kind = 'repl'", "UPDATE sources SET plugin = 'v'",
    "UPDATE sources SET info = function, function = ''",
  ])
  func aNameThatIsNotWhatWasWrittenIsNoticed(_ sql: String) throws {
    try folder.fill(3)
    let journal = try folder.open()
    journal.append(Sample.entry(4, file: "other.stsh", action: "counter.set"))
    journal.settle()
    journal.append(Sample.entry(5))
    try journal.end(number: 5, Sample.slices(after: 5))
    try folder.spoil("a.db", "\(sql) WHERE id = 2")
    let before = try folder.bytes("a.db")
    let again = try folder.open()
    var read: [Int] = []
    let error = try #require(throws: JournalError.self) { try again.reader.visit(1...5) { read.append($0.number) } }
    #expect(read == [1, 2, 3])
    guard case .damaged(_, 3, _) = error else {
      Issue.record("\(error)")
      return
    }
    again.append(Sample.entry(6))
    again.settle()
    #expect(again.failure == error)
    #expect(throws: error) { try again.end() }
    #expect(try folder.bytes("a.db") == before)
  }

  @Test func namesThatHaveChangedPlacesAreNoticed() throws {
    let journal = try folder.open()
    Sample.fill(journal, 3)
    journal.append(Sample.entry(4, action: "counter.set"))
    try journal.end()
    try folder.spoil("a.db", "UPDATE kinds SET action = iif(id = 1, 'counter.set', 'counter.increment')")
    #expect(throws: JournalError.self) { try JournalArchive(folder["a.db"]).reader.visit(1...4) { _ in } }
  }

  /// SQLite ends a text at a zero.
  @Test func aNameMayBeAnyText() throws {
    let journal = try folder.open()
    journal.append(stateAfter: 0, Sample.slices(after: 0))
    for (index, name) in ["a\0b", "a", "\u{E9}", "e\u{301}", ""].enumerated() {
      journal.append(Sample.entry(index + 1, file: name, action: name))
    }
    try journal.end()
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    #expect(archive.contents.last == 5)
  }
}
