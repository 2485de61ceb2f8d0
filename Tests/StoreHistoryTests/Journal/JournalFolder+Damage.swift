import Testing

@testable import StoreHistory

/// Journals that are damaged on purpose.
extension JournalFolder {
  func open(_ name: String = "a.db") throws -> Journal { try Journal(self[name], header: Sample.header) }

  /// Makes a journal of some actions that came to its end.
  func fill(_ count: Int = 400, together: Bool = false) throws {
    let journal = try open()
    Sample.fill(journal, count, together: together)
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

  /// Changes an action that has a row of its own.
  ///
  /// - Parameter column: of the view `actions`, from 0.
  func spoil(_ name: String = "a.db", action number: Int, column: Int, _ json: String) throws {
    try spoil(
      name, "UPDATE blocks SET entries = json_set(entries, '$[0][\(column)]', json('\(json)')) WHERE first = \(number)")
  }
}
