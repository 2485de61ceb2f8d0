import Testing

@testable import StoreHistory

/// Journals that are damaged on purpose.
extension JournalFolder {
  func open(_ name: String = "a.db") throws -> Journal { try Journal(self[name], header: Sample.header) }

  /// Makes a journal of some actions that came to its end.
  func fill(_ count: Int = 400) throws {
    let journal = try open()
    Sample.fill(journal, count)
    try journal.end()
  }

  /// Changes a journal behind its back.
  func spoil(_ name: String = "a.db", _ sql: String) throws {
    try DatabaseQueue(path: self[name]).write { try $0.execute(sql: sql) }
  }

  /// What is said of a damaged file, which must stay as it is, and what of it can be read.
  func lastGood(_ name: String, _ reason: String) throws -> Int? {
    let names = self.names
    let before = try names.map { try bytes($0) }
    let error = #expect(throws: JournalError.self) { try open(name) }
    guard case .damaged(_, let last, let found) = error else {
      Issue.record("\(String(describing: error))")
      return nil
    }
    #expect(found == reason)
    let archive = try JournalArchive(self[name])
    #expect(archive.damage == reason)
    #expect(archive.contents.last == last)
    #expect(try archive.reader.snapshot(upTo: archive.contents.last) != nil)
    if let numbers = archive.contents.numbers { #expect(try Sample.numbers(in: archive, numbers) == Array(numbers)) }
    archive.close()
    #expect(self.names == names)
    #expect(try names.map { try bytes($0) } == before)
    return last
  }

  /// The checksum of an action's row as far as it stands in the row itself, and the numbers of the names that it refers to.
  static func checksum(
    ofRow number: Int, behind last: Int, _ db: Database
  ) throws -> (checksum: RowChecksum, kind: Int, source: Int) {
    let columns = "number, at, kind, source, line, cause, arguments, changes, failure, entry"
    let row = try #require(
      try Row.fetchOne(db, sql: "SELECT \(columns) FROM actions WHERE number = ?", arguments: [number]))
    var checksum = RowChecksum()
    checksum.add(last)
    for column in 0..<5 { checksum.add(try row.checked(column) as Int) }
    checksum.add(try row.checkedIfPresent(5) ?? -1)
    for column in 6..<10 { checksum.add(try row.checkedIfPresent(column) ?? "") }
    return (checksum, try row.checked(2), try row.checked(3))
  }
}
