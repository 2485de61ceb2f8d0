import CSQLite

/// Writes which places the actions of each run changed, so that a look for one passes over the others.
struct RowPlaces {
  /// The number of actions from which on a run ends.
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

  /// The same of plain actions, which are of one run.
  mutating func note(_ entries: PlainEntries, _ db: Database) throws {
    guard let last = entries.last else { return }
    if first == nil { first = entries.first }
    for hash in entries.hashes { places.note(hash) }
    count += entries.count
    if count >= Self.length { try end(with: last, db) }
  }

  /// Writes the run that ends with an action, if there is one.
  mutating func end(with last: Int, endsWhole: Bool = false, _ db: Database) throws {
    guard let first else { return }
    let encoded = places.encoded
    let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?)").handle
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
    places.removeAll()
    (self.first, count) = (nil, 0)
  }

  private static func checksum(_ first: Int, _ last: Int, _ endsWhole: Bool, _ bytes: UnsafeRawBufferPointer) -> Int {
    var checksum = RowChecksum()
    for number in [first, last, endsWhole ? 1 : 0] { checksum.add(number) }
    checksum.add(bytes)
    return checksum.value
  }

  /// The columns of a run in the order in which they are read.
  fileprivate static let columns = "first, last, whole, checksum, hashes"

  /// A run that was written.
  fileprivate struct Run {
    let first: Int
    let last: Int
    let endsWhole: Bool
    /// The places; valid while the statement stands on the row.
    let places: UnsafeRawBufferPointer

    /// The run that a statement stands on; nil: it is not what was written.
    init?(_ statement: OpaquePointer) {
      func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
      (first, last, endsWhole) = (integer(0), integer(1), integer(2) != 0)
      let start = sqlite3_column_blob(statement, 4)
      places = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 4)))
      guard first <= last, RowPlaces.checksum(first, last, endsWhole, places) == integer(3) else { return nil }
    }
  }
}

extension JournalReader {
  /// The latest numbers up to one, behind another, among which there may be one that is asked for; nil: there are none. Where
  /// it is not written what changed, the next ones back.
  package func numbers(
    upTo number: Int, after oldest: Int, _ wanted: WantedEntries, most: Int
  ) throws -> ClosedRange<Int>? {
    let next = max(oldest + 1, number - most + 1)...number
    guard !wanted.areAll else { return next }
    return try reading { db in
      let statement = try db.cachedStatement(
        sql: "SELECT \(RowPlaces.columns) FROM places WHERE last > ? AND first <= ? ORDER BY first DESC"
      ).handle
      defer { sqlite3_reset(statement) }
      sqlite3_bind_int64(statement, 1, Int64(oldest))
      sqlite3_bind_int64(statement, 2, Int64(number))
      // The numbers above are passed over.
      var upper = number
      while sqlite3_step(statement) == SQLITE_ROW {
        guard let run = RowPlaces.Run(statement) else { continue }
        if run.last < upper { return max(run.last + 1, upper - most + 1)...upper }
        if wanted.mayBe(inEncoded: run.places, endsWhole: run.endsWhole) { return max(run.first, oldest + 1)...upper }
        upper = run.first - 1
        if upper <= oldest { return nil }
      }
      return max(oldest + 1, upper - most + 1)...upper
    }
  }

  /// The first run whose places are not what was written, as an error; nil: there is none. No look back is wrong for it, as it
  /// then reads the actions.
  func damageOfPlaces(for numbers: ClosedRange<Int>, isCancelled: () -> Bool = { false }) -> JournalError? {
    do throws(JournalError) {
      return try reading(last: numbers.upperBound) { db in
        let statement = try db.cachedStatement(sql: "SELECT \(RowPlaces.columns) FROM places").handle
        defer { sqlite3_reset(statement) }
        while !isCancelled() {
          switch sqlite3_step(statement) {
          case SQLITE_ROW where RowPlaces.Run(statement) != nil: continue
          case SQLITE_ROW:
            return .damaged(
              path: path, lastGood: numbers.upperBound,
              reason:
                "the list of the paths that #\(sqlite3_column_int64(statement, 0)) and later actions changed is damaged"
            )
          case SQLITE_DONE: return nil
          case let code: throw DatabaseError(ResultCode(code))
          }
        }
        return nil
      }
    } catch {
      return error
    }
  }
}
