import GRDB
import GRDBSQLite

/// Writes which places the actions of each run changed, so that a look for one passes over the others.
struct RowPlaces {
  /// The number of actions in a run.
  private static let length = 256

  private var first: Int?
  private var count = 0
  private var places = ChangedPlaces()

  /// Takes note of an action that was written, the next one, and writes the run that ends with it.
  mutating func note(_ entry: LoggedEntry, _ db: Database) throws {
    if first == nil { first = entry.number }
    places.note(entry.changes)
    count += 1
    if count >= Self.length || entry.isWhole { try end(with: entry.number, endsWhole: entry.isWhole, db) }
  }

  /// Writes the run that ends with an action, if there is one.
  mutating func end(with last: Int, endsWhole: Bool = false, _ db: Database) throws {
    guard let first else { return }
    let encoded = places.encoded
    let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?)").sqliteStatement
    try encoded.withUnsafeBytes { bytes in
      sqlite3_reset(statement)
      let sum = Self.checksum(first, last, endsWhole, bytes)
      for (index, number) in [first, last, endsWhole ? 1 : 0, sum].enumerated() {
        sqlite3_bind_int64(statement, Int32(index + 1), Int64(number))
      }
      // No destructor: they stay until the row is written.
      if bytes.isEmpty {
        sqlite3_bind_zeroblob(statement, 5, 0)
      } else {
        sqlite3_bind_blob64(statement, 5, bytes.baseAddress, UInt64(bytes.count), nil)
      }
      try RowWriter.run(statement, db)
    }
    self = RowPlaces()
  }

  fileprivate static func checksum(_ first: Int, _ last: Int, _ endsWhole: Bool, _ bytes: UnsafeRawBufferPointer) -> Int
  {
    var checksum = RowChecksum()
    for number in [first, last, endsWhole ? 1 : 0] { checksum.add(number) }
    checksum.add(bytes)
    return checksum.value
  }
}

extension JournalReader {
  /// The latest numbers up to one, behind another, among which there may be one that is asked for; nil: there are none. Where
  /// it is not written what changed, the next ones back.
  package func numbers(upTo number: Int, after oldest: Int, _ wanted: WantedEntries, most: Int) throws -> ClosedRange<
    Int
  >? {
    let next = max(oldest + 1, number - most + 1)...number
    guard !wanted.areAll else { return next }
    do {
      return try database.unsafeRead { db in
        guard try db.tableExists("places") else { return next }
        let statement = try db.cachedStatement(
          sql:
            "SELECT first, last, whole, checksum, hashes FROM places WHERE last > ? AND first <= ? ORDER BY first DESC"
        ).sqliteStatement
        sqlite3_reset(statement)
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, Int64(oldest))
        sqlite3_bind_int64(statement, 2, Int64(number))
        // The numbers above are passed over.
        var upper = number
        while sqlite3_step(statement) == SQLITE_ROW {
          let (first, last) = (Int(sqlite3_column_int64(statement, 0)), Int(sqlite3_column_int64(statement, 1)))
          let endsWhole = sqlite3_column_int64(statement, 2) != 0
          let start = sqlite3_column_blob(statement, 4)
          let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 4)))
          guard first <= last,
            RowPlaces.checksum(first, last, endsWhole, bytes) == Int(sqlite3_column_int64(statement, 3))
          else { continue }
          if last < upper { return max(last + 1, upper - most + 1)...upper }
          if wanted.mayBe(inEncoded: bytes, endsWhole: endsWhole) { return max(first, oldest + 1)...upper }
          upper = first - 1
          if upper <= oldest { return nil }
        }
        return max(oldest + 1, upper - most + 1)...upper
      }
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }
}
