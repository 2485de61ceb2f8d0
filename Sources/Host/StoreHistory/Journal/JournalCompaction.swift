import CSQLite
import Platform

extension Journal {
  /// The sizes of a file before and after it was made smaller.
  package struct Compaction: Hashable, Sendable {
    /// The size before, in bytes, with the files that SQLite keeps beside it.
    package let before: Int
    /// The size after, in bytes.
    package let after: Int
    /// The number of written states that were removed.
    package let removedStates: Int
  }

  /// Makes a file smaller that no session has open. Every action stays, and so does the state after each of them: it is
  /// computed from an earlier one.
  ///
  /// - Parameter isOver: tells whether it is to stop; asked now and then.
  /// - Throws: ``JournalError``, also for a file whose last session did not come to its end. The file is then as it was.
  package static func compact(
    _ path: String, until isOver: @escaping () -> Bool = { false }
  ) throws(JournalError) -> Compaction {
    guard Files.exists(path) else { throw .refusal(of: path, code: ENOENT) }
    guard JournalFile.isJournal(path) else { throw .notAJournal(path: path) }
    let header = JournalHeader(program: "", began: .zero, schema: "", schemaHash: "")
    let file = try JournalFile(path, durability: .full, header: header)
    guard let found = file.found else {
      file.remove()
      throw .notAJournal(path: path)
    }
    guard found.hasEnded else {
      file.leave()
      throw .cannotOpen(path: path, reason: "its last session did not end in order; open and close it once")
    }
    if let damage = file.check?.damage {
      file.leave()
      throw damage
    }
    let before = size(of: path)
    let removed: Int
    do {
      removed = try file.database.use { db in
        try db.stopping(isOver) {
          var removed = 0
          try db.inTransaction(.immediate) { removed = try removeStates(from: db, base: found.base) }
          try db.execute(sql: "VACUUM")
          return removed
        }
      }
    } catch {
      file.close()
      throw JournalError(error, path: path, last: found.last)
    }
    file.close()
    return Compaction(before: before, after: size(of: path), removedStates: removed)
  }

  /// The greatest number of actions between two states that stay: so many are passed in some tenths of a second.
  private static let longestWay = 1 << 16

  /// Removes the states from which nothing has to start. The first and the last stay, and those that no earlier one leads to.
  private static func removeStates(from db: Database, base: Int) throws -> Int {
    let numbers = try Int.fetchAll(db, sql: "SELECT number FROM snapshots ORDER BY number")
    let isOfShell = try db.makeStatement(
      sql: """
        SELECT 1 FROM \(JournalTables.block) AS block, json_each(block.entries) AS entry
        JOIN kinds ON kinds.id = json_extract(entry.value, '$[3]')
        WHERE block.first + json_extract(entry.value, '$[0]') = ?1 AND kinds.action LIKE 'shell.%'
        """)
    var latest = Int.min / 2
    var removed = 0
    for number in numbers {
      let stays =
        try number == numbers.first || number == numbers.last || number == base || number - latest >= longestWay
        || Int.fetchOne(isOfShell, arguments: [number]) != nil
      if stays { latest = number }
      guard !stays else { continue }
      try db.execute(sql: "DELETE FROM snapshots WHERE number = ?", arguments: [number])
      removed += 1
    }
    let lists = try String.fetchAll(db, sql: "SELECT slices FROM snapshots").compactMap { SliceList($0) }
    let slices = "[\(Set(lists.flatMap(\.ids)).map(String.init).joined(separator: ","))]"
    try db.execute(
      sql: "DELETE FROM slices WHERE id NOT IN (SELECT value FROM json_each(?))", arguments: [slices])
    try db.execute(
      sql: """
        DELETE FROM parts WHERE id NOT IN (
          SELECT part.value FROM slices, json_each(
            CASE WHEN slices.state LIKE '@%' THEN '[' || substr(slices.state, 2) || ']' ELSE '[]' END) AS part)
        """)
    return removed
  }

  private static func size(of path: String) -> Int {
    endings.reduce(0) { sum, ending in
      var status = stat()
      return stat(path + ending, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
